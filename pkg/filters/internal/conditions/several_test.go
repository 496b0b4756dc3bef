package conditions_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/condition/conditiontest"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestAnyOf(t *testing.T) {
	for _, tt := range []struct {
		most  int
		texts []string
		want  string
	}{
		{9, []string{`label("a") == "x"`}, "a=x"},
		{9, []string{`label("a") == "x"`, `label("a") in ["y", "z"]`}, "a=x,y,z"},
		{9, []string{`label("a") == "x" && object.n > 1`, `object.n > 5`},
			`(label("a") in ["x"] and n > 1 or n > 5)`},
		{9, []string{`op == "add"`, `object.n > 5`}, `(op in ["add"] or n > 5)`},
		{9, []string{`op == "add"`, `op == "delete"`},
			`add|delete (op in ["add"] or op in ["delete"])`},
		{9, []string{`label("a") == "x"`, `len(object.list) > 3`}, ""},
		{9, []string{`label("a") == "x"`, `false`}, "a=x"},
		{3, []string{`label("a") == "x" && object.n > 1`, `object.n > 5 && object.m > 5`},
			`(label("a") in ["x"] or n > 5)`},
		{1, []string{`label("a") == "x" && object.n > 1`, `object.n > 5 && object.m > 5`}, ""},
	} {
		var all []condition.Set
		for _, text := range tt.texts {
			all = append(all, filtertest.Compile(t, text).Conditions())
		}
		if got := filtertest.SetWords(condition.AnyOf(all, tt.most)); got != tt.want {
			t.Errorf("%q\n got %q\nwant %q", tt.texts, got, tt.want)
		}
	}
}

// What fulfils the conditions of one of several expressions fulfils those of any of them, however
// few are asked.
func TestConditionsOfAnyAreNecessary(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		var all []condition.Set
		for range rapid.IntRange(1, 4).Draw(t, "expressions") {
			if f, err := filters.Compile(lang.Expression{Text: drawConditions(t, 2)}); err == nil {
				all = append(all, f.Conditions())
			}
		}
		several := condition.AnyOf(all, rapid.SampledFrom([]int{1, 2, 5, 100}).Draw(t, "most"))
		for range 10 {
			o, err := (&object.Parser{APIVersion: "v1", Kind: "Pod"}).Parse([]byte(drawMetadata(t)))
			if err != nil {
				t.Fatal(err)
			}
			e := condition.Event{Op: rapid.SampledFrom(event.Ops).Draw(t, "op"), Object: o}
			holds := func(c condition.Set) bool {
				return c.Ops.Has(e.Op) && conditiontest.Hold(c.List, false, e)
			}
			if holds(several) {
				continue
			}
			refused++
			for _, one := range all {
				if holds(one) {
					t.Fatalf("%s %s is refused by %s, but not by %s", e.Op, o.JSON(),
						filtertest.SetWords(several), filtertest.SetWords(one))
				}
			}
		}
	})
	if !t.Failed() && !testing.Short() && refused < 20 {
		t.Errorf("only %d events were refused: this test says nothing", refused)
	}
}
