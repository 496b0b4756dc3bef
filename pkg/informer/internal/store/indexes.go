package store

import (
	"fmt"
	"maps"
	"slices"

	"github.com/informerd/informerd/pkg/informer/object"
)

// AddIndexes adds all or, if a name is taken, none. Objects already stored are indexed.
func (s *Store) AddIndexes(funcs map[string]indexFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range funcs {
		if s.hasIndex(name) {
			return fmt.Errorf("index %q: %w", name, ErrIndexExists)
		}
	}
	for name, values := range funcs {
		s.addIndexLocked(name, values)
	}
	return nil
}

// AddMissingIndexes adds those whose names are not taken.
func (s *Store) AddMissingIndexes(funcs map[string]indexFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, values := range funcs {
		if !s.hasIndex(name) {
			s.addIndexLocked(name, values)
		}
	}
}

func (s *Store) hasIndex(name string) bool {
	return name == NamespaceIndex || s.indexes[name] != nil
}

func (s *Store) addIndexLocked(name string, values indexFunc) {
	ix := &index{values: values, buckets: map[string]*tree{}, under: map[*object.Object]indexed{}}
	for _, objects := range s.namespaces {
		objects.each(func(o *object.Object) { ix.change(nil, o, o.Plain()) })
	}
	s.indexes[name] = ix
}

// buckets returns those of an index. The caller holds mu.
func (s *Store) buckets(name string) (map[string]*tree, error) {
	if name == NamespaceIndex {
		return s.namespaces, nil
	}
	ix := s.indexes[name]
	if ix == nil {
		names := slices.Sorted(maps.Keys(s.indexes))
		return nil, fmt.Errorf("index %q: %w; there are %q", name, ErrNoIndex,
			append(names, NamespaceIndex))
	}
	return ix.buckets, nil
}

// ByIndex returns the objects found under one value, in any order.
func (s *Store) ByIndex(name, value string) ([]*object.Object, error) {
	s.mu.Lock()
	buckets, err := s.buckets(name)
	var found tree
	if bucket := buckets[value]; bucket != nil {
		found = bucket.snapshot()
	}
	s.mu.Unlock()
	return found.list(), err
}

// IndexValues returns the values an index has, in any order.
func (s *Store) IndexValues(name string) ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	buckets, err := s.buckets(name)
	return slices.Collect(maps.Keys(buckets)), err
}
