package eval

import (
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// lookupKey is the key of a lookup: the namespace and name, or the value of the index and
// the namespace or "".
type lookupKey struct {
	lookedUp
	first, second string
}

// lookup returns cached, byIndex or clusters. What was found is kept for the rest of the event, so
// that an expression sees one state of it.
func (e *Evaluator) lookup(l lookedUp) func(first, second any) any {
	return func(first, second any) any {
		x, y := e.load(first), e.load(second)
		if x.Kind == values.KindNil || y.Kind == values.KindNil {
			return nil
		}
		if x.Kind != values.KindText || y.Kind != values.KindText {
			wrong := first
			if x.Kind == values.KindText {
				wrong = second
			}
			fail("%s takes strings, got %s", l.Function, values.TypeName(wrong))
		}
		e.charge(10 + (len(x.Text)+len(y.Text))/scannedBytes)
		key := lookupKey{l, x.Text, y.Text}
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

// Missed reports whether something that the last evaluation looked up was not there. It may only
// not have come yet.
func (e *Evaluator) Missed() bool {
	for _, found := range e.functions.found {
		if items, _ := found.([]any); len(items) == 0 && (found == nil || items != nil) {
			return true
		}
	}
	return false
}

func (e *Evaluator) lookUp(key lookupKey) any {
	switch {
	case e.Caches == nil && key.Function == "cached":
		return nil
	case e.Caches == nil:
		return emptyList
	case key.Function == "cached":
		return e.open(e.Caches.Get(key.Informer, key.first, key.second))
	case key.Function == "clusters":
		return e.inClusters(e.Caches.InClusters(key.Informer, key.first, key.second))
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

// inClusters returns the list that clusters returns.
func (e *Evaluator) inClusters(all []lang.InCluster) any {
	e.charge(10 * len(all))
	e.grow(3 * itemBytes * len(all)) // a mapping, and two members of it
	items := make([]any, 0, len(all))
	for _, in := range all {
		items = append(items, map[string]any{"cluster": in.Cluster, "object": e.open(in.Object)})
	}
	return items
}

// keptScratches is the number of objects of other informers for which the memory to unpack
// them is kept.
const keptScratches = 8

// open reads an object, unpacks it if it is packed, and pays for that.
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
