package store

import (
	"maps"
	"slices"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Cursor is a place among the objects that stays valid whatever is changed. Looking at all objects
// in steps neither holds the lock nor, as a snapshot would, keeps old states in memory meanwhile.
// Objects that are added before the place in the meantime are missed.
type Cursor struct {
	namespaces []string // not yet passed
	hash       uint64   // of the last object that was passed in the first of them
	inside     bool     // there is one
}

// Ended reports whether all objects were passed.
func (c *Cursor) Ended() bool { return len(c.namespaces) == 0 }

// Begin returns the place before all objects.
func (s *Store) Begin() Cursor {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return Cursor{namespaces: slices.Collect(maps.Keys(s.namespaces))}
}

// Look calls f for the next n objects at most, fewer if f returns false, and moves the cursor
// behind them. It returns how many were passed. The store is locked meanwhile.
func (s *Store) Look(c *Cursor, n int, f func(*object.Object) bool) (passed int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var last *object.Object
	for !c.Ended() {
		last = nil
		objects := s.namespaces[c.namespaces[0]]
		all := objects == nil || objects.root == nil ||
			objects.root.behind(c.hash, c.inside, 0, func(o *object.Object) bool {
				last = o
				passed++
				return f(o) && passed < n
			})
		if !all {
			c.hash, c.inside = hashKey(last.Key()), true
			break
		}
		c.namespaces, c.inside = c.namespaces[1:], false
	}
	return passed
}

// Exchange replaces an object with another form of the same state, unless it has been replaced or
// removed meanwhile. It returns how many bytes that frees.
func (s *Store) Exchange(o, form *object.Object) (freed int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	objects := s.namespaces[o.Namespace()]
	if objects == nil || objects.get(o.Key()) != o {
		return 0
	}
	objects.put(form)
	for _, ix := range s.indexes {
		ix.exchange(o, form)
	}
	freed = int64(o.Release()) - int64(form.Hold())
	s.memory -= freed
	return freed
}

// exchange replaces an object with its new form wherever it is found.
func (ix *index) exchange(o, form *object.Object) {
	under, found := ix.under[o]
	if !found {
		return
	}
	delete(ix.under, o)
	ix.under[form] = under
	ix.buckets[under.first].put(form)
	for _, value := range under.more {
		ix.buckets[value].put(form)
	}
}
