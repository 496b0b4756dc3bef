package check_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// Two states that differ are no mistake where something else is false without an old object, in
// any order.
func TestDifferencesThatAreGuarded(t *testing.T) {
	const differs = `old.data.c != object.data.c`
	for _, guard := range []string{
		`changed("data")`, `became(object.data.a == "b")`, `op == "update"`, `old.data.a == "b"`,
		`1 == old.data.n`, `old.data.a in ["b", "c"]`, `old.data.a != nil`, `nil != old?.data.a`,
		`old.spec.paused`, `any(old.spec.list, .a == 1)`, `old != nil`, `resumed && changed("a")`,
		`(changed("a") || became(object.b == 1))`,
	} {
		for _, text := range []string{guard + " && " + differs, differs + " and " + guard,
			guard + " && resumed && " + differs, "resumed && (" + differs + " || resumed) && " + guard,
			guard + " ? " + differs + " : resumed"} {
			if got := warningsOf(t, lang.Expression{Text: text}); got != "" {
				t.Errorf("%s: %s", text, got)
			}
		}
	}
	for _, other := range []string{
		`object.data.a == "b"`, `!changed("data")`, `old.data.a == nil`, `old.data.a != "b"`,
		`old.data.a == object.data.a`, `all(old.spec.list, .a == 1)`, `old.data.a in [nil]`,
		`(changed("a") || resumed)`, `old.data.a not in ["b"]`,
	} {
		for _, text := range []string{other + " && " + differs, differs + " && " + other} {
			if got := warningsOf(t, lang.Expression{Text: text}); !strings.Contains(got,
				"this is also true of every add, delete and resync") {
				t.Errorf("%s: %q", text, got)
			}
		}
	}
	// what guards one side of an or says nothing of the other
	for _, text := range []string{`changed("data") || ` + differs,
		`changed("data") && resumed || ` + differs, `changed("data") ? resumed : ` + differs} {
		if got := warningsOf(t, lang.Expression{Text: text}); got == "" {
			t.Errorf("%s: no warning", text)
		}
	}
}

func warningsOf(t *testing.T, source lang.Expression) string {
	t.Helper()
	f, err := filters.Compile(source)
	if err != nil {
		t.Errorf("%s: %v", source.Text, err)
		return ""
	}
	var all []string
	for _, w := range f.Warnings() {
		all = append(all, w.Message)
	}
	return strings.Join(all, "\n")
}
