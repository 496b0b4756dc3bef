package check_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// An amount is neither true nor false nor a number: an expression that takes it for one would fail
// for every object that has it.
func TestAmountsAreRead(t *testing.T) {
	amounts := &lang.Schema{Type: "object", Values: &lang.Schema{}}
	schema := objectOf(map[string]*lang.Schema{
		"status": objectOf(map[string]*lang.Schema{"capacity": amounts}),
		"spec": objectOf(map[string]*lang.Schema{"containers": listOf(objectOf(
			map[string]*lang.Schema{"resources": objectOf(map[string]*lang.Schema{
				"limits": amounts})}))}),
	})
	const list, needs = `(object.spec.containers, `, ` is an amount, and `
	for _, tt := range []struct{ objects, text, want string }{
		{"", `any` + list + `!.resources.limits.memory)`, `.resources.limits.memory` + needs +
			`"!" needs true or false; write .resources.limits.memory == nil`},
		{"", `any` + list + `.resources.limits.memory || .name == "a")`,
			`.resources.limits.memory` + needs +
				`"||" needs true or false; write .resources.limits.memory != nil`},
		{"", `sum` + list + `.resources.limits.memory) > 1`, `.resources.limits.memory` + needs +
			`sum needs numbers; write quantity(.resources.limits.memory)`},
		{"Node", `!object.status.capacity.cpu`, `object.status.capacity.cpu` + needs +
			`"!" needs true or false; write object.status.capacity.cpu == nil`},
		{"", `!object.status.capacity.cpu`, ""}, // of a kind that is not known
		{"", `sum` + list + `quantity(.resources.limits.memory)) > "1Gi"`, ""},
		{"", `any` + list + `.resources.limits.memory == nil)`, ""},
	} {
		got := ""
		_, err := filters.Compile(lang.Expression{Text: tt.text, Schema: schema,
			Objects: tt.objects})
		for _, mistake := range lang.Mistakes(err) {
			if got == "" {
				got = mistake.Message
			}
		}
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}
