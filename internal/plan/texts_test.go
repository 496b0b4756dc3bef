package plan

import (
	"fmt"
	"slices"
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
			`severity is never "warning"; it is one of info, low, medium, high, critical`},
		{`severity in ["High"]`, types, `severity is never "High"; did you mean "high"?`},
		{`let s = severity; s != "meduim"`, types, `severity is never "meduim"; did you mean "medium"?`},
		{`rule == "no-limit"`, types, `rule is never "no-limit"; did you mean "no-limits"?`},
		{`rule == "other"`, types, `rule is never "other"; it is one of latest, no-limits`},
		{`"b" == listener`, types, `listener is never "b"; it is one of emits, news, rules`},
		{`listener == "other"`, types, `listener is never "other"; it is one of emits, news, rules`},
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
  none: {stdout: {}, when: severity == "bad" && listener == "x" && violated}
  violated: {stdout: {}, when: violated, data: '{"at": since, "text": message, "was": object.message}'}
listeners: {a: {informer: {resource: configmaps}, on: [add], outputs: [out, violated]}}
`), nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	out, none := p.Outputs["out"].When.Warnings(), p.Outputs["none"].When.Warnings()
	if len(none) > 0 || len(out) != 2 || out[1].Message !=
		`type is never "dev.informerd.rule.violated"; it is only "dev.informerd.object.added"` ||
		out[0].Message != "severity is always nil here" {
		t.Errorf("%v, %v", out, none)
	}
	var got []string
	violated := p.Outputs["violated"]
	for _, w := range slices.Concat(violated.When.Warnings(), violated.Data.Warnings()) {
		got = append(got, strings.TrimSuffix(w.Message,
			" is always nil here: no listener of this output has rules"))
	}
	if strings.Join(got, " ") != "violated since message" {
		t.Errorf("%q", got)
	}
}

// A credential in the data of messages is warned of, and a text that only resembles one is not.
func TestCredentialsInData(t *testing.T) {
	p, mistakes := Compile(parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  out:
    webhook: {url: "https://example.com/"}
    data: |
      {"routing_key": "xxxx", "Password": "p", "dedup_key": "d", "token": "", "api-key": object.metadata.name,
       "nested": [{"client_secret": "s"}], "key": "k", "code": "c"}
listeners: {a: {informer: {resource: configmaps}, outputs: [out]}}
`), nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	var got []string
	for _, w := range p.Outputs["out"].Data.Warnings() {
		name, _, ok := strings.Cut(w.Message, " is the name of a credential")
		got = append(got, name)
		if !ok || strings.Contains(w.Message, "xxxx") {
			t.Errorf("%s", w.Message)
		}
	}
	if strings.Join(got, " ") != `"routing_key" "Password" "client_secret"` {
		t.Errorf("%q", got)
	}
}

// The resource of a message is named with its group, and a namespace is one of the informers'.
func TestResourcesAndNamespacesOfOutputs(t *testing.T) {
	for _, c := range []struct{ informers, when, want string }{
		{"deployments", `resource == "deployments"`,
			`resource is never "deployments"; it is only "deployments.apps"`},
		{"deploy", `resource != "Deployment"`,
			`resource is never "Deployment"; it is only "deployments.apps"`},
		{"pods deployments.v1.apps ingresses", `resource in ["deployment", "pods"]`,
			`resource is never "deployment"; it is one of deployments.apps, ingresses.networking.k8s.io, pods`},
		{"pods ingresses", `resource == "ingress"`,
			`resource is never "ingress"; it is one of ingresses.networking.k8s.io, pods`},
		{"pods", `resource == "pod"`, `resource is never "pod"; did you mean "pods"?`},
		{"pods deployments", `resource == "po"`, `resource is never "po"; it is one of deployments.apps, pods`},
		{"pods", `resource == "jobs"`, `resource is never "jobs"; it is only "pods"`},
		{"pods services", `resource == "deployments.apps"`,
			`resource is never "deployments.apps"; it is one of pods, services`},
		{"certificates.v1.cert-manager.io", `resource == "certificates"`, ""}, // only an API server knows
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

// A label and a subject without quotes are told apart from a variable, and with quotes they compile.
func TestTextsByTheirFields(t *testing.T) {
	const config = "apiVersion: informerd.dev/v1alpha1\nkind: Config\n" +
		"listeners: {a: {informer: {resource: pods}, rules: [{name: r, deny: object.spec.hostNetwork}], outputs: [out]}}\n" +
		"outputs: {out: {"
	for _, c := range []struct{ wrong, want, right string }{
		{"alertmanager: {url: http://a:9093, labels: {team: platform}}",
			`output "out": unknown name "platform"; text needs quotes`,
			`alertmanager: {url: http://a:9093, labels: {team: '"platform"'}}`},
		{"nats: {servers: ['nats://a:4222'], subject: k8s.events}",
			`output "out": unknown name "k8s"; text needs quotes`,
			`nats: {servers: ['nats://a:4222'], subject: '"k8s.events"'}`},
		{"nats: {servers: ['nats://a:4222'], subject: events}", `unknown name "events"; text needs quotes`,
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
