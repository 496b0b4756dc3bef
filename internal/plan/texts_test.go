package plan

import (
	"strings"
	"testing"
)

// What an output's expressions compare with a text that no message has is warned of, and what can
// be is not.
func TestTextsThatNoMessageHas(t *testing.T) {
	cfg := func(when string) string {
		return `apiVersion: informerd.dev/v1alpha1
kind: Config
informers: {pods: {resource: pods}}
outputs:
  out: {stdout: {}, when: '` + when + `'}
  none: {stdout: {}}
listeners:
  rules: {informer: pods, rules: [{name: no-limits, deny: "false"}, {name: latest, deny: "false"}], outputs: [out]}
  news: {informer: pods, on: [add, delete], outputs: [out]}
  emits: {informer: pods, on: [add], handler: {wasm: a.wasm, grants: {emit: GRANT}}, outputs: [out]}
  other: {informer: pods, rules: [{name: other, deny: "false"}], outputs: [none]}
`
	}
	const types = "{types: [com.example.x]}"
	for _, c := range []struct{ when, grant, want string }{
		{`severity == "warning"`, types,
			`severity is never "warning"; it is one of info, low, medium, high and critical`},
		{`severity in ["High"]`, types, `severity is never "High"; did you mean "high"?`},
		{`let s = severity; s != "meduim"`, types, `severity is never "meduim"; did you mean "medium"?`},
		{`rule == "no-limit"`, types, `rule is never "no-limit"; did you mean "no-limits"?`},
		{`rule == "other"`, types, `rule is never "other"; it is one of latest and no-limits`},
		{`"b" == listener`, types, `listener is never "b"; it is one of emits, news and rules`},
		{`listener == "other"`, types, `listener is never "other"; it is one of emits, news and rules`},
		{`type == "dev.informerd.rule.violate"`, types,
			`type is never "dev.informerd.rule.violate"; did you mean "dev.informerd.rule.violated"?`},
		{`type == "dev.informerd.object.updated"`, types, `type is never "dev.informerd.object.updated"; did you mean "dev.informerd.object.added"?`},
		{`type == "com.example.y"`, types, `type is never "com.example.y"; did you mean "com.example.x"?`},
		{`type == "com.example.y"`, "{kinds: [data]}", `type is never "com.example.y"; it is one of `},

		{`type == "com.example.y"`, "{types: [com.example.]}", ""},
		{`type == "com.example.y"`, "{}", ""},
		{`type == "com.example.x" || type == "dev.informerd.rule.resolved" || type == "dev.informerd.object.added"`, types, ""},
		{`severity == "high" || rule == "latest" || listener == "rules" || rule == "" || severity == nil`, types, ""},
		{`severity startsWith "x" || name == "y" || (severity ?? "none") == "none" || message == "m"`, types, ""},
	} {
		p, mistakes := Compile(parse(t, strings.Replace(cfg(c.when), "GRANT", c.grant, 1)), nil)
		if len(mistakes) > 0 {
			t.Errorf("%s: %v", c.when, mistakes)
			continue
		}
		var got []string
		for _, w := range p.Outputs["out"].When.Warnings() {
			got = append(got, w.Message)
		}
		if text := strings.Join(got, "\n"); !strings.HasPrefix(text, c.want) ||
			c.want == "" && text != "" || len(got) > 1 {
			t.Errorf("%s, %s: got %q, want %q", c.when, c.grant, text, c.want)
		}
	}
}

// Without rules there is no severity, and without a listener nothing is known.
func TestTextsOfOutputsWithoutRules(t *testing.T) {
	p, mistakes := Compile(parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  out: {stdout: {}, when: severity == "bad" && type == "dev.informerd.rule.violated"}
  none: {stdout: {}, when: severity == "bad" && listener == "x"}
listeners: {a: {informer: {resource: pods}, on: [add], outputs: [out]}}
`), nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	out, none := p.Outputs["out"].When.Warnings(), p.Outputs["none"].When.Warnings()
	if len(none) > 0 || len(out) != 1 || out[0].Message !=
		`type is never "dev.informerd.rule.violated"; there is only "dev.informerd.object.added"` {
		t.Errorf("%v, %v", out, none)
	}
}
