package eval

import (
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// foundOnce keeps what was found for an event.
type foundOnce struct {
	generation uint64
	value      any
}

func (e *Evaluator) findConstant(i int) func() any {
	f := &e.program.finds[i]
	return func() any {
		once := &e.functions.finds[i]
		if once.generation != e.generation {
			*once = foundOnce{e.generation, e.findIn(f.finder, e.read(f.field), f.value)}
		}
		return once.value
	}
}

// finder returns owner or condition for arguments that are not constant.
func (e *Evaluator) finder(f lang.Finder) func(list, value any) any {
	return func(list, value any) any { return e.find(f, list, value) }
}

// find returns the result of owner or condition for a value that is not constant.
func (e *Evaluator) find(f lang.Finder, list, value any) any {
	v := e.load(value)
	if v.Kind == values.KindNil {
		return nil
	}
	if v.Kind != values.KindText {
		fail("%s takes a string, got %s", f.Name, values.TypeName(value))
	}
	r, ok := list.(values.Ref)
	if !ok {
		return nil
	}
	return e.findIn(f, r.Value, v.Text)
}

// findIn returns the item of a list in which the member that the finder names is the value,
// nil if there is none.
func (e *Evaluator) findIn(f lang.Finder, list *object.Value, value string) any {
	e.charge(1 + len(list.Raw())/itemizedBytes)
	var found object.Value
	list.Each(func(item object.Value) bool {
		if name := item.Get(f.Key); name.Kind() != object.String || name.Text() != value {
			return true
		}
		first := f.First == "" || item.Get(f.First).Bool()
		if first || !found.Exists() {
			found = item
		}
		return !first
	})
	return e.keep(found)
}
