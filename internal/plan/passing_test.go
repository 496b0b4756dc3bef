package plan

import (
	"strings"
	"testing"
)

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
