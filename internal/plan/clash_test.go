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
