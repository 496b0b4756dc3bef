package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/plan/memory"
)

// What an object violates only as long as it has no status is said as such, and is no violation for
// an exit code. What will be violated in time is said as well.
func TestExplainOfAnObjectWithoutStatus(t *testing.T) {
	cfg := parse(t, head+`
  rules:
    informer: {resource: pods}
    rules:
      - {name: ready, deny: 'condition("Ready").status != "True"', for: 5m}
      - {name: phase, deny: 'object.spec.x == 1 && object.status.phase != "Running"'}
      - {name: plain, deny: object.spec.x == 1}
      - {name: old, deny: age() > "1h"}
    outputs: [out]
`)
	const bare = "violated as long as it has no status, which is reported "
	for _, c := range []struct {
		status, x string
		verdicts  string
		violates  bool
		supposed  bool
	}{
		{"", "2", "rule ready: " + bare + "when it has lasted for 5m -> out; not violated yet: rule old in 59m, which is seen within 1m", false, false},
		{`,"status":{}`, "1", "rule ready: " + bare + "when it has lasted for 5m -> out; rule phase: " + bare +
			"at once -> out; rule plain: violated, which is reported at once -> out; not violated yet: rule old in 59m, which is seen within 1m", true, false},
		{`,"status":{}`, "2", "rule ready: violated, which is reported when it has lasted for 5m -> out; not violated yet: rule old in 59m, which is seen within 1m", true, true},
		{`,"status":{"phase":"Pending"}`, "2", "rule ready: violated, which is reported when it has lasted for 5m -> out; not violated yet: rule old in 59m, which is seen within 1m", true, false},
		{`,"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}`, "2", "no rule is violated yet (rule old in 59m, which is seen within 1m)", false, false},
	} {
		q := question(t, "add", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u","creationTimestamp":"2040-01-01T00:00:00Z"},"spec":{"x":`+
			c.x+"}"+c.status+"}", "")
		q.Now, q.Supposed = created.Add(60_000_000_000), c.supposed
		a := answered(t, cfg, q)
		if got := strings.Join(a.Verdicts, "; "); got != c.verdicts || a.Violates() != c.violates {
			t.Errorf("%+v: %s, violates %t", c, got, a.Violates())
		}
	}
}

// A running informerd knows which objects are selected, where that does not follow from their
// states: one that is selected no more leaves, and one that is newly selected enters.
func TestExplainOfWhatIsKnownToBeSelected(t *testing.T) {
	cfg := parse(t, head+`
  set: {informer: {resource: pods}, select: 'age() > "1h" && object.n == 2', outputs: [out]}
`)
	const looks = "The running informerd evaluates the select again within 1m."
	for _, c := range []struct {
		op, n     string
		selected  bool
		other     bool // another configuration
		result    string
		verdict   string
		says      string
		looksSoon bool
	}{
		{"add", "2", true, false, "selected", "if it were added now: add -> out", "The object was selected, as the running informerd knows, and is.", false},
		{"add", "3", true, false, "leaves", "delete" + looking + " -> out", "and is not any more: to the listener this is a delete.", true},
		{"add", "2", false, false, "enters", "add" + looking + " -> out", "and is now: to the listener this is an add.", true},
		{"add", "3", false, false, "not-selected", "not selected", "The object was not selected, as the running informerd knows, and is not: nothing comes of the event.", false},
		{"update", "2", true, false, "selected", "update -> out", "", false},
		{"update", "3", true, false, "leaves", "delete by update -> out", "", false},
		{"update", "2", false, false, "enters", "add by update -> out", "", false},
		{"delete", "2", true, false, "selected", "delete -> out", "", false},
		{"delete", "2", false, false, "not-selected", "not selected", "", false},
		{"add", "3", true, true, "not-selected", "not selected yet", "", false},
	} {
		old := ""
		if c.op == "update" {
			old = longAgo("2")
		}
		q := question(t, c.op, longAgo(c.n), old)
		q.Supposed = c.op == "add"
		known := memory.Object{Listener: true, Has: true, UID: "u1", Selected: &c.selected,
			Digest: ListenerDigest(cfg, cfg.Listeners["set"])}
		if c.other {
			known.Digest = "x"
		}
		q.Running = &known
		a, err := Answer(cfg, nil, "set", q)
		if err != nil {
			t.Fatal(err)
		}
		says := strings.Join(a.Select.Says, "\n")
		if a.Select.Result != c.result || strings.Join(a.Verdicts, "; ") != c.verdict ||
			!strings.Contains(says, c.says) || strings.Contains(says, looks) != c.looksSoon {
			t.Errorf("%+v: %s, %q\n%s", c, a.Select.Result, a.Verdicts, says)
		}
	}
}

func longAgo(n string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u1","creationTimestamp":"2000-01-01T00:00:00Z"},"n":` + n + `}`
}

// That an object may have been selected before a start is said of a checkpoint, and not of an
// informerd that runs with the same configuration, or with another one that a reload changes.
func TestExplainOfWhatMayLeaveWithAStart(t *testing.T) {
	cfg := parse(t, head+`
  set: {informer: {resource: pods}, select: object.n == 2, outputs: [out]}
`)
	is := true
	for name, c := range map[string]struct {
		known memory.Object
		notes bool
	}{
		"a checkpoint":          {memory.Object{Checkpoint: time.Now()}, true},
		"one that runs":         {memory.Object{Digest: ListenerDigest(cfg, cfg.Listeners["set"])}, false},
		"one before its reload": {memory.Object{Digest: "x", Member: &is}, false},
	} {
		q := question(t, "add", longAgo("3"), "")
		c.known.Listener, c.known.Has, c.known.UID = true, true, "u1"
		q.Supposed, q.Running = true, &c.known
		a, err := Answer(cfg, nil, "set", q)
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(a.Notes, "\n")
		if strings.Contains(notes, "it is a delete after the start") != c.notes {
			t.Errorf("%s: %q\n%s", name, a.Verdicts, notes)
		}
	}
}
