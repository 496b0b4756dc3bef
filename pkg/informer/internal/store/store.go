package informer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// IndexFunc gives the values under which an object is found in an index; none, one or more. It must
// not block, and give the same values for the same object.
type IndexFunc func(*object.Object) []string

// NamespaceIndex is the index every informer has.
const NamespaceIndex = "namespace"

// IndexByPath indexes objects by the text of a field. Objects without it are not in the index; an
// array is taken item by item.
func IndexByPath(path object.Path) IndexFunc {
	return func(o *object.Object) []string {
		switch v := path.Lookup(o); v.Kind() {
		case object.Missing, object.Null, object.ObjectKind:
			return nil
		case object.Array:
			var values []string
			v.Each(func(item object.Value) bool {
				values = append(values, item.Text())
				return true
			})
			return values
		default:
			return []string{v.Text()}
		}
	}
}

// WithinNamespace makes of an index one of the same values within each namespace: of an object in
// the namespace shop, the value web becomes "shop/web". It finds the objects of one namespace
// however many others have the value.
func WithinNamespace(f IndexFunc) IndexFunc {
	return func(o *object.Object) []string {
		values := f(o)
		within := make([]string, len(values))
		for i, value := range values {
			within[i] = o.Namespace() + "/" + value
		}
		return within
	}
}

// indexer is the informer's store: the last applied state of each object, and the indexes over it.
// The controller alone writes, on one goroutine at a time; all methods are safe for concurrent use.
// Objects are immutable, so nobody needs to copy what is returned.
//
// The lock is never held for longer than one change takes: who reads many objects takes a snapshot
// and lets go of it.
type indexer struct {
	mu sync.RWMutex
	// namespaces hold the objects, in their stored form. So the index by namespace costs nothing,
	// and with many objects half as much memory has to be touched for a change.
	namespaces map[string]*tree
	n          int
	indexes    map[string]*index // the others
	bytes      int64             // text of all objects
	memory     int64             // what they take
	// applying is what the controller is applying, from before the store is changed until the
	// subscriptions were offered the event, if there are subscriptions with resyncs.
	applying atomic.Pointer[object.Object]
}

// index finds objects by a value. A bucket that becomes empty is removed.
type index struct {
	values  IndexFunc
	buckets map[string]*tree
	// under is where each object in the store is found, if anywhere: so an old state is never read
	// again, and is removed from where it is, whatever the function would return for it now.
	under map[*object.Object]indexed
}

// indexed are the values under which an object is found, in memory of their own.
type indexed struct {
	first string
	more  []string
}

func newIndexer() *indexer {
	return &indexer{namespaces: map[string]*tree{}, indexes: map[string]*index{}}
}

// addIndexes adds all or, if a name is taken, none. Objects already stored are indexed.
func (s *indexer) addIndexes(funcs map[string]IndexFunc) error {
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

// addMissingIndexes adds those whose names are not taken.
func (s *indexer) addMissingIndexes(funcs map[string]IndexFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, values := range funcs {
		if !s.hasIndex(name) {
			s.addIndexLocked(name, values)
		}
	}
}

func (s *indexer) hasIndex(name string) bool {
	return name == NamespaceIndex || s.indexes[name] != nil
}

func (s *indexer) addIndexLocked(name string, values IndexFunc) {
	ix := &index{values: values, buckets: map[string]*tree{}, under: map[*object.Object]indexed{}}
	for _, objects := range s.namespaces {
		objects.each(func(o *object.Object) { ix.change(nil, o, o.Plain()) })
	}
	s.indexes[name] = ix
}

// of calls the index function; one that panics leaves the object out of its index and the process
// alive.
func (ix *index) of(o *object.Object) (values []string) {
	defer func() {
		if recover() != nil {
			values = nil
		}
	}()
	return ix.values(o)
}

// change moves an object from where its old state is found to where its new one is. Either may be
// nil. plain is the new one in the form that is read with the least effort.
func (ix *index) change(old, o, plain *object.Object) {
	was, found := ix.under[old]
	var is []string
	if o != nil {
		is = ix.of(plain)
	}
	if found {
		delete(ix.under, old)
		if !slices.Contains(is, was.first) {
			ix.remove(old, was.first)
		}
		for _, v := range was.more {
			if !slices.Contains(is, v) {
				ix.remove(old, v)
			}
		}
	}
	if len(is) == 0 {
		return
	}
	for _, v := range is {
		bucketOf(ix.buckets, v).put(o)
	}
	ix.under[o] = was.become(is, found)
}

func (ix *index) remove(o *object.Object, value string) {
	if bucket := ix.buckets[value]; bucket != nil {
		bucket.remove(o.Key())
		if bucket.n == 0 {
			delete(ix.buckets, value)
		}
	}
}

// become returns what the values are now. It copies those that are new, because a value may be part
// of an object's text, which it will outlive.
func (i indexed) become(values []string, known bool) indexed {
	if !known || i.first != values[0] {
		i.first = strings.Clone(values[0])
	}
	if !slices.Equal(i.more, values[1:]) {
		i.more = make([]string, 0, len(values)-1)
		for _, v := range values[1:] {
			i.more = append(i.more, strings.Clone(v))
		}
	}
	return i
}

// bucketOf gives the bucket of a value, made if there is none.
func bucketOf(buckets map[string]*tree, value string) *tree {
	bucket := buckets[value]
	if bucket == nil {
		bucket = &tree{}
		// A copy, because the value may be part of an object's text, which the bucket will outlive.
		buckets[strings.Clone(value)] = bucket
	}
	return bucket
}

func (s *indexer) get(key event.Key) *object.Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if objects := s.namespaces[key.Namespace]; objects != nil {
		return objects.get(key)
	}
	return nil
}

// put stores a new state.
func (s *indexer) put(o *object.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := o.Stored()
	old := bucketOf(s.namespaces, stored.Namespace()).put(stored)
	s.changed(old, stored, o)
}

// fill stores the objects whose keys are new, and returns both those and the others.
func (s *indexer) fill(objects []*object.Object) (added, others []*object.Object) {
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
func (s *indexer) add(o *object.Object) (added bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := o.Stored()
	if added = bucketOf(s.namespaces, stored.Namespace()).add(stored); added {
		s.changed(nil, stored, o)
	}
	return added
}

func (s *indexer) remove(key event.Key) {
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

// changed keeps indexes and sizes true. The caller holds mu.
func (s *indexer) changed(old, o, plain *object.Object) {
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

// snapshot gives all objects as they are now, namespace by namespace. Without changes between them,
// two snapshots have the same order.
func (s *indexer) snapshot() (trees []tree, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	trees = make([]tree, 0, len(s.namespaces))
	for _, namespace := range slices.Sorted(maps.Keys(s.namespaces)) {
		trees = append(trees, s.namespaces[namespace].snapshot())
	}
	return trees, s.n
}

// each calls f for every object of a snapshot.
func (s *indexer) each(f func(*object.Object)) {
	trees, _ := s.snapshot()
	for i := range trees {
		trees[i].each(f)
	}
}

// list is one consistent snapshot, in any order.
func (s *indexer) list() []*object.Object {
	trees, n := s.snapshot()
	all := make([]*object.Object, 0, n)
	for i := range trees {
		trees[i].each(func(o *object.Object) { all = append(all, o) })
	}
	return all
}

// buckets gives those of an index. The caller holds mu.
func (s *indexer) buckets(name string) (map[string]*tree, error) {
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

// byIndex gives the objects found under one value, in any order.
func (s *indexer) byIndex(name, value string) ([]*object.Object, error) {
	s.mu.Lock()
	buckets, err := s.buckets(name)
	var found tree
	if bucket := buckets[value]; bucket != nil {
		found = bucket.snapshot()
	}
	s.mu.Unlock()
	return found.list(), err
}

// indexValues gives the values an index has, in any order.
func (s *indexer) indexValues(name string) ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	buckets, err := s.buckets(name)
	return slices.Collect(maps.Keys(buckets)), err
}

func (s *indexer) isApplying(key event.Key) bool {
	o := s.applying.Load()
	return o != nil && o.Key() == key
}

func (s *indexer) size() (objects int, bytes, memory int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.n, s.bytes, s.memory
}
