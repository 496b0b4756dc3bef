package filters

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/informer/object"
)

// lookupKey is what was looked up: the namespace and name, or the value of the index and the
// namespace or "".
type lookupKey struct {
	Lookup
	first, second string
}

// lookup refuses the names of informers and indexes that are not there.
func (in *inspector) lookup(n *ast.CallNode, name string) error {
	informer, ok := firstText(n)
	if len(n.Arguments) > 0 && !ok {
		return in.errorf(n.Arguments[0], "%s takes the informer's name in quotes", name)
	}
	if !ok {
		return nil // the checker counts
	}
	indexes, exists := in.source.Informers[informer.Value]
	if !exists {
		return in.errorf(informer, "there is no informer %q%s", informer.Value,
			choice(informer.Value, slices.Sorted(maps.Keys(in.source.Informers)),
				"; none is declared for this expression"))
	}
	if name == "cached" || len(n.Arguments) < 2 {
		return nil
	}
	index, ok := n.Arguments[1].(*ast.StringNode)
	if !ok {
		return in.errorf(n.Arguments[1], "byIndex takes the index's name in quotes")
	}
	if !slices.Contains(indexes, index.Value) {
		return in.errorf(index, "the informer %q has no index %q%s", informer.Value, index.Value,
			choice(index.Value, slices.Sorted(slices.Values(indexes)), "; it has none"))
	}
	return nil
}

// choice says what can be meant by a name.
func choice(name string, names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	if near := nearest(name, names); near != "" {
		return "; did you mean " + strconv.Quote(near) + "?"
	}
	more := ""
	if len(names) > 10 {
		names, more = names[:10], ", …"
	}
	return "; there are " + strings.Join(names, ", ") + more
}

// lookup makes cached or byIndex. What was found is kept for the rest of the event, so that an
// expression sees one state of it.
func (e *Evaluator) lookup(l Lookup) func(first, second any) any {
	name := "cached"
	if l.Index != "" {
		name = "byIndex"
	}
	return func(first, second any) any {
		x, y := e.load(first), e.load(second)
		if x.kind == kindNil || y.kind == kindNil {
			return nil
		}
		if x.kind != kindText || y.kind != kindText {
			wrong := first
			if x.kind == kindText {
				wrong = second
			}
			fail("%s takes strings, got %s", name, typeName(wrong))
		}
		e.charge(10 + (len(x.s)+len(y.s))/scannedBytes)
		key := lookupKey{l, x.s, y.s}
		found, ok := e.functions.found[key]
		if !ok {
			found = e.lookUp(key)
			if e.functions.found == nil {
				e.functions.found = map[lookupKey]any{}
			}
			e.functions.found[key] = found
		}
		return found
	}
}

func (e *Evaluator) lookUp(key lookupKey) any {
	if e.Caches == nil {
		if key.Index != "" {
			return emptyList
		}
		return nil
	}
	if key.Index == "" {
		return e.open(e.Caches.Get(key.Informer, key.first, key.second))
	}
	var objects []*object.Object
	if key.Within {
		objects = e.Caches.ByIndexIn(key.Informer, key.Index, key.first, key.second)
	} else {
		objects = e.Caches.ByIndex(key.Informer, key.Index, key.first)
	}
	e.charge(len(objects))
	e.grow(itemBytes * len(objects))
	items := make([]any, 0, len(objects))
	for _, o := range objects {
		items = append(items, e.open(o))
	}
	return items
}

// keptScratches is for how many objects of other informers the memory to unpack them is kept.
const keptScratches = 8

// open reads an object, unpacking it if it is packed, and pays for that.
func (e *Evaluator) open(o *object.Object) any {
	if o == nil {
		return nil
	}
	e.charge(1 + o.Size()/32)
	e.grow(o.Size())
	f := &e.functions
	if f.used == keptScratches {
		return e.keep(o.Value())
	}
	if f.used == len(f.scratch) {
		f.scratch = append(f.scratch, &object.Scratch{})
	}
	s := f.scratch[f.used]
	f.used++
	s.Set(o)
	return e.keep(s.Lookup(object.Path{}))
}
