package eval

import (
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// keep is Refer for a value that has no place of its own yet. Its cell lasts until the next
// event.
func (e *Evaluator) keep(v object.Value) any {
	if v.Kind() <= object.Null {
		return nil
	}
	if len(e.cells) == cap(e.cells) {
		// the Refs keep the full one
		e.cells = make([]object.Value, 0, max(64, 2*cap(e.cells)))
	}
	e.cells = append(e.cells, v)
	return values.Ref{Value: &e.cells[len(e.cells)-1]}
}

// load is the function of that name, paid for.
func (e *Evaluator) load(x any) values.Value {
	if r, ok := x.(values.Ref); ok {
		return e.loadJSON(*r.Value)
	}
	return values.Load(x)
}

func (e *Evaluator) loadJSON(v object.Value) values.Value {
	if raw := v.Raw(); len(raw) > freeBytes &&
		(v.Kind() == object.String || v.Kind() == object.Number) {
		e.charge(len(raw) / comparedBytes)
		if v.Kind() == object.Number || strings.IndexByte(raw, '\\') >= 0 {
			e.charge(len(raw) / decodedBytes)
		}
	}
	return values.LoadJSON(v)
}

// force decodes what was not decoded, also in lists and maps that the expression has made.
func (e *Evaluator) force(x any) any {
	switch x := x.(type) {
	case values.Ref:
		e.charge(1 + len(x.Raw())/builtBytes)
		e.grow(len(x.Raw()))
		return x.Any()
	case []any:
		e.charge(len(x))
		e.grow(itemBytes * len(x))
		items := make([]any, len(x))
		for i := range x {
			items[i] = e.force(x[i])
		}
		return items
	case map[string]any:
		e.charge(len(x))
		e.grow(itemBytes * len(x))
		members := make(map[string]any, len(x))
		for key := range x {
			members[key] = e.force(x[key])
		}
		return members
	default:
		return x
	}
}
