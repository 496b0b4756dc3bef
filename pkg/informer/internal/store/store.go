package store

import (
	"sync"
	"sync/atomic"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Store is the last applied state of each object, and the indexes over them. One goroutine at a
// time writes; all methods are safe for concurrent use.
type Store struct {
	mu sync.RWMutex
	// namespaces hold the objects, in their stored form. So the index by namespace costs nothing,
	// and with many objects half as much memory has to be touched for a change.
	namespaces map[string]*tree
	n          int
	indexes    map[string]*index // the others
	bytes      int64             // text of all objects
	memory     int64             // what they take
	// applying is what is being applied, if anybody wants to know; see IsApplying.
	applying atomic.Pointer[object.Object]
}

// New returns an empty store.
func New() *Store {
	return &Store{namespaces: map[string]*tree{}, indexes: map[string]*index{}}
}

// Get returns the stored state of an object, nil if there is none.
func (s *Store) Get(key object.Key) *object.Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if objects := s.namespaces[key.Namespace]; objects != nil {
		return objects.get(key)
	}
	return nil
}

// Put stores a new state.
func (s *Store) Put(o *object.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := o.Stored()
	old := bucketOf(s.namespaces, stored.Namespace()).put(stored)
	s.changed(old, stored, o)
}

// Fill stores the objects whose keys are new, and returns both those and the others.
func (s *Store) Fill(objects []*object.Object) (added, others []*object.Object) {
	added = make([]*object.Object, 0, len(objects))
	for _, o := range objects {
		if s.add(o) {
			added = append(added, o)
		} else {
			others = append(others, o)
		}
	}
	return added, others
}

// add stores an object unless there is one of its key.
func (s *Store) add(o *object.Object) (added bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := o.Stored()
	if added = bucketOf(s.namespaces, stored.Namespace()).add(stored); added {
		s.changed(nil, stored, o)
	}
	return added
}

// Remove removes an object, if there is one of that key.
func (s *Store) Remove(key object.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	objects := s.namespaces[key.Namespace]
	if objects == nil {
		return
	}
	if old := objects.remove(key); old != nil {
		s.changed(old, nil, nil)
	}
	if objects.n == 0 {
		delete(s.namespaces, key.Namespace)
	}
}

// changed updates the indexes and sizes. The caller holds mu.
func (s *Store) changed(old, o, plain *object.Object) {
	for _, ix := range s.indexes {
		ix.change(old, o, plain)
	}
	if old != nil {
		s.n--
		s.bytes -= int64(old.Size())
		s.memory -= int64(old.Release())
	}
	if o != nil {
		s.n++
		s.bytes += int64(o.Size())
		s.memory += int64(o.Hold())
	}
}

// SetApplying notes which object is being applied, nil if none is any more. IsApplying says more.
func (s *Store) SetApplying(o *object.Object) { s.applying.Store(o) }

// IsApplying reports whether an object of that key is being applied: it is, from before the store
// is changed until the subscriptions were offered the event.
func (s *Store) IsApplying(key object.Key) bool {
	o := s.applying.Load()
	return o != nil && o.Key() == key
}

// Size returns how many objects there are, the length of their texts, and about how many bytes of
// memory they take.
func (s *Store) Size() (objects int, bytes, memory int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.n, s.bytes, s.memory
}
