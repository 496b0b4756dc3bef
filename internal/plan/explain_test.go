package plan

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/pkg/informer/event"
)

func question(t *testing.T, op, object, old string) Question {
	t.Helper()
	q := Question{Object: ObjectFile{Path: "new.json", JSON: []byte(object)}}
	if old != "" {
		q.Old = ObjectFile{Path: "old.json", JSON: []byte(old)}
	}
	var err error
	if q.Op, err = event.ParseOp(op); err != nil {
		t.Fatal(err)
	}
	return q
}

func explain(t *testing.T, cfg *config.Config, listener string, q Question) string {
	t.Helper()
	var out bytes.Buffer
	if err := Explain(cfg, nil, listener, q, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestExplain(t *testing.T) {
	cfg := parse(t, head+`
  plain: {informer: {resource: pods}, outputs: [out]}
  deletes: {informer: {resource: pods}, on: [delete], outputs: [out]}
  handled: {informer: {resource: pods}, filter: op == "add", handler: {wasm: my.wasm}, outputs: [out]}
  filtered: {informer: {resource: pods}, filter: object.n > 1, outputs: [out]}
  set: {informer: {resource: pods}, select: object.n == 1, filter: op == "add", outputs: [out]}
  rules:
    informer: {resource: pods}
    select: object.n != 9
    rules:
      - {name: large, severity: low, deny: object.n > 1}
      - {name: told, severity: info, for: 1m, deny: object.n == 2, message: '"n of " + object.metadata.name'}
    outputs: [out]
  both: {informer: {resource: pods}, filter: "true", rules: [{name: large, deny: object.n > 1}], outputs: [out]}
`)
	const began = `, with the message that it began with (by the state before: "n of web")`
	const eventsStay = "\nThe listener has rules and neither a filter nor a handler: it sends no events.\n"
	const ended = "The object violated the rule before this update, and does not any more: the violation is resolved, which is reported to the outputs that got it"
	const end = "The report of its end goes to the output out.\n"
	for name, c := range map[string]struct{ listener, op, n, old, want string }{
		"no expression": {
			"plain", "add", "1", "", "\nThere is no filter: the event goes to the output out.\n"},
		"another op": {
			"deletes", "add", "1", "", "\nThe listener wants delete: the event goes no further.\n"},
		"resync is not on": {
			"plain", "resync", "1", "",
			"The listener has no resync period: it gets no such event.\n"},
		"handler": {
			"handled", "add", "1", "",
			"\nfilter:\ntrue   op == \"add\"\n└─ op = \"add\"\nThe event matches: it goes to the handler my.wasm. What that emits goes to the output out; to see it: informerd plugin run -c " + cfg.File() + " -l handled --event OBJECT\n"},
		"refused": {
			"filtered", "update", "1", "2",
			"\nfilter:\nfalse  object.n > 1\n└─ object.n = 1\nThe event does not match.\n"},
		"failed": {
			"filtered", "add", `"a"`, "",
			"\nfilter:\nerror  object.n > 1\n└─ object.n = \"a\"\nerror: " + cfg.File() +
				":9:59: listener \"filtered\": \">\" cannot order string and int\nThe filter failed: the event is given up.\n"},
		"not selected": {
			"set", "add", "2", "",
			"\nselect, of the object:\nfalse  object.n == 1\n└─ object.n = 2\nThe object is not selected: nothing comes of the event.\n"},
		"never selected": {
			"set", "update", "2", "3",
			"\nselect, of the object:\nfalse  object.n == 1\n└─ object.n = 2\n\nselect, of the old object:\nfalse  object.n == 1\n└─ object.n = 3\nThe object neither was selected nor is: nothing comes of the event.\n"},
		"enters": {
			"set", "update", "1", "3",
			"\nselect, of the object:\ntrue   object.n == 1\n└─ object.n = 1\n\nselect, of the old object:\nfalse  object.n == 1\n└─ object.n = 3\nThe object enters the set: to the listener this is an add.\n\nfilter:\ntrue   op == \"add\"\n└─ op = \"add\"\nThe event matches: it goes to the output out.\n"},
		"leaves": {
			"set", "update", "2", "1",
			"\nselect, of the object:\nfalse  object.n == 1\n└─ object.n = 2\n\nselect, of the old object:\ntrue   object.n == 1\n└─ object.n = 1\nThe object leaves the set: to the listener this is a delete of its old state.\n\nfilter:\nfalse  op == \"add\"\n└─ op = \"delete\"\nThe event does not match.\n"},
		"stays": {
			"set", "update", "1", "1",
			"Note: the object and the old one are the same: an API server sends no update without a change\n\nselect, of the object:\ntrue   object.n == 1\n└─ object.n = 1\n\nselect, of the old object:\ntrue   object.n == 1\n└─ object.n = 1\nThe object was selected and is: this is an update.\n\nfilter:\nfalse  op == \"add\"\n└─ op = \"update\"\nThe event does not match.\n"},
		"rules, violated": {
			"rules", "add", "2", "",
			"\nselect, of the object:\ntrue   object.n != 9\n└─ object.n = 2\n\nrule large (low), deny:\ntrue   object.n > 1\n└─ object.n = 2\nThe object violates the rule, which is reported at once: \"large\"\nThe report goes to the output out.\n\nrule told (info), deny:\ntrue   object.n == 2\n└─ object.n = 2\n\nrule told, message:\n\"n of \" + object.metadata.name = \"n of web\"\n└─ object.metadata.name = \"web\"\nThe object violates the rule, which is reported when it has lasted for 1m: \"n of web\"\nThe report goes to the output out.\n" + eventsStay},
		"rules, kept": {
			"rules", "update", "1", "2",
			"\nselect, of the object:\ntrue   object.n != 9\n└─ object.n = 1\n\nselect, of the old object:\ntrue   object.n != 9\n└─ object.n = 2\nThe object was selected and is: this is an update.\n\nrule large (low), deny:\nfalse  object.n > 1\n└─ object.n = 1\n\nrule large (low), deny, of the old object:\ntrue   object.n > 1\n└─ object.n = 2\n" + ended + ".\n" + end + "\nrule told (info), deny:\nfalse  object.n == 2\n└─ object.n = 1\n\nrule told (info), deny, of the old object:\ntrue   object.n == 2\n└─ object.n = 2\n" + ended + ", if it had lasted for 1m" + began + ".\n" + end + eventsStay},
		"rules, before as well": {
			"both", "update", "3", "2",
			"\nrule large (medium), deny:\ntrue   object.n > 1\n└─ object.n = 3\n\nrule large (medium), deny, of the old object:\ntrue   object.n > 1\n└─ object.n = 2\nThe object violated the rule before this update, too: it is not reported again.\n\nfilter:\ntrue   true\nThe event matches: it goes to the output out.\n"},
		"rules, neither": {
			"both", "update", "1", "0",
			"\nrule large (medium), deny:\nfalse  object.n > 1\n└─ object.n = 1\n\nrule large (medium), deny, of the old object:\nfalse  object.n > 1\n└─ object.n = 0\nThe object does not violate the rule.\n\nfilter:\ntrue   true\nThe event matches: it goes to the output out.\n"},
		"rules, entered": {
			"rules", "update", "2", "9",
			"\nselect, of the object:\ntrue   object.n != 9\n└─ object.n = 2\n\nselect, of the old object:\nfalse  object.n != 9\n└─ object.n = 9\nThe object enters the set: to the listener this is an add.\n\nrule large (low), deny:\ntrue   object.n > 1\n└─ object.n = 2\nThe object violates the rule, which is reported at once: \"large\"\nThe report goes to the output out.\n\nrule told (info), deny:\ntrue   object.n == 2\n└─ object.n = 2\n\nrule told, message:\n\"n of \" + object.metadata.name = \"n of web\"\n└─ object.metadata.name = \"web\"\nThe object violates the rule, which is reported when it has lasted for 1m: \"n of web\"\nThe report goes to the output out.\n" + eventsStay},
		"rules, left": {
			"rules", "update", "9", "3",
			"\nselect, of the object:\nfalse  object.n != 9\n└─ object.n = 9\n\nselect, of the old object:\ntrue   object.n != 9\n└─ object.n = 3\nThe object leaves the set: to the listener this is a delete of its old state.\n\nrule large (low), deny, of its last state:\ntrue   object.n > 1\n└─ object.n = 3\nThe object has left what the listener looks at: the violation is resolved, which is reported to the outputs that got it.\n" + end + "\nrule told (info), deny, of its last state:\nfalse  object.n == 2\n└─ object.n = 3\nThe object has left what the listener looks at, and did not violate the rule: nothing is reported.\n" + eventsStay},
		"rules, failed before": {
			"both", "update", "2", `"a"`,
			"\nrule large (medium), deny:\ntrue   object.n > 1\n└─ object.n = 2\n\nrule large (medium), deny, of the old object:\nerror  object.n > 1\n└─ object.n = \"a\"\nerror: " +
				cfg.File() + ":18:91: listener \"both\": rule \"large\": \">\" cannot order string and int\nThe rule failed: what was known of the object stayed as it was.\nThe object violates the rule, which is reported at once, unless it did so before this update: \"large\"\nThe report goes to the output out.\n\nfilter:\ntrue   true\nThe event matches: it goes to the output out.\n"},
		"rules, failed": {
			"both", "add", `"a"`, "",
			"\nrule large (medium), deny:\nerror  object.n > 1\n└─ object.n = \"a\"\nerror: " +
				cfg.File() + ":18:91: listener \"both\": rule \"large\": \">\" cannot order string and int\nThe rule failed: that makes a dead letter, and what is known of the object stays as it is.\n\nfilter:\ntrue   true\nThe event matches: it goes to the output out.\n"},
		"rules, deleted": {
			"both", "delete", "2", "",
			"\nrule large (medium), deny, of its last state:\ntrue   object.n > 1\n└─ object.n = 2\nThe object is gone: the violation is resolved, which is reported to the outputs that got it.\n" + end + "\nfilter:\ntrue   true\nThe event matches: it goes to the output out.\n"},
		"rules, unselected": {
			"rules", "delete", "9", "",
			"\nselect, of the object:\nfalse  object.n != 9\n└─ object.n = 9\nThe object is not selected: nothing comes of the event.\n"},
	} {
		object := func(n string) string {
			return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"n":` + n + `}`
		}
		old := ""
		if c.old != "" {
			old = object(c.old)
		}
		want := "listener " + c.listener + ", " + c.op + " of Pod \"shop/web\"\n" + c.want
		if got := explain(t, cfg, c.listener, question(t, c.op, object(c.n), old)); got != want {
			t.Errorf("%s:\n got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// The object is explained as the informer would bring it: without what it drops, and never with a
// Secret's data.
func TestExplainSeesWhatTheListenerWould(t *testing.T) {
	cfg := parse(t, head+`
  plain: {informer: {resource: secrets, allowSecrets: true}, filter: let o = object; o.metadata.managedFields == nil && object.data.key == "a2V5", outputs: [out]}
  drops: {informer: {resource: secrets, allowSecrets: true, drop: [data], keepManagedFields: true}, filter: let o = object; object.metadata.managedFields != nil && o.data == nil, outputs: [out]}
`)
	q := question(t, "add", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","managedFields":[{"manager":"kubectl"}]},"data":{"key":"a2V5"}}`, "")
	got := explain(t, cfg, "plain", q)
	if !strings.Contains(got, "true   o.metadata.managedFields == nil\n") ||
		!strings.Contains(got, "false  object.data.key == ") ||
		strings.Contains(strings.ReplaceAll(got, `== "a2V5"`, ""), "a2V5") {
		t.Error(got)
	}
	if got := explain(t, cfg, "drops", q); !strings.HasSuffix(got,
		"The event matches: it goes to the output out.\n") {
		t.Error(got)
	}
}

func TestWhatCannotBeExplained(t *testing.T) {
	cfg := parse(t, head+`
  pods: {informer: {resource: pods}, outputs: [out]}
  wrong: {informer: {resource: pods}, select: objekt.n, filter: object.n ==, rules: [{name: a, deny: old.n, message: object.metadata.name +}], outputs: [out]}
`)
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}}`
	for name, c := range map[string]struct {
		listener string
		q        Question
		want     string
	}{
		"near": {"pod", question(t, "add", pod, ""),
			`there is no listener "pod"; did you mean "pods"?; there are pods, wrong`},
		"far": {"services", question(t, "add", pod, ""),
			`there is no listener "services"; there are pods, wrong`},
		"list": {"pods",
			question(t, "add", `{"kind":"PodList","apiVersion":"v1","items":[]}`, ""),
			"new.json: this is a list: pass one object"},
		"no name": {"pods",
			question(t, "add", `{"kind":"Pod","apiVersion":"v1","metadata":{}}`, ""),
			"new.json: the Pod has no metadata.name"},
		"old, no name": {"pods",
			question(t, "update", pod, `{"kind":"Pod","apiVersion":"v1","metadata":{}}`),
			"old.json: the Pod has no metadata.name"},
		"a number for a name": {"pods",
			question(t, "add", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":7}}`, ""),
			"new.json: metadata.name is 7, and must be a text: put it in quotes"},
		"a text for metadata": {"pods",
			question(t, "add", `{"kind":"Pod","apiVersion":"v1","metadata":"web"}`, ""),
			"new.json: metadata is not a mapping: it has the object's name"},
		"no kind": {"pods", question(t, "add", `{"metadata":{"name":"web"}}`, ""),
			"new.json: this is not a Kubernetes object: it needs apiVersion and kind, as texts"},
		"another old object": {"pods", question(t, "update", pod,
			`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"shop"}}`),
			`old.json: this is "shop/web", and the object is "web": an update is about one object, before and after it`},
		"old with another uid": {"pods", question(t, "update",
			`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","uid":"1"}}`,
			`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","uid":"2"}}`),
			"old.json: this is another object of the same name, with another uid: to a listener that is a delete and an add, so explain each with --op"},
		"mistakes": {"wrong", question(t, "add", pod, ""),
			cfg.File() + `:7:47: listener "wrong": unknown name "objekt"; did you mean "object"?
  objekt.n
  ^
` + cfg.File() + `:7:75: listener "wrong": the expression ends too early
  object.n ==
            ^
` + cfg.File() + `:7:102: listener "wrong": rule "a": a rule looks at the object alone: it has no old; ask for that in the filter
  old.n
  ^
` + cfg.File() + `:7:139: listener "wrong": rule "a": the expression ends too early
  object.metadata.name +
                       ^`},
	} {
		var out bytes.Buffer
		err := Explain(cfg, nil, c.listener, c.q, &out)
		if err == nil || err.Error() != c.want || out.Len() > 0 {
			t.Errorf("%s:\n got %v\n%s\nwant %s", name, err, out.String(), c.want)
		}
		var mistakes config.Errors
		var unknown *answer.UnknownListenerError
		if errors.As(err, &mistakes) != (c.listener == "wrong") ||
			errors.As(err, &unknown) != (c.listener != "wrong" && c.listener != "pods") {
			t.Errorf("%s: %T", name, err)
		}
	}
}

// A select has three answers, and one that looks at the clock is said to be asked again.
func TestExplainOfASelectWithoutAnAnswer(t *testing.T) {
	cfg := parse(t, head+`
  order: {informer: {resource: pods}, select: object.n > 1, outputs: [out]}
  clock: {informer: {resource: pods}, select: age("2020-01-01T00:00:00Z") > "1h", outputs: [out]}
`)
	const failed = "The select failed: the object stays selected or not, as it was before.\n"
	for name, c := range map[string]struct{ listener, op, n, old, want string }{
		"it was in": {"order", "update", `"a"`, "2",
			failed + "The object was selected and is: this is an update.\n"},
		"it was out": {"order", "update", `"a"`, "1",
			failed + "The object neither was selected nor is: nothing comes of the event.\n"},
		"it was none":  {"order", "add", `"a"`, "", failed},
		"nobody knows": {"order", "update", `"a"`, `"b"`, failed},
		"it may have been in": {"order", "update", "2", `"b"`,
			"The object is selected. This is an update if it was before, which is not known here; else it is an add.\n"},
		"it may have been out": {"order", "update", "1", `"b"`,
			"The object is not selected. To the listener this is a delete if it was before, which is not known here; else nothing comes of the event.\n"},
		"by the clock": {"clock", "add", "1", "",
			"The select looks at the clock or at other objects: a listener remembers its answer, and evaluates it again every minute.\n\nThere is no filter"},
	} {
		object := func(n string) string {
			return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"n":` + n + `}`
		}
		old := ""
		if c.old != "" {
			old = object(c.old)
		}
		if got := explain(t, cfg, c.listener,
			question(t, c.op, object(c.n), old)); !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// Of the rules of a listener, those that are asked about are evaluated, and not the event itself.
func TestExplainOfSomeRules(t *testing.T) {
	cfg := parse(t, head+`
  rules:
    informer: {resource: nodes}
    select: object.n != 9
    filter: object.n > 5
    rules:
      - {name: large, deny: object.n > 1}
      - {name: small, deny: object.n < 1}
      - {name: lonely, deny: 'cached("pods", "shop", "web") == nil'}
    outputs: [out]
informers: {pods: {resource: pods}}
`)
	for _, c := range []struct{ rules, op, n, verdicts, stages string }{
		{"large", "add", "2", "rule large: violated, which is reported at once -> out", "large"},
		{"small", "add", "2", "rule small: not violated", "small"},
		{"small", "delete", "2", "no rule was violated", "small"},
		{"small large", "add", "1", "no rule is violated", "large small"},
		{"large", "add", "9", "not selected", ""},
	} {
		q := question(t, c.op,
			`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"n":`+c.n+`}`, "")
		q.Rules = strings.Fields(c.rules)
		a, err := Answer(cfg, nil, "rules", q) // lonely would be undecided
		if err != nil {
			t.Fatal(err)
		}
		var stages []string
		for _, r := range a.Rules {
			stages = append(stages, r.Name)
		}
		if got := strings.Join(a.Verdicts, "; "); got != c.verdicts || a.Event != nil ||
			strings.Join(stages, " ") != c.stages {
			t.Errorf("%+v: %s of %s, event %v", c, got, stages, a.Event)
		}
	}
}

// With another time, age counts to that, in the expressions of outputs as well.
func TestExplainAsOfAnotherTime(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}, when: 'age() > "2h"', data: '{since: since}'}}
listeners:
  rules: {informer: {resource: nodes}, rules: [{name: old, deny: 'age() > "1h"'}], outputs: [out]}
  set: {informer: {resource: nodes}, select: 'age() > "1h"', outputs: [out]}
`)
	born := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		listener string
		later    time.Duration
		want     string
	}{
		{"rules", time.Minute, "no rule is violated yet (rule old in 59m, which is seen within 1m)"},
		{"rules", 90 * time.Minute, "rule old: violated, which is reported at once -> no output (out does not take it)"},
		{"rules", 3 * time.Hour, "rule old: violated, which is reported at once -> out"},
		{"set", time.Minute, "not selected yet, but in 59m, which is seen within 1m"},
		{"set", 3 * time.Hour, "add -> out"},
	} {
		q := question(t, "add", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","creationTimestamp":"2040-01-01T00:00:00Z"}}`, "")
		q.Now = born.Add(c.later)
		a, err := Answer(cfg, nil, c.listener, q)
		if err != nil {
			t.Fatal(err)
		}
		note := "it is taken to be " + q.Now.Format(time.RFC3339) + "."
		if got := strings.Join(a.Verdicts, "; "); got != c.want || !slices.Contains(a.Notes, note) {
			t.Errorf("%s after %v: %s, %q\nwant %s", c.listener, c.later, got, a.Notes, c.want)
		}
		if c.listener == "rules" && c.later == 3*time.Hour {
			if got := string(a.Rules[0].Outputs[0].Made["data"]); got != `{"since":"2040-01-01T03:00:00Z"}` {
				t.Error(got)
			}
		}
	}
}
