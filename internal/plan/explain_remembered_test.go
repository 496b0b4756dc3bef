package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/memory"
)

const rememberedConfig = `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  out: {stdout: {}}
  chat: {file: {path: chat}, when: severity == "high"}
  old: {file: {path: old}, when: 'violated == true || age(since) > "1m"'}
listeners:
  rules:
    informer: {resource: pods}
    resync: 1m
    select: object.n != 9
    rules:
      - {name: once, severity: high, deny: object.n > 1, message: '"n is " + string(object.n)'}
      - {name: slow, for: 10m, repeat: 1h, deny: object.n > 1}
      - {name: clock, deny: 'object.n > 1 && age("1990-01-01T00:00:00Z") > "1h"'}
    outputs: [out, chat, old]
  plain: {informer: {resource: pods}, outputs: [out]}
  both: {informer: {resource: pods}, rules: [{name: once, deny: object.n > 1}], filter: "true", outputs: [out]}
`

// Rules go on with what a running informerd remembers, whatever the event says of before.
func TestAnswersGoOnWithWhatIsRemembered(t *testing.T) {
	synctest.Test(t, answersGoOn) // the time stands still
}

func answersGoOn(t *testing.T) {
	cfg := parse(t, rememberedConfig)
	now := time.Now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	told := memory.Rule{Rule: "once", Violated: true, Since: ago(25 * time.Hour),
		Reported: ago(2 * time.Minute), To: []string{"chat", "old"}, Message: "n is 7"}
	again := told
	again.Rule, again.Reported = "slow", ago(57*time.Minute)
	onWay := told
	onWay.To, onWay.Waiting, onWay.Reported = []string{"chat"}, []string{"out"}, time.Time{}
	none := told
	none.To, none.Reported = nil, time.Time{}
	fresh := told
	fresh.Since = ago(time.Second)
	clock := told
	clock.Rule = "clock"
	waits := memory.Rule{Rule: "slow", Since: ago(4 * time.Minute), For: "10m",
		Next: now.Add(6 * time.Minute)}
	due := waits
	due.Since = ago(11 * time.Minute)
	since := "violated since " + told.Since.UTC().Format(time.RFC3339) + " (25h ago)"
	for name, c := range map[string]struct {
		op, is, was string
		rules       memory.Rules
		want        string // verdicts that are about rules, without what others say
		reported    string // by the rule that is remembered
		says        string
	}{
		"reported": {"add", "2", "", memory.Rules{told},
			"rule once: " + since + ", reported to chat, old 2m ago; not reported again", "no",
			"The object violates the rule as before, " + strings.TrimPrefix(since, "violated ") +
				", reported to chat, old 2m ago; not reported again.\nIts message is \"n is 7\".\n" +
				"Such a report goes to the outputs chat, old; out takes such a report, and has none of this violation."},
		"repeated": {"resync", "2", "", memory.Rules{again},
			"rule slow: " + since + ", reported to chat, old 57m ago; again in 3m -> out, old (not chat)", "again",
			"The next repeat has the message \"slow\".\nThe next repeat goes to the outputs out, old; chat does not take it."},
		"on its way": {"update", "2", "1", memory.Rules{onWay},
			"rule once: " + since + ", reported to chat; the report to out is on its way, or waits",
			"on-its-way", ""},
		"told to nobody": {"update", "2", "2", memory.Rules{none},
			"rule once: " + since + "; no output has taken a report of that", "no", ""},
		"waits": {"update", "2", "1", memory.Rules{waits},
			"rule slow: violated for 4m, reported in 6m if that lasts, and again every 1h while it lasts -> out, old (not chat)",
			"later", "The object has violated the rule for 4m, and is reported in 6m if that lasts, and again every 1h while it lasts: \"slow\""},
		"has waited": {"update", "2", "2", memory.Rules{due},
			"rule slow: violated for 11m, which is reported at once, and again every 1h while it lasts -> out, old (not chat)",
			"now", ""},
		"ends": {"add", "1", "", memory.Rules{told},
			"rule once: its violation ends: resolved -> chat, old (not out)", "resolved",
			"The object does not violate the rule any more: the violation " + strings.TrimPrefix(since, "violated ") +
				" ends, which is reported to the outputs that got it, with its message: \"n is 7\"."},
		"ends at once": {"update", "1", "1", memory.Rules{fresh},
			"rule once: its violation ends: resolved -> chat (not out, old)", "resolved",
			"The report of its end goes to the output chat; out has no report of the violation, and does not get its end either; old has the violation and does not take its end."},
		"ends on its way": {"update", "1", "2", memory.Rules{onWay},
			"rule once: its violation ends: resolved -> chat (not old; perhaps out)", "resolved", ""},
		"ends, with the clock": {"update", "1", "1", memory.Rules{clock},
			"rule clock: its violation ends: resolved -> old (not out, chat)",
			"resolved", ""},
		"waits no more": {"add", "1", "", memory.Rules{waits}, "no rule is violated", "no",
			"The object does not violate the rule any more: it violated the rule for 4m, and nothing is reported of that."},
		"is gone": {"delete", "2", "", memory.Rules{told},
			"rule once: its violation ends: resolved -> chat, old (not out)", "resolved",
			"The object is gone: the violation "},
		"is gone while it waits": {"delete", "2", "", memory.Rules{waits}, "", "no",
			"The object is gone: it violated the rule for 4m, and nothing is reported of that."},
		"is not selected any more": {"add", "9", "", memory.Rules{told},
			"rule once: its violation ends: resolved -> chat, old (not out)", "resolved",
			"The object has left what the listener looks at: the violation "},
		"fails": {"add", `"a"`, "", memory.Rules{told},
			"rule once: fails: that makes a dead letter, and what is known of the object stays as it is",
			"unknown", ""},
	} {
		q := question(t, c.op, numbered(c.is), "")
		if c.was != "" {
			q = question(t, c.op, numbered(c.is), numbered(c.was))
		}
		q.Running = &memory.Object{Listener: true, Has: true, UID: "u1", Rules: c.rules,
			Digest: ListenerDigest(cfg, cfg.Listeners["rules"])}
		a, err := Answer(cfg, nil, "rules", q)
		if err != nil {
			t.Fatal(err)
		}
		var says []string
		reported := ""
		for _, r := range a.Rules {
			if r.Remembered != nil {
				reported = r.Reported
				says = append(says, r.Says...)
			}
			if m := r.Remembered; (m != nil) != (r.Name == c.rules[0].Rule) ||
				m != nil && (m.Since != c.rules[0].Since || m.Rule != "") {
				t.Errorf("%s: rule %s: %+v", name, r.Name, m)
			}
		}
		got := strings.Join(a.Verdicts, " | ")
		if !strings.Contains(" | "+got+" | ", " | "+c.want+" | ") && c.want != "" ||
			reported != c.reported || !strings.Contains(strings.Join(says, "\n"), c.says) {
			t.Errorf("%s: %s, %s\nwant %s, %s, %q\n%s", name, got, reported, c.want, c.reported,
				c.says, strings.Join(says, "\n"))
		}
	}
}

func numbered(n string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u1"},"n":%s}`, n)
}

// What a running informerd does not know is said, and is no memory.
func TestAnswersSayWhatARunningInformerdKnows(t *testing.T) {
	synctest.Test(t, answersSayWhatIsKnown)
}

func answersSayWhatIsKnown(t *testing.T) {
	cfg := parse(t, rememberedConfig)
	digest := func(cfg *config.Config, name string) string {
		return ListenerDigest(cfg, cfg.Listeners[name])
	}
	same := digest(cfg, "rules")
	told := memory.Rules{{Rule: "once", Violated: true, Since: time.Now()}}
	const none = "now the object violates no rule, as far as the listener has seen it."
	for name, c := range map[string]struct {
		listener string
		running  memory.Object
		notes    []string
		goesOn   bool
	}{
		"no listener": {"rules", memory.Object{Rules: told}, []string{
			"the running informerd does not have this listener; informerd reload brings it."}, false},
		"idle": {"rules", memory.Object{Listener: true, Digest: same, Idle: "it stands by", Has: true,
			UID: "u1", Rules: told},
			[]string{"at the running informerd, the listener gets no events, so what is reported already is not known here: it stands by", supposed,
				"since is taken to be the time of this question: when the violation began is not known."}, false},
		"no object": {"rules", memory.Object{Listener: true, Digest: same, Rules: told},
			[]string{"the running informerd does not know this object.", supposed}, false},
		"another object": {"rules", memory.Object{Listener: true, Digest: same, Has: true, UID: "u0",
			Rules: told}, []string{
			"the running informerd knows another object of this name, with another uid.", supposed}, false},
		"nothing": {"rules", memory.Object{Listener: true, Digest: same, Has: true, UID: "u1"},
			[]string{none}, false},
		"events as well": {"both", memory.Object{Listener: true, Digest: digest(cfg, "both"), Has: true,
			UID: "u1", Rules: told}, []string{supposedButRules}, true},
		"no rules": {"plain", memory.Object{Listener: true, Digest: digest(cfg, "plain"), Has: true,
			UID: "u1"}, []string{supposed}, false},
		"another configuration": {"rules", memory.Object{Listener: true, Digest: "x", Has: true,
			UID: "u1", Rules: told}, []string{
			"the running informerd has another configuration of this listener: the answer is for the given one, after informerd reload."}, true},
	} {
		q := question(t, "add", numbered("2"), "")
		q.Supposed, q.Running = true, &c.running
		a, err := Answer(cfg, nil, c.listener, q)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(a.Notes, "\n"), strings.Join(c.notes, "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
		text, err := json.Marshal(a)
		if err != nil || strings.Contains(string(text), `"remembered":{"violated":true,"since":"`) != c.goesOn {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// The digest of a listener is that of all that decides what it does.
func TestListenerDigests(t *testing.T) {
	const text = `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}}, file: {file: {path: a}}}
informers: {nodes: {resource: nodes}}
listeners:
  a: {informer: {resource: pods}, filter: 'cached("nodes", "", "n") != nil', outputs: [out]}
  b: {informer: {resource: pods}, outputs: [file]}
`
	of := func(text string) string {
		cfg := parse(t, text)
		return ListenerDigest(cfg, cfg.Listeners["a"])
	}
	is := of(text)
	for change, same := range map[[2]string]bool{
		{"kind: Config", "kind: Config # one"}:                                   true,
		{"path: a", "path: b"}:                                                   true, // another output
		{"resource: nodes", "resource: nodes, labelSelector: a=b"}:               false,
		{"{resource: pods}, filter", "{resource: pods, drop: [spec.x]}, filter"}: false,
		{"stdout: {}", "stdout: {}, when: \"true\""}:                             false,
		{"!= nil", "== nil"}:                                                     false,
	} {
		changed := strings.Replace(text, change[0], change[1], 1)
		if changed == text || (of(changed) == is) != same {
			t.Errorf("%q: the same: %t, want %t", change, of(changed) == is, same)
		}
	}
}

// With a configuration that a restart alone brings, a listener goes on or begins with a list.
func TestAnswersForARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := parse(t, rememberedConfig)
		const refuses = "a reload of the running informerd refuses this configuration, since this needs a restart: cluster. The answer is for that."
		for _, c := range []struct {
			listener       string
			goesOn         bool
			verdict, notes string
		}{
			{"both", false, "rule once: violated, which is reported at once -> out; add -> out", refuses +
				"\nthe listener begins with a list then, and what violates a rule is reported, also what was reported before."},
			{"both", true, "rule once: violated since 00:00:00Z (0s ago), reported to out 0s ago; not reported again; if it were added now: add -> out",
				refuses + "\n" + supposedButRules},
		} {
			q := question(t, "add", numbered("2"), "")
			q.Supposed, q.Restart, q.GoesOn = true, []string{"cluster"}, c.goesOn
			q.Running = &memory.Object{Listener: true, Digest: "x", Has: true, UID: "u1",
				Rules: memory.Rules{{Rule: "once", Violated: true, Since: time.Now(),
					Reported: time.Now(), To: []string{"out"}}}}
			a, err := Answer(cfg, nil, c.listener, q)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(a.Verdicts, "; "); got != c.verdict {
				t.Errorf("got  %s\nwant %s", got, c.verdict)
			}
			if got := strings.Join(a.Notes, "\n"); got != c.notes {
				t.Errorf("got  %s\nwant %s", got, c.notes)
			}
		}
	})
}
