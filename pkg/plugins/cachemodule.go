package plugins

import (
	"slices"

	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// What the functions of informerd/cache.v1 do; package abi says what they mean.

// Iterators are kept for the next event, with the memory they unpack objects into, as long as they
// are few and the objects were small: most guests use one at a time.
const (
	keptIterators  = 4
	keptObjectSize = 64 << 10
)

// cacheState is what a guest reads of the caches during one event.
type cacheState struct {
	iterators []*cacheIterator // by their numbers
	items     int
	bytes     int64
}

// cacheIterator stands before, on or behind one of some objects.
type cacheIterator struct {
	open    bool
	objects []*object.Object // those that are left
	current *object.Object   // nil: it stands on none
	scratch object.Scratch   // holds current
	largest int              // size of an object that scratch has held
}

// reset closes what is open and lets the next event begin from nothing.
func (s *cacheState) reset() {
	s.items, s.bytes = 0, 0
	for _, it := range s.iterators {
		it.close()
	}
	if len(s.iterators) > keptIterators {
		s.iterators = slices.Clone(s.iterators[:keptIterators])
	}
}

// openIterator gives the first number that is free, and false if there are too many.
func (s *cacheState) openIterator() (number int, it *cacheIterator, ok bool) {
	number = slices.IndexFunc(s.iterators, func(it *cacheIterator) bool { return !it.open })
	if number < 0 {
		if len(s.iterators) == abi.MaxIterators {
			return 0, nil, false
		}
		number = len(s.iterators)
		s.iterators = append(s.iterators, &cacheIterator{})
	}
	it = s.iterators[number]
	it.open = true
	return number, it, true
}

func (it *cacheIterator) close() {
	if it.largest > keptObjectSize {
		*it = cacheIterator{}
		return
	}
	it.set(nil)
	it.open, it.objects = false, nil
}

func (it *cacheIterator) set(o *object.Object) {
	it.current = o
	it.scratch.Set(o)
	if o != nil {
		it.largest = max(it.largest, o.Size())
	}
}

// standOn lets an iterator stand on an object, if the grant's amount for the event is not used up.
func (c call) standOn(it *cacheIterator, o *object.Object) abi.Status {
	grant, size := c.module.spec.Grants.Cache, int64(o.Size())
	if c.cache.items >= grant.MaxItems || c.cache.bytes+size > grant.MaxBytes {
		it.set(nil)
		return abi.Quota
	}
	c.cache.items++
	c.cache.bytes += size
	it.set(o)
	return 0
}

// iterator finds an open iterator by its number.
func (c call) iterator(number uint32) (*cacheIterator, abi.Status) {
	if c.phase != phaseEvent {
		return nil, abi.WrongPhase
	}
	if uint64(number) >= uint64(len(c.cache.iterators)) || !c.cache.iterators[number].open {
		return nil, abi.BadArgument
	}
	return c.cache.iterators[number], 0
}

// lookup checks and reads the arguments that get and by_index have in common.
func (c call) lookup(stack []uint64) (l cacheLookup, s abi.Status) {
	if c.phase != phaseEvent {
		return cacheLookup{}, abi.WrongPhase
	}
	resource, informers := uint32(stack[0]), c.module.spec.Grants.Cache.Informers
	first, second := c.read(uint32(stack[1]), uint32(stack[2])), c.read(uint32(stack[3]),
		uint32(stack[4]))
	switch {
	case uint64(resource) >= uint64(len(informers)) || len(first) > abi.MaxLookup ||
		len(second) > abi.MaxLookup:
		return cacheLookup{}, abi.BadArgument
	case c.module.spec.Caches == nil:
		return cacheLookup{}, abi.Unavailable
	}
	return cacheLookup{informers[resource], string(first), string(second)}, 0
}

// cacheLookup is what is looked up: a namespace and a name, or an index and a value.
type cacheLookup struct {
	informer, first, second string
}

func cacheResource(c call, stack []uint64) {
	name := c.read(uint32(stack[0]), uint32(stack[1]))
	for i, informer := range c.module.spec.Grants.Cache.Informers {
		if string(name) == informer {
			stack[0] = uint64(i)
			return
		}
	}
	stack[0] = status(abi.Denied)
	if len(name) > abi.MaxLookup {
		stack[0] = status(abi.BadArgument)
	}
}

func cacheGet(c call, stack []uint64) {
	number, s := c.cacheGet(stack)
	stack[0] = uint64(number)
	if s != 0 {
		stack[0] = status(s)
	}
}

func (c call) cacheGet(stack []uint64) (number int, s abi.Status) {
	grant := c.module.spec.Grants.Cache
	l, s := c.lookup(stack)
	switch {
	case s != 0:
		return 0, s
	case !grant.covers(l.first):
		return 0, abi.Denied
	}
	o := c.module.spec.Caches.Get(l.informer, l.first, l.second)
	if o == nil || !grant.covers(o.Namespace()) {
		return 0, abi.NotFound
	}
	number, it, ok := c.cache.openIterator()
	if !ok {
		return 0, abi.Quota
	}
	if s := c.standOn(it, o); s != 0 {
		it.close()
		return 0, s
	}
	return number, 0
}

func cacheByIndex(c call, stack []uint64) {
	l, s := c.lookup(stack)
	if s != 0 {
		stack[0] = status(s)
		return
	}
	number, it, ok := c.cache.openIterator()
	if !ok {
		stack[0] = status(abi.Quota)
		return
	}
	it.objects = c.module.spec.Caches.ByIndex(l.informer, l.first, l.second)
	c.works(bytesPerUnit * len(it.objects))
	stack[0] = uint64(number)
}

func cacheNext(c call, stack []uint64) {
	it, s := c.iterator(uint32(stack[0]))
	if s != 0 {
		stack[0] = status(s)
		return
	}
	grant := c.module.spec.Grants.Cache
	for len(it.objects) > 0 {
		o := it.objects[0]
		if !grant.covers(o.Namespace()) {
			it.objects = it.objects[1:]
			continue
		}
		// the object is not passed over: the next call says the same
		if s := c.standOn(it, o); s != 0 {
			stack[0] = status(s)
			return
		}
		it.objects = it.objects[1:]
		stack[0] = 1
		return
	}
	it.set(nil)
	stack[0] = 0
}

func cacheField(c call, stack []uint64) {
	handle, ptr, room := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	it, s := c.iterator(uint32(stack[0]))
	var path object.Path // the whole object
	switch {
	case s != 0:
		stack[0] = status64(s)
		return
	case int32(handle) == abi.WholeObject:
	case uint64(handle) >= uint64(len(c.paths)):
		stack[0] = status64(abi.BadArgument)
		return
	default:
		path = c.paths[handle]
	}
	if it.current == nil {
		stack[0] = status64(abi.NotFound)
		return
	}
	c.works(it.current.Size())
	value, text := it.scratch.Lookup(path), ""
	if value.Exists() {
		text = value.Text()
	}
	stack[0] = uint64(abi.PackField(abi.Tag(value.Kind()), uint32(c.answer(ptr, room, text))))
}

func cacheClose(c call, stack []uint64) {
	it, s := c.iterator(uint32(stack[0]))
	if s == 0 {
		it.close()
	}
	stack[0] = status(s)
}
