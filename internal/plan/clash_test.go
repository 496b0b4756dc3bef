package plan

import (
	"slices"
	"strings"
	"testing"
)

// A rule that no selected object can violate is warned of; one that some could is not.
func TestRulesThatContradictTheSelect(t *testing.T) {
	for _, c := range []struct{ selects, deny, want string }{
		{`object.status.phase == "Failed"`, `object.status.phase == "Running"`,
			`its deny needs status.phase in ["Running"], and select status.phase in ["Failed"]`},
		{`object.status.phase in ["A", "B"] && label("a") == "b"`,
			`object.status.phase == "C" && age() > "1h"`,
			`its deny needs status.phase in ["C"], and select status.phase in ["A", "B"]`},
		{`object.metadata.namespace == "a"`, `object.metadata.namespace in ["b", "c"]`,
			`its deny needs namespace in ["b", "c"], and select namespace in ["a"]`},
		{`label("a") == "b"`, `label("a") == nil`,
			`its deny needs label("a") does not exist, and select label("a") in ["b"]`},
		{`label("a") == nil`, `label("a") != nil`,
			`its deny needs label("a") exists, and select label("a") does not exist`},
		{`object.spec.n != 1`, `object.spec.n == 1`,
			`its deny needs spec.n in [1], and select spec.n not in [1]`},
		{`object.spec.n == 1`, `object.spec.n == "1"`,
			`its deny needs spec.n in ["1"], and select spec.n in [1]`},

		{`object.status.phase in ["A", "B"]`, `object.status.phase == "B"`, ""},
		{`object.status.phase != "A"`, `object.status.phase in ["A", "B"]`, ""},
		{`object.status.phase == "A"`, `object.status.phase == "B" || label("a") == "b"`, ""},
		{`object.status.phase == "A"`, `object.status.reason == "B"`, ""},
		{`label("a") == "b"`, `label("c") == nil`, ""},
		{`any(object.spec.list, .a == "x")`, `any(object.spec.list, .a == "y")`, ""},
		{`quantity(object.spec.n) == "1"`, `quantity(object.spec.n) == "1000m"`, ""},
		{`object.status.phase == "A"`, `true`, ""},
		{`object.status.phase != "A"`, `object.status.phase != "B"`, ""},
		{`true`, `object.status.phase == "B"`, ""},
	} {
		cfg := parse(t, head+"  a:\n    informer: {resource: pods}\n    select: |\n      "+c.selects+
			"\n    rules:\n      - {name: fine, deny: 'true'}\n      - name: r\n        deny: |\n          "+
			c.deny+"\n    outputs: [out]\n")
		p, mistakes := Compile(cfg, nil)
		if len(mistakes) > 0 {
			t.Errorf("%s, %s: %v", c.selects, c.deny, mistakes)
			continue
		}
		var out strings.Builder
		if err := p.Write(&out); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range p.Unused() {
			got = append(got, w.Field+": "+w.Message)
		}
		var want []string
		if c.want != "" {
			want = []string{`listeners.a.rules[1].deny: listener "a": rule "r" is never violated: ` +
				c.want}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, %s: got %q, want %q", c.selects, c.deny, got, want)
		}
		if shown := strings.Contains(out.String(), "warning            rule \"r\" is never violated"); shown !=
			(c.want != "") {
			t.Errorf("%s, %s:\n%s", c.selects, c.deny, &out)
		}
	}
}

// What contradicts the informer, or a filter that contradicts the select, is warned of, where that
// is certain.
func TestExpressionsThatContradictTheInformer(t *testing.T) {
	for _, c := range []struct{ informer, listener, want string }{
		{`namespaces: [a, c]`, `filter: object.metadata.namespace == "b"`,
			`filter is never true: it needs namespace in ["b"], and the informer has namespace in ["a", "c"]`},
		{`namespaces: [a, c]`, `filter: 'object.metadata.namespace in ["c", "d"]'`, ""},
		{`labelSelector: "x=y,!z"`, `filter: label("x") == "z"`,
			`filter is never true: it needs label("x") in ["z"], and the informer has label("x") in ["y"]`},
		{`labelSelector: "x=y,!z"`, `select: label("z") != nil`,
			`select selects nothing: it needs label("z") exists, and the informer has label("z") does not exist`},
		{`labelSelector: "x!=y"`, `select: label("x") == "y"`,
			`select selects nothing: it needs label("x") in ["y"], and the informer has label("x") not in ["y"]`},
		{`labelSelector: "x!=y"`, `select: label("x") == nil`, ""},
		{`labelSelector: "x=y"`, `filter: became(label("x") == "y")`,
			`filter is never true: it needs old label("x") not in ["y"], and the informer has label("x") in ["y"]`},
		{`fieldSelector: status.phase=Failed`, `filter: became(object.status.phase == "Failed")`,
			`filter is never true: it needs old status.phase not in ["Failed"], and the informer has status.phase in ["Failed"]`},
		{``, `select: object.status.phase == "Failed", filter: became(object.status.phase == "Failed")`,
			`filter is never true: it needs old status.phase not in ["Failed"], and select status.phase in ["Failed"]`},
		{`fieldSelector: status.phase!=Running`, `rules: [{name: r, deny: object.status.phase == "Running"}]`,
			`rule "r" is never violated: its deny needs status.phase in ["Running"], and the informer has status.phase not in ["Running"]`},
		{`fieldSelector: spec.hostNetwork=false`, `filter: object.spec.hostNetwork != "false"`, ""},
		{`fieldSelector: status.phase=Running`, `filter: object.status.phase == "Failed"`,
			`filter is never true: it needs status.phase in ["Failed"], and the informer has status.phase in ["Running"]`},
		{`fieldSelector: status.phase=Running`, `filter: object.status.phase != "Running"`,
			`filter is never true: it needs status.phase not in ["Running"], and the informer has status.phase in ["Running"]`},
		{`fieldSelector: metadata.name=web`, `rules: [{name: r, deny: object.metadata.name == "db"}]`,
			`rule "r" is never violated: its deny needs name in ["db"], and the informer has name in ["web"]`},
		// a missing field is false to a selector
		{`fieldSelector: spec.hostNetwork=false`, `filter: object.spec.hostNetwork == nil`, ""},
		{`fieldSelector: spec.hostNetwork=true`, `filter: object.spec.hostNetwork == true`, ""},
		{``, `select: object.status.phase == "Pending", filter: object.metadata.namespace == "b" && op != "delete" && object.status.phase == "Running"`,
			`filter is never true: it needs status.phase in ["Running"], and select status.phase in ["Pending"]`},
		// an object that leaves what is selected comes as it is then
		{``, `select: object.status.phase == "Pending", filter: object.status.phase == "Running"`, ""},
		{``, `select: object.metadata.name == "a", filter: object.metadata.name == "b"`,
			`filter is never true: it needs name in ["b"], and select name in ["a"]`},
		{`namespaces: [a]`, `filter: old.metadata.namespace == "b"`,
			`filter is never true: it needs old namespace in ["b"], and the informer has namespace in ["a"]`},
		{``, `select: label("x") == "y", filter: old.metadata.name == "b"`, ""},
		{``, `filter: cluster == "other" && label("a") == "b"`,
			`filter is never true: the cluster is default`},
		{``, `filter: cluster == "default" || label("a") == "b"`, ""},
	} {
		informer := "resource: pods"
		if c.informer != "" {
			informer += ", " + c.informer
		}
		cfg := parse(t, head+"  a: {informer: {"+informer+"}, "+c.listener+", outputs: [out]}\n")
		p, mistakes := Compile(cfg, nil)
		if len(mistakes) > 0 {
			t.Errorf("%s: %v", c.listener, mistakes)
			continue
		}
		var got []string
		for _, w := range p.Unused() {
			if !slices.Contains(p.Conflicts(), w) {
				t.Errorf("%s: %v is no conflict", c.listener, w)
			}
			got = append(got, w.Message)
		}
		want := `listener "a": ` + c.want
		if joined := strings.Join(got, "\n"); joined != want && (c.want != "" || joined != "") {
			t.Errorf("%s, %s: got %q, want %q", c.informer, c.listener, got, want)
		}
	}
}
