package plugins

import (
	"slices"

	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

var cacheFunctions = []function{
	cacheFunc("resource", (*cacheState).resource),
	cacheFunc("get", (*cacheState).get),
	cacheFunc("by_index", (*cacheState).byIndex),
	cacheFunc("iter_next", (*cacheState).next),
	cacheFunc("iter_field", (*cacheState).field),
	cacheFunc("iter_close", (*cacheState).close),
}

func cacheFunc(name string, body func(*cacheState, call, []uint64)) function {
	return define(abi.ModuleCache, name,
		func(c call, stack []uint64) { body(&c.cache, c, stack) })
}

// cacheGrant returns what bounds the guest's reading.
func (g *guest) cacheGrant() *CacheGrant { return g.handler.spec.Grants.Cache }

// covers reports whether objects of a namespace may be read.
func (g *CacheGrant) covers(namespace string) bool {
	return len(g.Namespaces) == 0 || slices.Contains(g.Namespaces, namespace)
}

// Iterators are kept for the next event, with the memory they unpack objects into, as long as they
// are few and the objects were small: most guests use one at a time.
const (
	keptIterators  = 4
	keptObjectSize = 64 << 10
)

// cacheState is what a guest reads of the caches during one event.
type cacheState struct {
	iterators []*iterator // by their numbers
	items     int
	bytes     int64
}

// iterator is before, on or behind one of some objects.
type iterator struct {
	open    bool
	objects []*object.Object // those that are left
	current *object.Object   // nil: it is on none
	scratch object.Scratch   // holds current
	largest int              // size of an object that scratch has held
}

// endEvent closes all iterators, and starts counting again.
func (s *cacheState) endEvent() {
	s.items, s.bytes = 0, 0
	for _, it := range s.iterators {
		it.close()
	}
	if len(s.iterators) > keptIterators {
		s.iterators = slices.Clone(s.iterators[:keptIterators])
	}
}

// open returns the first iterator that is free, and false if there are too many.
func (s *cacheState) open() (number int, it *iterator, ok bool) {
	number = slices.IndexFunc(s.iterators, func(it *iterator) bool { return !it.open })
	if number < 0 {
		if len(s.iterators) == abi.MaxIterators {
			return 0, nil, false
		}
		number = len(s.iterators)
		s.iterators = append(s.iterators, &iterator{})
	}
	it = s.iterators[number]
	it.open = true
	return number, it, true
}

func (it *iterator) close() {
	if it.largest > keptObjectSize {
		*it = iterator{}
		return
	}
	it.set(nil)
	it.open, it.objects = false, nil
}

func (it *iterator) set(o *object.Object) {
	it.current = o
	it.scratch.Set(o)
	if o != nil {
		it.largest = max(it.largest, o.Size())
	}
}

// move puts an iterator on an object, if the grant's amount for the event is not used up.
func (s *cacheState) move(c call, it *iterator, o *object.Object) abi.Status {
	size := int64(o.Size())
	grant := c.cacheGrant()
	if s.items >= grant.MaxItems || s.bytes+size > grant.MaxBytes {
		it.set(nil)
		return abi.Quota
	}
	s.items++
	s.bytes += size
	it.set(o)
	return 0
}

// iterator returns an open iterator by its number.
func (s *cacheState) iterator(c call, number uint32) (*iterator, abi.Status) {
	if c.phase != phaseEvent {
		return nil, abi.WrongPhase
	}
	if uint64(number) >= uint64(len(s.iterators)) || !s.iterators[number].open {
		return nil, abi.BadArgument
	}
	return s.iterators[number], 0
}

// lookup checks and reads the arguments that get and by_index have in common.
func (s *cacheState) lookup(c call, stack []uint64) (cacheLookup, abi.Status) {
	if c.phase != phaseEvent {
		return cacheLookup{}, abi.WrongPhase
	}
	resource, informers := uint32(stack[0]), c.cacheGrant().Informers
	first := c.read(uint32(stack[1]), uint32(stack[2]))
	second := c.read(uint32(stack[3]), uint32(stack[4]))
	switch {
	case uint64(resource) >= uint64(len(informers)) || len(first) > abi.MaxLookup ||
		len(second) > abi.MaxLookup:
		return cacheLookup{}, abi.BadArgument
	case c.handler.spec.Caches == nil:
		return cacheLookup{}, abi.Unavailable
	}
	return cacheLookup{informers[resource], string(first), string(second)}, 0
}

// cacheLookup is what is looked up: a namespace and a name, or an index and a value.
type cacheLookup struct {
	informer, first, second string
}

func (s *cacheState) resource(c call, stack []uint64) {
	name := c.read(uint32(stack[0]), uint32(stack[1]))
	for i, informer := range c.cacheGrant().Informers {
		if string(name) == informer {
			stack[0] = uint64(i)
			return
		}
	}
	stack[0] = i32(abi.Denied)
	if len(name) > abi.MaxLookup {
		stack[0] = i32(abi.BadArgument)
	}
}

func (s *cacheState) get(c call, stack []uint64) {
	number, status := s.found(c, stack)
	stack[0] = uint64(number)
	if status != 0 {
		stack[0] = i32(status)
	}
}

// found returns the number of an iterator on the object that get looks up.
func (s *cacheState) found(c call, stack []uint64) (number int, status abi.Status) {
	l, status := s.lookup(c, stack)
	switch {
	case status != 0:
		return 0, status
	case !c.cacheGrant().covers(l.first):
		return 0, abi.Denied
	}
	o := c.handler.spec.Caches.Get(l.informer, l.first, l.second)
	if o == nil || !c.cacheGrant().covers(o.Namespace()) {
		return 0, abi.NotFound
	}
	number, it, ok := s.open()
	if !ok {
		return 0, abi.Quota
	}
	if status := s.move(c, it, o); status != 0 {
		it.close()
		return 0, status
	}
	return number, 0
}

func (s *cacheState) byIndex(c call, stack []uint64) {
	l, status := s.lookup(c, stack)
	if status != 0 {
		stack[0] = i32(status)
		return
	}
	number, it, ok := s.open()
	if !ok {
		stack[0] = i32(abi.Quota)
		return
	}
	it.objects = c.handler.spec.Caches.ByIndex(l.informer, l.first, l.second)
	c.charge(bytesPerUnit * len(it.objects))
	stack[0] = uint64(number)
}

func (s *cacheState) next(c call, stack []uint64) {
	it, status := s.iterator(c, uint32(stack[0]))
	if status != 0 {
		stack[0] = i32(status)
		return
	}
	for len(it.objects) > 0 {
		o := it.objects[0]
		if !c.cacheGrant().covers(o.Namespace()) {
			it.objects = it.objects[1:]
			continue
		}
		// After an error the object is not passed over: the next call returns the same.
		if status := s.move(c, it, o); status != 0 {
			stack[0] = i32(status)
			return
		}
		it.objects = it.objects[1:]
		stack[0] = 1
		return
	}
	it.set(nil)
	stack[0] = 0
}

func (s *cacheState) field(c call, stack []uint64) {
	handle, ptr, room := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	it, status := s.iterator(c, uint32(stack[0]))
	if status != 0 {
		stack[0] = i64(status)
		return
	}
	var path object.Path // the whole object
	if int32(handle) != abi.WholeObject {
		var ok bool
		if path, ok = c.path(handle); !ok {
			stack[0] = i64(abi.BadArgument)
			return
		}
	}
	if it.current == nil {
		stack[0] = i64(abi.NotFound)
		return
	}
	c.charge(it.current.Size())
	value, text := it.scratch.Lookup(path), ""
	if value.Exists() {
		text = value.Text()
	}
	stack[0] = uint64(abi.PackField(abi.Tag(value.Kind()), uint32(c.answer(ptr, room, text))))
}

func (s *cacheState) close(c call, stack []uint64) {
	it, status := s.iterator(c, uint32(stack[0]))
	if status == 0 {
		it.close()
	}
	stack[0] = i32(status)
}
