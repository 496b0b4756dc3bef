package plan

import (
	"strings"
	"testing"
)

// What asks one value for what excludes itself lets nothing through; the rest of a listener goes
// out as it does otherwise.
func TestWhatExcludesItself(t *testing.T) {
	const never = "object.spec.replicas > 5 && object.spec.replicas < 3"
	const nothing = "out: nothing, since no event can match"
	for listener, want := range map[string]string{
		"filter: " + never: nothing,
		"filter: object.spec.replicas == nil && object.spec.replicas > 1": nothing,
		`filter: op == "delete" && old.spec.x == 1`:                       nothing,
		`filter: age() > "1h" && age() < "30m"`:                           nothing,
		`filter: 'object.spec.x in ["a", "b"] && object.spec.x == "c"'`:   nothing,
		"select: " + never:                                                                   nothing,
		"rules: [{name: a, deny: " + never + "}]":                                            nothing,
		"filter: " + never + ", rules: [{name: a, deny: " + never + "}]":                     nothing,
		"rules: [{name: a, deny: " + never + "}, {name: b, deny: object.spec.x == 1}]":       "out: what it reports of rule b",
		"filter: " + never + ", rules: [{name: a, deny: object.spec.x == 1}]":                "out: what its rules report",
		`filter: "true", rules: [{name: a, deny: ` + never + "}]":                            "out: events",
		"filter: " + never + ", handler: {wasm: a.wasm}, rules: [{name: a, deny: object.x}]": "out: what its rules report",
		"handler: {wasm: a.wasm}, rules: [{name: a, deny: " + never + "}]":                   "out: what the handler passes on or emits",
		"filter: object.spec.replicas > 5 || object.spec.replicas < 3":                       "out: events",
		`filter: 'quantity(object.spec.x) == "1Gi" && quantity(object.spec.x) == "1024Mi"'`:  "out: events",
	} {
		cfg := parse(t, head+"  a: {informer: {resource: deployments.apps}, "+listener+", outputs: [out]}\n")
		var out strings.Builder
		if err := writePlan(cfg, &out); err != nil {
			t.Fatal(listener, err)
		}
		if !strings.Contains(out.String(), "sends to           "+want+"\n") {
			t.Errorf("%s: there is no %s in\n%s", listener, want, &out)
		}
	}
}

// An output whose when excludes itself gets nothing.
func TestWhenExcludesItself(t *testing.T) {
	cfg := parse(t, strings.Replace(head, "{stdout: {}}",
		"{stdout: {}, when: object.spec.n > 5 && object.spec.n < 3}", 1)+
		"  a: {informer: {resource: pods}, outputs: [out]}\n")
	var out strings.Builder
	if err := writePlan(cfg, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "never gets         a: anything\n") {
		t.Error(&out)
	}
}

// Routing by labels and namespaces is seen where the filter, the select or the informer has it.
func TestRoutingByFields(t *testing.T) {
	cfg := parse(t, strings.Replace(head, "{out: {stdout: {}}}", `
  a: {file: {path: a.jsonl}, when: label("team") == "a"}
  b: {file: {path: b.jsonl}, when: label("team") == "b" || namespace == "b"}`, 1)+`
  filtered: {informer: {resource: pods, namespaces: [x]}, filter: label("team") == "a", outputs: [a, b]}
  limited: {informer: {resource: pods, labelSelector: team=b}, outputs: [a, b]}
  selected: {informer: {resource: pods, namespaces: [x]}, select: label("team") == "a", outputs: [b]}
  handled: {informer: {resource: pods}, filter: label("team") == "a", handler: {wasm: a.wasm}, outputs: [b]}
  judged: {informer: {resource: pods, namespaces: [x]}, select: label("team") == "a", rules: [{name: r, deny: object.spec.x == 1}], outputs: [b]}
`)
	var out strings.Builder
	if err := writePlan(cfg, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  gets messages of   filtered\n  never gets         limited: anything\n",
		"  gets messages of   limited, selected, handled\n  never gets         filtered: anything\n" +
			"                     selected: events add, update\n" +
			"                     judged: anything\n  when",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no\n%s\nin\n%s", want, &out)
		}
	}
}

// That deleted objects cannot be patched is the reason, whatever the when of the output is.
func TestOnlyDeletesForAPatch(t *testing.T) {
	cfg := parse(t, strings.Replace(head, "{out: {stdout: {}}}", `
  fix: {patch: {patch: '{"spec": nil}'}, when: label("team") == "b"}
  b: {file: {path: b.jsonl}, when: op != "delete"}`, 1)+`
  a: {informer: {resource: pods}, on: [delete], outputs: [fix, b]}
`)
	p, mistakes := Compile(cfg, nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	var out strings.Builder
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "fix: nothing, since a deleted object cannot be patched\n") ||
		!strings.Contains(out.String(), "b: nothing, since the when is false of all that it has\n") {
		t.Error(&out)
	}
	const want = "listeners.a sends nothing: none of its outputs takes what it has to send, and a deleted object cannot be patched"
	if all := p.Unused(); len(all) != 1 || all[0].Message != want {
		t.Errorf("got %v", all)
	}
}
