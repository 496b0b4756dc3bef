package informer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/informerd/informerd/pkg/informer/event"
)

// IndexFunc gives the values under which an object is found in an index; none, one or more. It must not block, and give
// the same values for the same object.
type IndexFunc func(*event.Object) []string

// NamespaceIndex is the index every informer has.
const NamespaceIndex = "namespace"

// IndexByPath indexes objects by the text of a field. Objects without it are not in the index; an array is taken item by
// item.
func IndexByPath(path event.Path) IndexFunc {
	return func(o *event.Object) []string {
		switch v := path.Lookup(o); v.Kind() {
		case event.Missing, event.Null, event.ObjectKind:
			return nil
		case event.Array:
			var values []string
			v.Each(func(item event.Value) bool {
				values = append(values, item.Text())
				return true
			})
			return values
		default:
			return []string{v.Text()}
		}
	}
}

// indexer is the informer's store: the last applied state of each object, and the indexes over it. The controller alone
// writes; all methods are safe for concurrent use. Objects are immutable, so what it gives needs no copy.
type indexer struct {
	mu      sync.RWMutex
	items   map[event.Key]*item
	indexes map[string]*index
	bytes   int64 // text of all objects
}

// item is an object's fixed place: indexes point at it, so that a new state of the object leaves alone each index whose
// values have not changed.
type item struct{ object *event.Object }

type index struct {
	values  IndexFunc
	buckets map[string]map[*item]struct{}
}

func newIndexer() *indexer {
	s := &indexer{items: map[event.Key]*item{}, indexes: map[string]*index{}}
	_ = s.addIndexes(map[string]IndexFunc{ // the only index there is cannot clash
		NamespaceIndex: func(o *event.Object) []string { return []string{o.Namespace()} },
	})
	return s
}

// addIndexes adds all or, if a name is taken, none. Objects already stored are indexed.
func (s *indexer) addIndexes(funcs map[string]IndexFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range funcs {
		if s.indexes[name] != nil {
			return fmt.Errorf("index %q: %w", name, ErrIndexExists)
		}
	}
	for name, values := range funcs {
		s.addIndexLocked(name, values)
	}
	return nil
}

// addMissingIndexes adds those whose names are not taken.
func (s *indexer) addMissingIndexes(funcs map[string]IndexFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, values := range funcs {
		if s.indexes[name] == nil {
			s.addIndexLocked(name, values)
		}
	}
}

func (s *indexer) addIndexLocked(name string, values IndexFunc) {
	ix := &index{values: values, buckets: map[string]map[*item]struct{}{}}
	for _, it := range s.items {
		ix.add(it, ix.of(it.object))
	}
	s.indexes[name] = ix
}

// of calls the index function; one that panics leaves the object out of its index and the process alive.
func (ix *index) of(o *event.Object) (values []string) {
	defer func() {
		if recover() != nil {
			values = nil
		}
	}()
	return ix.values(o)
}

func (ix *index) add(it *item, values []string) {
	for _, v := range values {
		if ix.buckets[v] == nil {
			// A copy, because v may be part of an object's text, which the bucket will outlive.
			ix.buckets[strings.Clone(v)] = map[*item]struct{}{}
		}
		ix.buckets[v][it] = struct{}{}
	}
}

func (ix *index) remove(it *item, values []string) {
	for _, v := range values {
		delete(ix.buckets[v], it)
		if len(ix.buckets[v]) == 0 {
			delete(ix.buckets, v)
		}
	}
}

func (s *indexer) get(key event.Key) *event.Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if it := s.items[key]; it != nil {
		return it.object
	}
	return nil
}

// put stores a new state.
func (s *indexer) put(o *event.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := o.Key()
	it := s.items[key]
	if it == nil {
		it = &item{object: o}
		for _, ix := range s.indexes {
			ix.add(it, ix.of(o))
		}
	} else {
		old := it.object
		it.object = o
		for _, ix := range s.indexes {
			was, is := ix.of(old), ix.of(o)
			if !slices.Equal(was, is) {
				ix.remove(it, was)
				ix.add(it, is)
			}
		}
		s.bytes -= int64(old.Size())
	}
	s.bytes += int64(o.Size())
	// Set even if it is there: the key's strings are part of the object's text, and must be those of the new one, or the
	// map would hold on to the old text.
	s.items[key] = it
}

func (s *indexer) remove(key event.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it := s.items[key]
	if it == nil {
		return
	}
	for _, ix := range s.indexes {
		ix.remove(it, ix.of(it.object))
	}
	s.bytes -= int64(it.object.Size())
	delete(s.items, key)
}

// each calls f for every object, under the read lock: f must be quick and not call the indexer.
func (s *indexer) each(f func(*event.Object)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, it := range s.items {
		f(it.object)
	}
}

// list is one consistent snapshot, in any order.
func (s *indexer) list() []*event.Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]*event.Object, 0, len(s.items))
	for _, it := range s.items {
		all = append(all, it.object)
	}
	return all
}

// byIndex gives the objects found under one value, in any order.
func (s *indexer) byIndex(name, value string) ([]*event.Object, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ix := s.indexes[name]
	if ix == nil {
		return nil, fmt.Errorf("index %q: %w; there are %q", name, ErrNoIndex, slices.Sorted(maps.Keys(s.indexes)))
	}
	found := make([]*event.Object, 0, len(ix.buckets[value]))
	for it := range ix.buckets[value] {
		found = append(found, it.object)
	}
	return found, nil
}

// indexValues gives the values an index has, in any order.
func (s *indexer) indexValues(name string) ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ix := s.indexes[name]
	if ix == nil {
		return nil, fmt.Errorf("index %q: %w; there are %q", name, ErrNoIndex, slices.Sorted(maps.Keys(s.indexes)))
	}
	return slices.Collect(maps.Keys(ix.buckets)), nil
}

func (s *indexer) size() (objects int, bytes int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.items), s.bytes
}
