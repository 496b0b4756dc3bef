package informer

import (
	"maps"
	"slices"

	"github.com/informerd/informerd/pkg/informer/object"
)

// cursor is a place in the store that stays one whatever is changed: who looks at all objects in
// steps neither holds the lock nor keeps old states in memory meanwhile, as a snapshot would. What
// comes before the place in the meantime is missed.
type cursor struct {
	namespaces []string // that are left
	hash       uint64   // of the last object that was passed in the first of them
	inside     bool     // there is one
}

func (c *cursor) ended() bool { return len(c.namespaces) == 0 }

// begin returns the place before all objects.
func (s *indexer) begin() cursor {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return cursor{namespaces: slices.Collect(maps.Keys(s.namespaces))}
}

// look moves a cursor on by n objects at most, and fewer if f returns false for one. It returns by
// how many. The store is locked meanwhile.
func (s *indexer) look(c *cursor, n int, f func(*object.Object) bool) (passed int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var last *object.Object
	for !c.ended() {
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

// exchange puts another form of an object in its place, unless it has been replaced or removed. It
// returns how many bytes less that takes.
func (s *indexer) exchange(o, form *object.Object) (freed int64) {
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

// exchange has an object found in its new form wherever it is found.
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
