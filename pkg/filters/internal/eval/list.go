package eval

import (
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// list holds the items of an array of an object as Refs. Lists are kept and used again, so
// that walking an array allocates nothing once a list has grown to its length.
type list struct {
	array *object.Value // the array; it is read once for an event
	cells []object.Value
	refs  []any // refs[i] points to cells[i], up to the capacity of cells
	views []any // views[n] is refs[:n], in its interface
}

func (l *list) fill(array *object.Value) any {
	l.array = array
	l.cells = l.cells[:0]
	array.Each(func(item object.Value) bool {
		l.cells = append(l.cells, item)
		return true
	})
	cells := l.cells[:cap(l.cells)]
	if len(cells) > 0 && (len(l.refs) != len(cells) || l.refs[0].(values.Ref).Value != &cells[0]) {
		l.refs = make([]any, len(cells))
		for i := range cells {
			l.refs[i] = values.Ref{Value: &cells[i]}
		}
		l.views = make([]any, len(cells)+1)
	}
	return l.view()
}

func (l *list) view() any {
	n := len(l.cells)
	if n == 0 {
		return emptyList
	}
	if l.views[n] == nil {
		l.views[n] = l.refs[:n:n]
	}
	return l.views[n]
}

var emptyList any = []any{}

// items returns the list that a predicate walks: a []any, or a []int of a range. Its items
// may be Refs, of null as well.
func (e *Evaluator) items(x any) any {
	switch x := x.(type) {
	case nil:
		return emptyList
	case []any, []int:
		return x
	case values.Ref:
		if x.Kind() == object.Array {
			return e.arrayItems(x.Value)
		}
	}
	hint := ""
	if values.TypeName(x) == "object" {
		hint = "; use keys(…) or values(…)"
	}
	fail("a list is needed here, got %s%s", values.TypeName(x), hint)
	return nil
}

func (e *Evaluator) arrayItems(array *object.Value) any {
	for _, l := range e.lists[:min(e.listsUsed, 8)] {
		if l.array == array {
			return l.view()
		}
	}
	e.charge(1 + len(array.Raw())/scannedBytes)
	if e.listsUsed == len(e.lists) {
		e.lists = append(e.lists, &list{})
	}
	l := e.lists[e.listsUsed]
	if cap(l.cells) > keptItems {
		l = &list{}
		e.lists[e.listsUsed] = l
	}
	e.listsUsed++
	items := l.fill(array)
	e.charge(4 * len(l.cells))
	e.grow(itemBytes * len(l.cells))
	return items
}

// anyItems returns items as a []any.
func (e *Evaluator) anyItems(x any) []any {
	switch items := e.items(x).(type) {
	case []any:
		return items
	case []int:
		e.charge(len(items))
		e.grow(itemBytes * len(items))
		out := make([]any, len(items))
		for i, n := range items {
			out[i] = n
		}
		return out
	}
	return nil
}

// item returns the value of an item: nil for null.
func (e *Evaluator) item(x any) any {
	if r, ok := x.(values.Ref); ok {
		return values.Refer(r.Value)
	}
	return x
}

// get returns a member of an object or an item of a list. A negative index counts from the
// end.
func (e *Evaluator) get(base, key any) any {
	k := e.load(key)
	switch b := base.(type) {
	case values.Ref:
		switch {
		case k.Kind == values.KindText:
			e.charge(1 + len(b.Raw())/scannedBytes)
			return e.keep(b.Get(k.Text))
		case k.Kind == values.KindInt && b.Kind() == object.Array:
			e.charge(1 + len(b.Raw())/itemizedBytes)
			i := k.Int
			if i < 0 {
				i += e.count(b.Value)
			}
			return e.keep(b.Index(i))
		}
	case map[string]any:
		if k.Kind == values.KindText {
			return b[k.Text]
		}
	case []any:
		if i, ok := index(k, len(b)); ok {
			return e.item(b[i])
		}
	case []int:
		if i, ok := index(k, len(b)); ok {
			return b[i]
		}
	case interface{ Field(name string) any }: // an image or a version
		if k.Kind == values.KindText {
			return b.Field(k.Text)
		}
	}
	return nil
}

func index(k values.Value, length int) (int, bool) {
	i := k.Int
	if i < 0 {
		i += length
	}
	return i, k.Kind == values.KindInt && i >= 0 && i < length
}

// follow returns the function that takes a row of constant steps from a value, once for each value
// in a row: a predicate names fields of its item more than once. The keys are the path's, for values
// that are decoded already.
func (e *Evaluator) follow(path object.Path, keys []any) func(any) any {
	var (
		generation uint64
		from       *object.Value
		to         any
	)
	return func(base any) any {
		if r, ok := base.(values.Ref); ok {
			if from != r.Value || generation != e.generation {
				e.charge(len(r.Raw()) / scannedBytes)
				generation, from, to = e.generation, r.Value, e.keep(path.In(*r.Value))
			}
			return to
		}
		for _, key := range keys {
			base = e.get(base, key)
		}
		return base
	}
}

// count returns the number of items of an array, or of members of an object.
func (e *Evaluator) count(v *object.Value) int {
	e.charge(len(v.Raw()) / itemizedBytes)
	n := 0
	v.Each(func(object.Value) bool { n++; return true })
	v.EachMember(func(string, object.Value) bool { n++; return true })
	return n
}
