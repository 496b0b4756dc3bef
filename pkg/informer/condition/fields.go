package condition

import (
	"github.com/informerd/informerd/pkg/informer/object"
)

// Fields reads the fields that lists of conditions ask about, event after event: each field
// once for all lists that were compiled with it. It serves one goroutine at a time, and
// keeps the last event's objects. The zero value is ready.
type Fields struct {
	sides [2]side
	// pair counts the pairs of objects.
	pair uint64
}

// The two objects of an event.
const (
	now    = iota // the object
	before        // the state before it
)

// side reads fields of one of an event's objects.
type side struct {
	fields map[string]int // the slot of each field, by its path
	slots  []slot
	walks  []walk

	object  *object.Object
	scratch object.Scratch
	cells   []cell
	values  []object.Value
}

// slot is a field that is read, and the fields that are read of its items if it is a list.
type slot struct {
	path  object.Path
	items *items
	whole bool // the list is read to its end
}

// walk reads consecutive slots, as many as one set of paths can have.
type walk struct {
	from, to int
	paths    *object.Paths
	done     bool // for the current object
}

// slotOf returns the slot of a field, which it adds if there is none.
func (s *side) slotOf(path object.Path) int {
	text := path.String()
	i, ok := s.fields[text]
	if !ok {
		if s.fields == nil {
			s.fields = map[string]int{}
		}
		i = len(s.slots)
		s.fields[text] = i
		s.slots = append(s.slots, slot{path: path})
		s.cells, s.values = append(s.cells, cell{}), append(s.values, object.Value{})
		s.forget()
		if n := len(s.walks); n > 0 && s.walks[n-1].to-s.walks[n-1].from < object.MaxPaths {
			s.walks[n-1].to, s.walks[n-1].paths = i+1, nil
		} else {
			s.walks = append(s.walks, walk{from: i, to: i + 1})
		}
	}
	return i
}

// itemsOf returns what is read of the items of a slot.
func (s *side) itemsOf(slot int) *items {
	if s.slots[slot].items == nil {
		s.slots[slot].items = &items{}
		s.walks[slot/object.MaxPaths].paths = nil
	}
	s.forget()
	return s.slots[slot].items
}

// readWhole makes a list be read to its end.
func (s *side) readWhole(slot int) {
	s.slots[slot].whole = true
	s.walks[slot/object.MaxPaths].paths = nil
	s.forget()
}

// forget makes everything be read again.
func (s *side) forget() { s.object = nil }

// set makes a side read an object, unless it is the current one.
func (f *Fields) set(i int, o *object.Object) {
	s := &f.sides[i]
	if s.object == o {
		return
	}
	f.pair++
	s.object = o
	for i := range s.walks {
		s.walks[i].done = false
	}
	s.scratch.Set(o)
}

// read returns a field of the object, with all the other fields of its walk.
func (s *side) read(i int) *cell {
	if w := &s.walks[i/object.MaxPaths]; !w.done {
		s.walk(w)
	}
	return &s.cells[i]
}

func (s *side) walk(w *walk) {
	if w.paths == nil {
		paths := make([]object.Path, 0, w.to-w.from)
		var lists []int // those that are read item by item
		for i, slot := range s.slots[w.from:w.to] {
			if paths = append(paths, slot.path); slot.items != nil && !slot.whole {
				lists = append(lists, i)
			}
		}
		w.paths = object.NewPaths(paths...).Open(lists...)
	}
	values := s.values[w.from:w.to]
	clear(values)
	s.scratch.LookupAll(w.paths, values)
	for i, v := range values {
		s.cells[w.from+i].set(v)
		if items := s.slots[w.from+i].items; items != nil {
			items.read = false
		}
	}
	w.done = true
}

// items reads fields of the items of a list.
type items struct {
	fields map[string]int
	paths  []object.Path
	set    *object.Paths

	rows   []cell // of one item after another
	n      int    // items
	read   bool
	long   bool // there are more than MaxItems
	values []object.Value
}

// fieldOf returns the place of a field among those of an item, -1 if there are too many.
func (it *items) fieldOf(path object.Path) int {
	text := path.String()
	i, ok := it.fields[text]
	switch {
	case ok:
		return i
	case len(it.paths) == object.MaxPaths:
		return -1
	case it.fields == nil:
		it.fields = map[string]int{}
	}
	i = len(it.paths)
	it.fields[text], it.set = i, nil
	it.paths = append(it.paths, path)
	return i
}

// fill reads the items of a list, once for each object.
func (it *items) fill(list object.Value) {
	if it.read {
		return
	}
	it.read, it.long, it.n = true, false, 0
	if it.set == nil {
		it.set = object.NewPaths(it.paths...)
		it.values = make([]object.Value, len(it.paths))
		it.rows = nil
	}
	list.Each(func(item object.Value) bool {
		if it.n == MaxItems {
			it.long = true
			return false
		}
		it.n++
		if need := it.n * len(it.paths); len(it.rows) < need {
			it.rows = append(it.rows, make([]cell, need-len(it.rows))...)
		}
		clear(it.values)
		it.set.In(item, it.values)
		row := it.row(it.n - 1)
		for i, v := range it.values {
			row[i].set(v)
		}
		return true
	})
}

// row returns the fields of the i-th item.
func (it *items) row(i int) []cell {
	n := len(it.paths)
	return it.rows[i*n : (i+1)*n]
}
