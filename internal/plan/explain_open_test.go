package plan

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/memory"
)

// knowing returns a question about an object that a running informerd knows.
func knowing(t *testing.T, cfg *config.Config, op, is, was string, all ...memory.Rule) Question {
	t.Helper()
	old := ""
	if was != "" {
		old = numbered(was)
	}
	q := question(t, op, numbered(is), old)
	q.Running = &memory.Object{Listener: true, Has: true, UID: "u1", Rules: all,
		Digest: ListenerDigest(cfg, cfg.Listeners["rules"])}
	return q
}

func answered(t *testing.T, cfg *config.Config, q Question) *answer.Answer {
	t.Helper()
	a, err := Answer(cfg, nil, "rules", q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The times of a violation follow from the rule of the given configuration, and from when things
// happened at the running informerd, which may have another one.
func TestAnswersAreForTheGivenRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		waits := memory.Rule{Rule: "r", Since: now.Add(-3 * time.Second), For: "5m",
			Next: now.Add(297 * time.Second)}
		open := memory.Rule{Rule: "r", Violated: true, Since: now.Add(-time.Hour),
			Reported: now.Add(-time.Minute), To: []string{"out"}, Next: now}
		for given, c := range map[string]struct {
			remembered memory.Rule
			want       string
		}{
			"for: 1s":                {waits, "violated for 3s, which is reported at once -> out"},
			"severity: low":          {waits, "violated for 3s, which is reported at once -> out"},
			"for: 10s":               {waits, "violated for 3s, reported in 7s if that lasts -> out"},
			"for: 1s, repeat: 1h":    {open, "violated since 23:00:00Z (1h ago), reported to out 1m ago; again in 59m -> out"},
			"for: 1h, severity: low": {open, "violated since 23:00:00Z (1h ago), reported to out 1m ago; not reported again"},
		} {
			cfg := parse(t, head+`  rules: {informer: {resource: pods}, rules: [{name: r, `+given+
				`, deny: object.n > 1}], outputs: [out]}`)
			q := knowing(t, cfg, "add", "2", "", c.remembered)
			q.Running.Digest = "another"
			a := answered(t, cfg, q)
			if got := strings.Join(a.Verdicts, "; "); got != "rule r: "+c.want {
				t.Errorf("%s: %s, want %s", given, got, c.want)
			}
			if a.Notes[0] != "the running informerd has another configuration of this listener: the answer is for the given one, after informerd reload." {
				t.Errorf("%s: %q", given, a.Notes)
			}
		}
	})
}

// What a report says is evaluated as of the time of the report, and of a repeat as of that.
func TestOutputsAreAskedAsOfTheReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  log: {stdout: {}}
  fresh: {stdout: {}, when: age(since) < "1m"}
  pager: {stdout: {}, when: age(since) > "30s"}
listeners:
  rules:
    informer: {resource: pods}
    rules:
      - {name: slow, for: 90s, deny: object.n == 1, message: 'age("1999-12-31T23:59:00Z") > "2m" ? "long" : "short"'}
      - {name: often, repeat: 10s, deny: object.n == 2}
      - {name: once, deny: object.n == 3}
    outputs: [log, fresh, pager]
`)
		now := time.Now()
		ago := func(d time.Duration) time.Time { return now.Add(-d) }
		open := func(rule string, since, reported time.Duration, to ...string) memory.Rule {
			return memory.Rule{Rule: rule, Violated: true, Since: ago(since),
				Reported: ago(reported), To: to}
		}
		for name, c := range map[string]struct {
			is         string
			remembered memory.Rule
			takes      string
			says       string
		}{
			"waits": {"1", memory.Rule{Rule: "slow", Since: ago(2 * time.Second)}, "log pager",
				`reported in 1m28s if that lasts: "long"`},
			"is due": {"1", memory.Rule{Rule: "slow", Since: ago(100 * time.Second)}, "log pager",
				`which is reported at once: "short"`},
			"repeats": {"2", open("often", 15*time.Second, 5*time.Second, "log", "fresh"),
				"log fresh", "The next repeat goes to the outputs log, fresh; pager does not take it."},
			"escalates": {"2", open("often", 26*time.Second, 5*time.Second, "log", "fresh"),
				"log fresh pager", "The next repeat goes to the outputs log, fresh, pager."},
			"is late": {"2", open("often", 26*time.Second, 15*time.Second, "log", "fresh"),
				"log fresh", "pager does not take it"},
			"was reported": {"3", open("once", 5*time.Minute, 5*time.Minute, "log", "fresh"),
				"log fresh", "Such a report goes to the outputs log, fresh; pager does not take it."},
			"was not there": {"3", open("once", 5*time.Minute, 5*time.Minute, "log"),
				"log", "fresh takes such a report, and has none of this violation"},
		} {
			a := answered(t, cfg, knowing(t, cfg, "add", c.is, "", c.remembered))
			r := a.Rules[slices.IndexFunc(a.Rules,
				func(r *answer.Rule) bool { return r.Name == c.remembered.Rule })]
			var takes []string
			for _, o := range r.Outputs {
				if o.Takes == "yes" {
					takes = append(takes, o.Name)
				}
				if (o.When == nil) != (o.Name == "log") {
					t.Errorf("%s: %s has no when", name, o.Name)
				}
			}
			if got := strings.Join(takes, " "); got != c.takes ||
				!strings.Contains(strings.Join(r.Says, "\n"), c.says) {
				t.Errorf("%s: %s, want %s\n%s\nwant %s", name, got, c.takes,
					strings.Join(r.Says, "\n"), c.says)
			}
		}
	})
}

// If a running informerd knows the object and remembers nothing by a rule, nothing is open.
func TestAnswersKnowThatNothingIsOpen(t *testing.T) {
	cfg := parse(t, rememberedConfig)
	for name, c := range map[string]struct {
		op, is, was string
		want        string
	}{
		"gone":               {"delete", "2", "", "no violation is open"},
		"gone, and kept":     {"delete", "1", "", "no violation is open"},
		"still kept":         {"update", "1", "1", "no rule is violated"},
		"not any more":       {"update", "1", "2", "no rule is violated"},
		"a resync of kept":   {"resync", "1", "", "no rule is violated"},
		"violated at once":   {"resync", "2", "", "rule once: violated, which is reported at once -> out, chat, old"},
		"violated as before": {"update", "2", "3", "rule once: violated, which is reported at once -> out, chat, old"},
	} {
		q := knowing(t, cfg, c.op, c.is, c.was)
		a := answered(t, cfg, q)
		if a.Verdicts[0] != c.want || c.is == "1" && len(a.Verdicts) != 1 {
			t.Errorf("%s: %q, want %s", name, a.Verdicts, c.want)
		}
	}
}

// A rule that looks around is evaluated again within a minute, and not when the object is asked
// about.
func TestAnswersSayWhatIsNotSeenYet(t *testing.T) {
	cfg := parse(t, rememberedConfig)
	clock := memory.Rule{Rule: "clock", Violated: true, Since: time.Now(), To: []string{"out"}}
	const says = "The running informerd has not seen this yet: it looks again within 1m."
	for name, c := range map[string]struct {
		q     Question
		reads string // verdict
		want  bool
	}{
		"violated": {knowing(t, cfg, "add", "2", ""),
			"violated, which is reported when the running informerd looks again, within 1m -> ", true},
		"an event":     {knowing(t, cfg, "update", "2", "1"), "violated, which is reported at once -> ", false},
		"remembered":   {knowing(t, cfg, "add", "2", "", clock), "violated since ", false},
		"not any more": {knowing(t, cfg, "add", "1", "", clock), "its violation ends when the running informerd looks again, within 1m: resolved -> ", true},
		"not asked":    {question(t, "add", numbered("2"), ""), "violated, which is reported at once -> ", false},
	} {
		a := answered(t, cfg, c.q)
		if got := slices.Contains(a.Rules[2].Says, says); got != c.want ||
			!strings.Contains(strings.Join(a.Verdicts, "\n"), "rule clock: "+c.reads) {
			t.Errorf("%s: %t, %q\nwant %t, %s", name, got, a.Verdicts, c.want, c.reads)
		}
		for _, r := range a.Rules[:2] {
			if slices.Contains(r.Says, says) {
				t.Errorf("%s: rule %s: %q", name, r.Name, r.Says)
			}
		}
	}
}

// What is noted of a question says as of when it is answered, and what of a rule is known.
func TestNotesOfWhatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := parse(t, strings.NewReplacer("    resync: 1m", "    checkpoint: true\n    resync: 1m",
			"kind: Config", "kind: Config\nstate: {dir: state}").Replace(rememberedConfig))
		now := time.Now()
		waits := memory.Rule{Rule: "slow", Since: now.Add(-time.Minute), For: "10m"}
		open := memory.Rule{Rule: "once", Violated: true, Since: now, Reported: now}
		ask := func(change func(*Question)) Question {
			q := knowing(t, cfg, "add", "2", "", waits, open)
			change(&q)
			return q
		}
		for name, c := range map[string]struct {
			q    Question
			want []string
		}{
			"a first list": {ask(func(q *Question) { q.Initial, q.Running = true, nil }), []string{
				"the listener has a checkpoint: a restart goes on from that, without a first list, and reports nothing again of what is open."}},
			"none runs": {ask(func(q *Question) { q.Running, q.Unasked = nil, "no informerd runs with the state in state" }),
				[]string{"no informerd runs with the state in state: what is reported already is not known here."}},
			"later": {ask(func(q *Question) { q.Now = now.Add(time.Hour) }), []string{
				"it is taken to be 2000-01-01T01:00:00Z, but for what the running informerd remembers, whose times are as of the real time."}},
			"one rule": {ask(func(q *Question) { q.Rules = []string{"slow"} }), nil},
			"a checkpoint": {ask(func(q *Question) { q.Running.Checkpoint = now }), []string{
				"no informerd runs: the listener goes on with what the checkpoint of 2000-01-01T00:00:00Z has, as a restart does."}},
			"a checkpoint without the object": {ask(func(q *Question) {
				q.Running.Checkpoint, q.Running.Has = now, false
			}), []string{
				"no informerd runs: the listener goes on with what the checkpoint of 2000-01-01T00:00:00Z has, as a restart does.",
				"the checkpoint of 2000-01-01T00:00:00Z does not know this object."}},
			"a checkpoint of others": {ask(func(q *Question) {
				q.Running.Checkpoint, q.Running.Listener = now, false
			}), []string{
				"no informerd runs: the listener goes on with what the checkpoint of 2000-01-01T00:00:00Z has, as a restart does.",
				"the checkpoint has nothing of this listener, which begins with a list."}},
			"another rule": {ask(func(q *Question) { q.Rules = []string{"clock"} }), []string{
				"now no violation of rule clock is open, as far as the listener has seen the object."}},
			"others": {ask(func(q *Question) { q.Rules, q.Running.Rules = []string{"clock", "once"}, nil }), []string{
				"now no violation of these rules is open, as far as the listener has seen the object."}},
		} {
			a := answered(t, cfg, c.q)
			if got, want := strings.Join(a.Notes, "\n"), strings.Join(c.want, "\n"); got != want {
				t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
			}
			if name == "later" && !strings.Contains(a.Verdicts[1], "reported in 9m if that lasts") {
				t.Errorf("%q", a.Verdicts)
			}
		}
	})
}

// A page explains with a later plan, which may not have an output of the listener any more.
func TestPagesExplainOpenViolations(t *testing.T) {
	const outputs = "outputs: {out: {stdout: {}}, gone: {file: {path: a}}}"
	text := strings.Replace(head, "outputs: {out: {stdout: {}}}", outputs, 1) +
		`  rules: {informer: {resource: pods}, rules: [{name: r, repeat: 1h, deny: object.n > 1}], outputs: [out, gone]}`
	before, mistakes := Compile(parse(t, text), nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	p, mistakes := Compile(parse(t, strings.NewReplacer(outputs, "outputs: {out: {stdout: {}}}",
		"[out, gone]", "[out]").Replace(text)), nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	q := question(t, "resync", numbered("2"), "")
	e, err := q.event(before.Listeners[0].Config.Informer())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	var page strings.Builder
	if err := p.Explain(before.Listeners[0], e, nil, memory.Rules{{Rule: "r", Violated: true,
		Since: now, Reported: now, To: []string{"out"}}}, &page); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "\nThe next repeat goes to the output out.\n") {
		t.Error(page.String())
	}
}
