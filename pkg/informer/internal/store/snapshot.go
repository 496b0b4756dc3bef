package store

import (
	"iter"
	"maps"
	"slices"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Snapshot is all objects of one moment. It costs as much as there are namespaces, however many
// objects there are, and can be read by everybody.
type Snapshot struct {
	trees []tree
	n     int
}

// Snapshot returns all objects as they are now, namespace by namespace. Without changes between
// them, two snapshots have the same order.
func (s *Store) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	trees := make([]tree, 0, len(s.namespaces))
	for _, namespace := range slices.Sorted(maps.Keys(s.namespaces)) {
		trees = append(trees, s.namespaces[namespace].snapshot())
	}
	return Snapshot{trees, s.n}
}

// Len returns how many objects there are.
func (s Snapshot) Len() int { return s.n }

// Each calls f for every object.
func (s Snapshot) Each(f func(*object.Object)) {
	for i := range s.trees {
		s.trees[i].each(f)
	}
}

// All returns an iterator over the objects.
func (s Snapshot) All() iter.Seq[*object.Object] {
	return func(yield func(*object.Object) bool) {
		for walk := s.Walk(); ; {
			if o := walk.Next(); o == nil || !yield(o) {
				return
			}
		}
	}
}

// List returns the objects of a snapshot, in any order.
func (s *Store) List() []*object.Object {
	snapshot := s.Snapshot()
	all := make([]*object.Object, 0, snapshot.n)
	snapshot.Each(func(o *object.Object) { all = append(all, o) })
	return all
}

// Walk goes through a snapshot object by object. It takes no memory for each object. The zero value
// is at the end.
type Walk struct {
	trees []tree // that it has not come to
	tree  treeWalk
}

// Walk returns a walk that begins with the first object.
func (s Snapshot) Walk() Walk { return Walk{trees: s.trees} }

// Next returns the next object, nil at the end.
func (w *Walk) Next() *object.Object {
	for {
		if o := w.tree.next(); o != nil {
			return o
		}
		if len(w.trees) == 0 {
			return nil
		}
		w.tree, w.trees = w.trees[0].walk(), w.trees[1:]
	}
}

// treeWalk goes through a tree object by object, in any order. The tree must not be changed
// meanwhile, so it is one for snapshots. The zero value is at the end.
type treeWalk struct{ path []treeStep }

type treeStep struct {
	node *treeNode
	next int // slot
}

func (t *tree) walk() treeWalk {
	if t.root == nil {
		return treeWalk{}
	}
	return treeWalk{path: []treeStep{{node: t.root}}}
}

// next returns the next object, nil at the end.
func (w *treeWalk) next() *object.Object {
	for len(w.path) > 0 {
		at := &w.path[len(w.path)-1]
		if at.next == len(at.node.slots) {
			w.path = w.path[:len(w.path)-1]
			continue
		}
		s := at.node.slots[at.next]
		at.next++
		if s.node == nil {
			return s.object
		}
		w.path = append(w.path, treeStep{node: s.node})
	}
	return nil
}
