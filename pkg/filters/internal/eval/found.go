package eval

import (
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// findConstant returns owner or condition for a constant, which searches the field of that number
// once for an event.
func (e *Evaluator) findConstant(f lang.Finder, list int, value string) func() any {
	var (
		generation uint64
		found      any
	)
	return func() any {
		if generation != e.generation {
			generation, found = e.generation, e.findIn(f, e.read(list), value)
		}
		return found
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
