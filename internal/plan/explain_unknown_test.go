package plan

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/plan/scope"
)

// What was decided earlier by the clock or by other objects is not taken for what it is now.
func TestExplainOfWhatMoves(t *testing.T) {
	cfg := parse(t, head+`
  rules:
    informer: {resource: pods}
    rules:
      - {name: aged, deny: age() > "1h"}
      - {name: lonely, deny: 'cached("nodes", "", object.spec.nodeName) == nil', message: object.metadata.name}
    outputs: [out]
  set: {informer: {resource: pods}, resync: 1m, select: age() > "1h", outputs: [out]}
  chosen: {informer: {resource: pods}, select: age() > "1h", rules: [{name: n, deny: object.spec.nodeName == "n"}], outputs: [out]}
informers: {nodes: {resource: nodes}}
`)
	const (
		old   = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","creationTimestamp":"2020-01-01T00:00:00Z"},"spec":{"nodeName":"n"}}`
		young = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","creationTimestamp":"2999-01-01T00:00:00Z"},"spec":{"nodeName":"n"}}`
		looks = " looks at the clock or at other objects: "
		rule  = "The rule" + looks + "it is evaluated again every minute, and what it was before this update is not known here.\n"
	)
	for name, c := range map[string]struct {
		listener, op, object, old string
		want, not                 []string
	}{
		"violated": {"rules", "update", old, young, []string{
			rule + `The object violates the rule, which is reported at once, unless it did so before this update: "aged"`,
			`The object violates the rule, which is reported at once, unless it did so before this update: "web"`,
		}, []string{"of the old object", "again: "}},
		"kept": {"rules", "update", young, old, []string{
			rule + "The object does not violate the rule. If it did before, that is resolved, which is reported to the outputs that got it.\nThe report of its end goes to the output out.\n",
		}, []string{"of the old object"}},
		"gone": {"rules", "delete", young, "", []string{
			"The object is gone: an open violation, if there is one, is resolved, which is reported to the outputs that got it.\nThe report of its end goes to the output out.\n",
		}, []string{"nothing is reported"}},
		"selected": {"set", "update", old, young, []string{
			"The object is selected. This is an update if it was before, which is not known here; else it is an add.\n",
			"\nIf the object was selected before, as an update:\n\nThere is no filter: the event goes to the output out.\n",
			"\nIf the object was not selected before, as an add:\n\nThere is no filter: the event goes to the output out.\n",
		}, []string{"of the old object"}},
		"not selected": {"set", "update", young, old, []string{
			"The object is not selected. To the listener this is a delete if it was before, which is not known here; else nothing comes of the event.\n\nIf the object was selected before, as a delete:\n\nThere is no filter: the event goes",
		}, []string{"of the old object", "as an add"}},
		"not selected yet": {"set", "add", young, "", []string{
			"The object is not selected yet: nothing comes of the event. If it is selected later, that is an add.\n",
		}, []string{"goes to"}},
		"a resync": {"set", "resync", old, "", []string{
			"The object is selected. This is a resync if it was before, which is not known here; else it is an add.\n",
			"\nIf the object was not selected before, as an add:\n",
		}, nil},
		"a delete": {"set", "delete", young, "", []string{
			"The object is not selected. To the listener this is a delete if it was before, which is not known here",
			"as a delete:\n\nThere is no filter: the event goes",
		}, []string{"as an add"}},
		"a delete of what is selected": {"set", "delete", old, "", []string{
			"The object is gone. To the listener this is a delete if it was selected, which is not known here; else nothing comes of the event.\n",
		}, []string{"as an add"}},
		"entered the rules": {"chosen", "update", old, old, []string{
			`The object violates the rule, which is reported at once, unless it did so before this update: "n"`,
		}, []string{"not reported again"}},
		"left the rules": {"chosen", "delete", old, "", []string{
			"The object is gone: an open violation, if there is one, is resolved",
		}, nil},
	} {
		q := question(t, c.op, c.object, c.old)
		q.Lookups = map[string][]ObjectFile{"nodes": nil}
		got := explain(t, cfg, c.listener, q)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s:\n%s\nwant %s", name, got, want)
			}
		}
		for _, not := range c.not {
			if strings.Contains(got, not) {
				t.Errorf("%s:\n%s\nwant no %s", name, got, not)
			}
		}
	}
}

// If it is not known whether an object was selected, both cases are in what becomes of the event.
func TestExplainIfTheSelectMoves(t *testing.T) {
	cfg := parse(t, head+`
  set: {informer: {resource: pods}, resync: 1m, select: 'cached("nodes", "", "n") == nil || object.n == 1', filter: op != "update", outputs: [out]}
  rules: {informer: {resource: pods}, resync: 1m, select: 'cached("nodes", "", "n") == nil || object.n == 1', rules: [{name: r, for: 5m, deny: object.n > 0}], outputs: [out]}
informers: {nodes: {resource: nodes}}
`)
	pod := func(n string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"n":` + n + `}`
	}
	there := []ObjectFile{{Path: "n", JSON: []byte(
		`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`)}}
	for _, c := range []struct {
		listener, op, n string
		nodes           []ObjectFile
		want            string
		otherwise       string
	}{
		{"set", "update", "2", nil, "if it was selected: update: does not match; if not: add by update -> out", "matches"},
		{"set", "resync", "2", nil, "if it was selected: resync -> out; if not: add by resync -> out", "matches"},
		{"set", "update", "2", there, "if it was selected: delete by update -> out", ""},
		{"set", "delete", "2", nil, "if it was selected: delete -> out", ""},
		{"set", "add", "2", nil, "add -> out", ""},
		{"set", "add", "2", there, "not selected yet", ""},
		{"rules", "update", "2", nil, "rule r: violated, which is reported when it has lasted for 5m, unless that was reported before -> out", ""},
		{"rules", "update", "2", there, "if it was selected: rule r: ends an open violation, if there is one that had lasted for 5m -> out", ""},
		{"rules", "resync", `"a"`, nil, "rule r: fails: what is known of the object stays as it is", ""},
		{"rules", "update", "0", there, "if it was selected: no rule was violated", ""},
	} {
		old := ""
		if c.op == "update" {
			old = pod(c.n)
		}
		q := question(t, c.op, pod(c.n), old)
		q.Lookups = map[string][]ObjectFile{"nodes": c.nodes}
		a, err := Answer(cfg, nil, c.listener, q)
		if err != nil {
			t.Fatal(err)
		}
		otherwise := ""
		if a.Otherwise != nil {
			otherwise = a.Otherwise.Result
		}
		if got := strings.Join(a.Verdicts, "; "); got != c.want || otherwise != c.otherwise {
			t.Errorf("%s, %s of %s: %s, %s\nwant %s, %s", c.listener, c.op, c.n, got, otherwise,
				c.want, c.otherwise)
		}
	}
}

// If an output looks at since, it is noted once of each time that it is not that of the violation.
func TestExplainOfSince(t *testing.T) {
	cfg := parse(t, strings.Replace(head, "stdout: {}", "stdout: {}, data: '{at: since}'", 1)+`
  rules: {informer: {resource: pods}, rules: [{name: r, for: 5m, deny: object.n > 1}, {name: s, deny: object.n > 1}], outputs: [out]}
`)
	pod := func(n string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"n":` + n + `}`
	}
	note := func(as string) string {
		return "\nNote: since is taken to be " + as + ": when the violation began is not known.\n"
	}
	now, before := note("the time of this question"), note("5m before the time of this question")
	notes := regexp.MustCompile(`\nNote: since .*\n`)
	for _, c := range []struct {
		op, n, old string
		want       string
	}{{"add", "2", "", ""}, {"update", "2", "1", ""}, {"update", "3", "2", now},
		{"update", "1", "2", before + now}, {"delete", "2", "", before + now}} {
		old := ""
		if c.old != "" {
			old = pod(c.old)
		}
		got := explain(t, cfg, "rules", question(t, c.op, pod(c.n), old))
		if strings.Join(notes.FindAllString(got, -1), "") != c.want {
			t.Errorf("%s of %s, before %s:\n%s\nwant %s", c.op, c.n, c.old, got, c.want)
		}
	}
}

// That an add has no changes is noted only if an expression has looked for them.
func TestExplainNotesThatOldIsMissing(t *testing.T) {
	cfg := parse(t, head+`
  looks: {informer: {resource: pods}, filter: object.n == 1 && !changed("spec"), outputs: [out]}
`)
	for n, want := range map[string]bool{"1": true, "2": false} {
		got := explain(t, cfg, "looks", question(t, "add",
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"n":`+n+`}`, ""))
		if strings.Contains(got, "Note: old, changed and became are about updates") != want {
			t.Errorf("%s:\n%s\nwant it: %t", n, got, want)
		}
	}
}

// What is odd about a question is noted, and what is taken for granted.
func TestNotesOfExplain(t *testing.T) {
	cfg := parse(t, head+`
  pods: {informer: {resource: pods}, filter: '!initial', outputs: [out]}
  shop: {informer: {resource: pods, namespaces: [shop]}, outputs: [out]}
`)
	pod := func(version string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"pay","resourceVersion":"` + version + `"}}`
	}
	const assumed = "└─ initial = false\nNote: initial is false here; pass --initial for an object of the first list.\n"
	for name, c := range map[string]struct {
		change func(*Question)
		old    string
		want   string
		not    bool
	}{
		"swapped": {nil, pod("11"),
			"Note: the old object has a later version (11) than the object (9): they may have been swapped\n", false},
		"the same": {nil, pod("9"), "Note: the object and the old one are the same: ", false},
		"earlier":  {nil, pod("8"), "Note: ", true},
		"supposed": {func(q *Question) { q.Supposed = true }, "",
			"Note: this is what would come of the object if it were added now; --op and --old FILE ask about another event\n", false},
		"not initial": {nil, "", "", false},
		"initial":     {func(q *Question) { q.Initial = true }, "", "Note: ", true},
	} {
		op := "add"
		if c.old != "" {
			op = "update"
		}
		q := question(t, op, pod("9"), c.old)
		if c.change != nil {
			c.change(&q)
		}
		if got := explain(t, cfg, "pods", q); strings.Contains(got, c.want) == c.not {
			t.Errorf("%s:\n%s\nwant %s", name, got, c.want)
		}
	}
	if got := explain(t, cfg, "pods", question(t, "add", pod("9"), "")); strings.Count(got,
		"Note: initial is false") != 1 {
		t.Errorf("%s\nwant %s", got, assumed)
	}
	var out bytes.Buffer
	var unwatched *scope.UnwatchedError
	if err := Explain(cfg, nil, "shop", question(t, "add", pod("9"), ""), &out); !errors.As(err,
		&unwatched) || !strings.HasSuffix(out.String(),
		"\nThe listener gets no event of this object: the informer watches only the namespaces shop.\n") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// A summary is one line for each object.
func TestSummaries(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}}, few: {stdout: {}, when: object.n == 7}}
informers: {nodes: {resource: nodes}}
listeners:
  plain: {informer: {resource: pods}, outputs: [out, few]}
  filtered: {informer: {resource: pods}, filter: object.n > 1, outputs: [out]}
  set: {informer: {resource: pods}, select: object.n > 1, outputs: [out]}
  shop: {informer: {resource: pods, namespaces: [pay]}, outputs: [out]}
  handled: {informer: {resource: pods}, handler: {wasm: my.wasm}, outputs: [out]}
  aged: {informer: {resource: pods}, rules: [{name: old, deny: 'object.n > 1 && age() > "1h"'}], outputs: [out, few]}
  looks: {informer: {resource: pods}, rules: [{name: r, deny: 'cached("nodes", "", "n") == nil'}], outputs: [out]}
  rules: {informer: {resource: pods}, rules: [{name: large, deny: object.n > 1}, {name: slow, for: 5m, deny: object.n > 2}], outputs: [out, few]}
`)
	pod := func(n string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"n":` + n + `}`
	}
	for _, c := range []struct{ listener, n, old, want string }{
		{"plain", "1", "", "add -> out (not few)"},
		{"plain", "7", "", "add -> out, few"},
		{"filtered", "1", "", "add: does not match"},
		{"filtered", `"a"`, "", "add: the filter fails"},
		{"set", "1", "", "not selected"},
		{"set", "1", "0", "not selected"},
		{"shop", "1", "", "not watched: the informer watches only the namespaces pay"},
		{"handled", "1", "", "add -> the handler"},
		{"looks", "1", "", "rule r: cannot be told without the objects of nodes"},
		{"rules", "1", "", "no rule is violated"},
		{"rules", "2", "", "rule large: violated, which is reported at once -> out (not few)"},
		{"rules", `"a"`, "", "rule large: fails: that makes a dead letter, and what is known of the object stays as it is; rule slow: fails: that makes a dead letter, and what is known of the object stays as it is"},
		{"rules", "4", "3", "rule large: violated as before; rule slow: violated as before: reported when it has lasted for 5m, unless that was reported already -> out (not few)"},
		{"aged", "1", "", "no rule is violated"},
		{"aged", "1", "1", "rule old: not violated (ends an open violation, if there is one -> out (not few))"},
		{"rules", "2", "3", "rule large: violated as before; rule slow: resolved, if it had lasted for 5m -> out (not few)"},
		{"rules", "1", "2", "rule large: resolved -> out (not few)"},
	} {
		op := "add"
		if c.old != "" {
			op = "update"
			c.old = pod(c.old)
		}
		q := question(t, op, pod(c.n), c.old)
		a, err := Answer(cfg, nil, c.listener, q)
		got := a.Summary(false)
		if want := `Pod "shop/web": ` + c.want + "\n"; got != want || (err != nil) !=
			(c.listener == "shop" || c.listener == "looks") {
			t.Errorf("%s of %s: %v\n%s\nwant\n%s", c.listener, c.n, err, got, want)
		}
	}
}

// An object before an update that is of another kind is to blame, and not the listener.
func TestExplainOfAnOldObjectOfAnotherKind(t *testing.T) {
	cfg := parse(t, head+`
  pods: {informer: {resource: pods}, outputs: [out]}
`)
	of := func(version, kind string) string {
		return `{"apiVersion":"` + version + `","kind":"` + kind + `","metadata":{"name":"web"}}`
	}
	q := question(t, "update", of("v1", "Pod"), of("apps/v1", "Deployment"))
	const want = "old.json: this is a Deployment (apps), and the object is a Pod: an update is about one object, before and after it"
	if _, err := Answer(cfg, nil, "pods", q); err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	q = question(t, "update", of("v1", "Pod"), of("v1", "Pod"))
	if _, err := Answer(cfg, nil, "pods", q); err != nil {
		t.Error(err)
	}
}
