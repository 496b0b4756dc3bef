package plan

import (
	"fmt"
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

// A severity that no rule of an output's listeners has is warned of, whatever other listeners have.
func TestOutputsThatNoRuleReaches(t *testing.T) {
	for rules, want := range map[string]string{
		`{name: r, deny: "false"}`: `nothing is sent to this output: no rule of its listeners has the severity "critical"; all have medium`,
		`{name: r, severity: low, deny: "false"}, {name: s, severity: info, deny: "false"}`: `nothing is sent to this output: no rule of its listeners has the severity "critical"; they have info, low`,
		`{name: r, severity: critical, deny: "false"}, {name: s, deny: "false"}`:            "",
	} {
		p, mistakes := Compile(parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
informers: {pods: {resource: pods}}
outputs: {out: {stdout: {}, when: severity == "critical"}, all: {stdout: {}}}
listeners:
  a: {informer: pods, rules: [`+rules+`], outputs: [out]}
  events: {informer: pods, outputs: [out]}
  other: {informer: pods, rules: [{name: r, severity: critical, deny: "false"}], outputs: [all]}
`), nil)
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}
		got := ""
		for _, w := range p.Outputs["out"].When.Warnings() {
			got += w.Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", rules, got, want)
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
	if len(none) > 0 || len(out) != 2 || out[1].Message !=
		`type is never "dev.informerd.rule.violated"; there is only "dev.informerd.object.added"` ||
		out[0].Message != "severity is always nil here: no listener of this output has rules" {
		t.Errorf("%v, %v", out, none)
	}
}

// The resource of a message is named with its group, and a namespace is one of the informers'.
func TestResourcesAndNamespacesOfOutputs(t *testing.T) {
	for _, c := range []struct{ informers, when, want string }{
		{"deployments", `resource == "deployments"`,
			`resource is never "deployments"; did you mean "deployments.apps"?`},
		{"deploy", `resource != "Deployment"`,
			`resource is never "Deployment"; did you mean "deployments.apps"?`},
		{"pods deployments.v1.apps ingresses", `resource in ["deployment", "pods"]`,
			`resource is never "deployment"; did you mean "deployments.apps"?`},
		{"pods ingresses", `resource == "ingress"`,
			`resource is never "ingress"; did you mean "ingresses.networking.k8s.io"?`},
		{"pods", `resource == "pod"`, `resource is never "pod"; did you mean "pods"?`},
		{"pods deployments", `resource == "po"`, `resource is never "po"; did you mean "pods"?`},
		{"pods", `resource == "jobs"`, `resource is never "jobs"; there is only "pods"`},
		{"pods services", `resource == "deployments.apps"`,
			`resource is never "deployments.apps"; it is one of pods and services`},
		{"certificates.v1.cert-manager.io", `resource == "certificates"`,
			`resource is never "certificates"; did you mean "certificates.cert-manager.io"?`},
		{"pods", `namespace == "shopp"`, `namespace is never "shopp"; did you mean "shop"?`},
		// what only the API server knows
		{"pods things", `resource == "thing"`, ""},
		{"certificate.cert-manager.io", `resource == "certificates.cert-manager.io"`, ""},
		{"deployments.apps pods", `resource == "pods" || resource == "deployments.apps"`, ""},
		{"pods", `namespace == "shop" || namespace startsWith "x" || resource == ""`, ""},
		{"nodes/", `namespace == "shopp"`, ""},
	} {
		listeners := ""
		for i, name := range strings.Fields(c.informers) {
			limits := ", namespaces: [shop]"
			if name, _ = strings.CutSuffix(name, "/"); strings.HasSuffix(c.informers, "/") {
				limits = ""
			}
			listeners += fmt.Sprintf("  l%d: {informer: {resource: %s%s}, outputs: [out]}\n", i, name, limits)
		}
		p, mistakes := Compile(parse(t, "apiVersion: informerd.dev/v1alpha1\nkind: Config\n"+
			"outputs: {out: {stdout: {}, when: '"+c.when+"'}}\nlisteners:\n"+listeners), nil)
		if len(mistakes) > 0 {
			t.Errorf("%s: %v", c.when, mistakes)
			continue
		}
		got := ""
		for _, w := range p.Outputs["out"].When.Warnings() {
			got += w.Message
		}
		if got != c.want {
			t.Errorf("%s: %s: got %q, want %q", c.informers, c.when, got, c.want)
		}
	}
}

// A label and a subject are called so when their text has no quotes, and with what is proposed they
// compile.
func TestTextsByTheirFields(t *testing.T) {
	const config = "apiVersion: informerd.dev/v1alpha1\nkind: Config\n" +
		"listeners: {a: {informer: {resource: pods}, rules: [{name: r, deny: object.spec.hostNetwork}], outputs: [out]}}\n" +
		"outputs: {out: {"
	for _, c := range []struct{ wrong, want, right string }{
		{"alertmanager: {url: http://a:9093, labels: {team: platform}}",
			`output "out": unknown name "platform"; a label is an expression, and text in it needs quotes: write team: '"platform"'`,
			`alertmanager: {url: http://a:9093, labels: {team: '"platform"'}}`},
		{"nats: {servers: ['nats://a:4222'], subject: k8s.events}",
			`output "out": unknown name "k8s"; a subject is an expression, and text in it needs quotes: write subject: '"k8s.events"'`,
			`nats: {servers: ['nats://a:4222'], subject: '"k8s.events"'}`},
		{"nats: {servers: ['nats://a:4222'], subject: events}", `write subject: '"events"'`,
			`nats: {servers: ['nats://a:4222'], subject: '"events"'}`},
		{"nats: {servers: ['nats://a:4222'], subject: thing.metadata.name}", `unknown name "thing"`,
			`nats: {servers: ['nats://a:4222'], subject: object.metadata.name}`},
	} {
		_, mistakes := Compile(parse(t, config+c.wrong+"}}\n"), nil)
		if len(mistakes) != 1 || !strings.Contains(mistakes[0].Message, c.want) ||
			strings.Contains(mistakes[0].Message, "thing.metadata.name\"'") {
			t.Errorf("%s: got %v, want %s", c.wrong, mistakes, c.want)
		}
		if _, mistakes := Compile(parse(t, config+c.right+"}}\n"), nil); len(mistakes) > 0 {
			t.Errorf("%s: %v", c.right, mistakes)
		}
	}
}

// Data and patches that are written as YAML are answered with the expression that makes them.
func TestDataThatIsYAML(t *testing.T) {
	for text, want := range map[string]string{
		"{stdout: {}, data: 'text: message'}": "outputs.out.data is an expression, and this is YAML; write {text: message}",
		"{patch: {patch: \"metadata:\\n  labels:\\n    example.com/a: b\\n\"}}": "outputs.out.patch.patch is an expression, and this is YAML; " +
			`write {metadata: {labels: {"example.com/a": "b"}}}`,
		"{stdout: {}, data: '{text: messag}'}": `output "out": unknown name "messag"; did you mean "message"?`,
	} {
		cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  out: `+text+`
listeners:
  pods: {informer: {resource: pods}, outputs: [out]}
`)
		_, mistakes := Compile(cfg, nil)
		if len(mistakes) != 1 || !strings.Contains(mistakes[0].Error(), want) {
			t.Errorf("%s: %v", text, mistakes)
		}
	}
}
