package eval_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
)

// findLast and findLastIndex mean the same wherever they are in an expression: to the right of an
// operator, in a list, in a call, in each other.
func TestFindLastAnywhere(t *testing.T) {
	ev := event.Event{Op: event.Add,
		Object: filtertest.NewObject(t,
			`{"metadata":{"name":"z"},"x":1,"l":[{"type":"team","name":"shop","n":[1,2]},{"type":"x","name":"y","n":[]},{"type":"x","name":"z","n":[3]}],"one":[1],"nulls":[1,null]}`)}
	for _, text := range []string{
		`1 == findLast([1], true)`, `object.x == findLast(object.one, true)`,
		`findLast(object.one, true) == object.x`, `!(object.x != findLast(object.one, true))`,
		`3 > findLast(object.one, true)`, `0 == findLastIndex(object.one, # == 1)`,
		`"shop" == findLast(object.l, .type == "team").name`,
		`object.metadata.name == findLast(object.l, true).name`,
		`any(object.l, #.name == findLast(object.l, .type == "x").name)`,
		`[1, findLast([5], true)] == [1, 5]`, `min(3, findLast([5], true)) == 3`,
		`true != findLast(object.one, true)`,
		`{"a": 1, "b": findLast([7, 8], # < 8)} == {"a": 1, "b": 7}`,
		`let a = 5; let b = findLast([7], true); a == 5 && b == 7`,
		`let b = findLast([7], true); let a = 5; a == 5 && b == 7`,
		`"last: " + findLast(object.l, .type == "x").name == "last: z"`,
		`2 == findLastIndex(object.l, any(.n, # == 3)) && 1 == findLastIndex(object.l, 0 == len(.n))`,
		`3 == findLast(findLast(object.l, true).n, true)`,
		`2 == findLast(object.l, 2 == findLast(.n, # > 1)).n[1]`,
		`map(object.l, findLastIndex(.n, # > 0)) == [1, nil, 0]`,
		`nil == findLast(object.l, false) && nil == findLastIndex([], true) && nil == findLast(object.none, true)`,
		`nil == findLast(object.nulls, true) && 1 == findLastIndex(object.nulls, # == nil)`,
		`[3] == [findLast(1..5, # < 4)]`,
		`(object.one | findLast(# == 1)) == 1`, `2 - findLast(object.one, true) == 1`,
		`[findLastIndex(object.l, true), find(object.one, true), findLast(object.one, true)] == [2, 1, 1]`,
	} {
		f := filtertest.Compile(t, text)
		e := f.Evaluator()
		for range 2 { // what the first run left behind must not matter
			if ok, err := e.Match(ev); !ok || err != nil {
				t.Errorf("%s: %v, %v", text, ok, err)
			}
			if n := e.StackSize(); n != 0 {
				t.Errorf("%s: %d values are left on the stack", text, n)
			}
		}
		if x := filtertest.Explain(t, f, ev, nil); !x.Matched || x.Err != nil {
			t.Errorf("Explain(%s): %v, %v", text, x.Matched, x.Err)
		}
	}
	if text, err := messageOf(t, `"last container " + findLast(object.l, true).name`,
		ev); text != "last container z" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}

func messageOf(t *testing.T, text string, ev event.Event) (string, error) {
	t.Helper()
	f, err := filters.Compile(lang.Expression{Text: text, Kind: lang.KindMessage})
	if err != nil {
		t.Fatal(err)
	}
	return f.Evaluator().Text(ev)
}

// A condition that fails in the middle of a list leaves nothing to the next event.
func TestFindLastAfterAnError(t *testing.T) {
	e := filtertest.Compile(t, `findLast(object.l, # > 1) == 3`).Evaluator()
	for range 2 {
		if ok, err := e.Match(event.Event{Op: event.Add,
			Object: filtertest.NewObject(t, `{"l":[2,"x",3]}`)}); ok || err == nil {
			t.Error(ok, err)
		}
		if ok, err := e.Match(event.Event{Op: event.Add,
			Object: filtertest.NewObject(t, `{"l":[3,1]}`)}); !ok ||
			err != nil {
			t.Error(ok, err)
		}
	}
}
