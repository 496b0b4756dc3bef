package eval_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// A predicate that names a field of its item more than once reads it once for each item.
func TestAFieldOfAnItemIsReadOnce(t *testing.T) {
	ev := event.Event{Op: event.Add,
		Object: filtertest.NewObject(t,
			`{"l":[{"a":{"b":1},"env":[1,2]},{"a":{"b":2},"env":[3]},{"a":{"b":9},"env":[]}]}`)}
	for _, tt := range []struct {
		text         string
		chains       int
		reads, lists int // fields of items that were read, and lists that were cut into items
	}{
		{`any(object.l, .a.b == 3 || #.a.b == 4 || #["a"]["b"] == 5 || .a?.b == 9)`, 1, 3, 1},
		{`len(filter(object.l, .a.b == 1 || .a.b == 9)) == 2`, 1, 3, 1},
		{`any(object.l, {let x = #; x.a.b > 5 && x.a.b < 10 && .a.b == 9})`, 1, 3, 1},
		{`any(object.l, .a.b == 2 && .env == [3] && .a.b != 3)`, 2, 3, 1},
		{`any(object.l, any(.env, # == 8) || any(.env, # == 3))`, 1, 2, 3},
		// two rounds over the items
		{`any(object.l, .a.b == 2) && any(object.l, .a.b == 9)`, 1, 5, 1},
		{`let x = object.l[-1]; x.a.b == 9 && x.a.b > 8`, 1, 2, 0}, // the item is one more
	} {
		f := filtertest.Compile(t, tt.text)
		e := f.Evaluator()
		for range 2 {
			if ok, err := e.Match(ev); !ok || err != nil {
				t.Fatal(tt.text, ok, err)
			}
			if e.Chains() != tt.chains || e.Cells() != tt.reads ||
				e.Lists() != tt.lists {
				t.Errorf("%s: %d chains, %d reads, %d lists, want %d, %d, %d", tt.text,
					e.Chains(), e.Cells(), e.Lists(), tt.chains, tt.reads, tt.lists)
			}
		}
	}
}

// The values of one item are not taken for another's, not even in a list in a list.
func TestItemsDoNotMix(t *testing.T) {
	ev := event.Event{Op: event.Add,
		Object: filtertest.NewObject(t,
			`{"l":[{"a":1,"l":[{"a":2},{"a":1}]},{"l":[{"a":3}]},{"a":4,"l":[]}],"m":[{"a":1}]}`)}
	for _, text := range []string{
		`count(object.l, .a == 1) == 1 && count(object.l, .a == nil) == 1 && count(object.m, .a == 1) == 1`,
		`any(object.l, .a == 1 && any(.l, .a == 2) && .a == 1 && any(.l, .a == 1) && !any(.l, .a == 3))`,
		`map(object.l, .a) == [1, nil, 4] && map(object.l, len(.l)) == [2, 1, 0]`,
	} {
		e := filtertest.Compile(t, text).Evaluator()
		for range 3 {
			if ok, err := e.Match(ev); !ok || err != nil {
				t.Errorf("%s: %v, %v", text, ok, err)
			}
		}
	}
}

// Labels and annotations are fields like others: one that is named twice is read once, whatever the
// words.
func TestALabelIsReadOnce(t *testing.T) {
	ev := event.Event{Op: event.Add,
		Object: filtertest.NewObject(t,
			`{"metadata":{"labels":{"a":"x"},"annotations":{"a":"y"}},"key":"a"}`)}
	for text, fields := range map[string]int{
		`label("a") != "y" && label("a") == "x" && object.metadata.labels.a == "x" && object.metadata["labels"]["a"] != nil`: 1,
		`annotation("a") != "x" && annotation("a") == "y" && object.metadata.annotations["a"] == "y"`:                        1,
		`label("a") == "x" && annotation("a") == "y"`:                                                                        2,
		// all labels, and the key
		`label(object.key) == "x" && label(object.key) != "y" && label("a" + "") == "x"`:              2,
		`annotation(object.key) == "y" && annotation("a" + "") == "y" && label(object.key) == "x"`:    3,
		`any([1, 2], label("a") == "x" && annotation("a") == "y" && object.metadata.labels.a == "x")`: 2,
	} {
		f := filtertest.Compile(t, text)
		e := f.Evaluator()
		if ok, err := e.Match(ev); !ok || err != nil || e.Fields() != fields {
			t.Fatalf("%s: %v, %v, %d fields, want %d", text, ok, err, e.Fields(), fields)
		}
		for i := range e.Fields() {
			// The slot answers from now on, not the text.
			e.SetField(i, ev.Object.Value())
			if e.Field(i).Kind() != object.ObjectKind {
				t.Errorf("%s: field %d was read again", text, i)
			}
		}
	}
}

// An expression that does not use old neither looks at it nor keeps it.
func TestOldIsLeftAloneUnlessItIsUsed(t *testing.T) {
	ev := filtertest.Update(t)
	for text, uses := range map[string]bool{
		`op == "update" && label("tier") == "frontend" && any(object.spec.ports, .n == 1)`: false,
		`old.spec.replicas == 1`:        true,
		`changed("spec.replicas")`:      true,
		`op == "update" || old != nil`:  true,
		`object.old == nil && !initial`: false,
	} {
		f := filtertest.Compile(t, text)
		e := f.Evaluator()
		if ok, err := e.Match(ev); !ok || err != nil {
			t.Fatal(text, ok, err)
		}
		if (e.Event().Old != nil) != uses {
			t.Errorf("%s: keeps old: %t", text, e.Event().Old != nil)
		}
	}
}
