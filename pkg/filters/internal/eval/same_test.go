package eval_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// A null in a list is an item, for short lists and long ones, whichever of the two is looked at
// first.
func TestNullItemsCount(t *testing.T) {
	for _, c := range []struct{ a, b string }{{`[]`, `[null]`}, {`[1]`, `[1,null]`}, {
		`[[1]]`, `[[1,null]]`}, {`{"a":[]}`, `{"a":[null]}`}, {`[null]`, `[null,null]`}, {
		`{"a":null}`, `{}`}, {`{"a":null,"b":1}`, `{"b":1,"c":null}`}} {
		for _, swap := range []bool{false, true} {
			a, b := c.a, c.b
			if swap {
				a, b = b, a
			}
			now, old := filtertest.NewObject(t, `{"x":`+a+`,"y":`+b+`}`), filtertest.NewObject(t,
				`{"x":`+b+`}`)
			for _, text := range []string{`changed("x")`, `object.x != old.x`,
				`object.x != object.y`, `[object.x] != [object.y]`,
				`(object.x | filter(true)) != (old.x | filter(true))`} {
				if a[0] == '{' && text[1] == '(' || b[0] == '{' && text[len(text)-1] == ')' &&
					text[0] == '(' {
					continue // an object is no list
				}
				if ok, err := filtertest.Match(t, text,
					event.Event{Op: event.Update, Object: now, Old: old}); !ok || err != nil {
					t.Errorf("%s of %s and %s: %v, %v", text, a, b, ok, err)
				}
			}
		}
	}
}

// Comparing without decoding has the same result as comparing decoded values.
func TestSameJSONAsDecoded(t *testing.T) {
	e := filtertest.Compile(t, `true`).Evaluator()
	var draw func(t *rapid.T, depth int) string
	draw = func(t *rapid.T, depth int) string {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth == 0 || kind > 1 {
			return rapid.SampledFrom([]string{"null", "1", "1.0", "1e0", `"a"`, `"\u0061"`, "true",
				"[]", "{}", "[null]"}).Draw(t, "scalar")
		}
		text := ""
		for i := range rapid.IntRange(0, 3).Draw(t, "members") {
			if i > 0 {
				text += ","
			}
			if kind == 0 {
				text += fmt.Sprintf(`"%c":`, rune('a'+(i*rapid.IntRange(1, 3).Draw(t, "key"))%5))
			}
			text += draw(t, depth-1)
		}
		if kind == 0 {
			return "{" + text + "}"
		}
		return "[" + text + "]"
	}
	same := 0
	rapid.Check(t, func(t *rapid.T) {
		var texts [2]string
		for i := range texts {
			texts[i] = draw(t, 3)
		}
		if rapid.Bool().Draw(t, "equal") {
			texts[1] = texts[0]
		}
		p := object.Parser{APIVersion: "v1", Kind: "Pod"}
		o, err := p.Parse([]byte(`{"metadata":{"name":"x"},"a":` + texts[0] + `,"b":[` + texts[1] +
			`]}`))
		if err != nil {
			t.Skip() // a name that is there twice
		}
		e.Begin(event.Event{Op: event.Add, Object: o})
		a, b := o.Value().Get("a"), o.Value().Get("b").Index(0)
		want := e.EqualDecoded(a.Any(), b.Any())
		if got := e.SameJSON(a, b); got != want {
			t.Fatalf("%s and %s: %t, decoded %t", a.Raw(), b.Raw(), got, want)
		}
		if want {
			same++
		}
	})
	if !t.Failed() && !testing.Short() && same < 5 {
		t.Errorf("only %d were equal", same)
	}
}
