package plan

import (
	"strings"
	"testing"
)

// A filter next to rules that looks at the object alone is probably meant for the rules, too.
func TestFiltersBesideRules(t *testing.T) {
	const apart = `listeners.a.filter does not apply to the rules, which look at every object of the informer`
	for listener, want := range map[string]string{
		`filter: object.metadata.namespace == "a"`:                           apart,
		`filter: label("app") == "web"`:                                      apart,
		`filter: "true"`:                                                     "",
		`filter: op == "delete" && label("app") == "web"`:                    "",
		`filter: changed("spec.replicas")`:                                   "",
		`filter: label("app") == "web", select: object.metadata.name != "a"`: "",
		`filter: label("app") == "web", on: [add, delete]`:                   "",
		`select: object.metadata.namespace == "a"`:                           "",
	} {
		p, mistakes := Compile(parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}}}
listeners:
  a: {informer: {resource: deployments}, outputs: [out], `+listener+`,
    rules: [{name: r, deny: object.spec.replicas == 0}]}
`), nil)
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}
		got := ""
		for _, w := range p.Unused() {
			got += w.Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", listener, got, want)
		}
	}
}

// An output sees the ops that its listeners' filters let through, and no others.
func TestOpsOfOutputs(t *testing.T) {
	for filter, want := range map[string]string{
		`op == "update" && changed("status.phase")`: "",
		`op != "delete"`: "this is also true of every add, since those have no old object",
		`op == "update" || object.spec.hostNetwork == true`: "this is also true of every add and delete",
	} {
		p, mistakes := Compile(parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  out: {stdout: {}, when: old.status.phase != object.status.phase}
listeners:
  pods: {informer: {resource: pods}, filter: '`+filter+`', outputs: [out]}
`), nil)
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}
		got := ""
		for _, w := range p.Outputs["out"].When.Warnings() {
			got += w.Message
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", filter, got, want)
		}
	}
}
