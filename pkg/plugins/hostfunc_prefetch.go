package plugins

import (
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
)

// prefetch is what the host writes to the guest before each event; package abi says how. The zero
// value is nothing.
type prefetch struct {
	ptr, room uint32
	fields    []prefetched
	objects   [2]prefetchedObject // by which
}

// prefetched is one field: the object it is of, and its index among the values of that one.
type prefetched struct{ which, value int }

// prefetchedObject is what is read of one of an event's two objects.
type prefetchedObject struct {
	paths   *object.Paths
	values  []object.Value
	scratch object.Scratch
}

// A set holds all that may be declared.
const _ = uint(object.MaxPaths - abi.MaxPrefetch)

// declare is event.v1 prefetch.
func (s *eventState) declare(c call, stack []uint64) {
	ptr, room, handles, n := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	stack[0] = i32(s.declareFields(c, ptr, room, handles, n))
}

// declareFields keeps which fields are to be written where.
func (s *eventState) declareFields(c call, ptr, room, handles, n uint32) abi.Status {
	switch {
	case c.phase != phaseConfigure:
		return abi.WrongPhase
	case n > abi.MaxPrefetch || n > 0 && room < abi.PrefetchHead+n*abi.PrefetchEntry:
		return abi.BadArgument
	}
	c.read(ptr, room) // it traps now, and never later, as memory does not shrink
	var fields []prefetched
	var paths [2][]object.Path
	for b := c.read(handles, 4*n); len(b) > 0; b = b[4:] {
		handle, which := binary.LittleEndian.Uint32(b), abi.WhichObject
		if handle&abi.PrefetchOld != 0 {
			handle, which = handle&^abi.PrefetchOld, abi.WhichOld
		}
		path, ok := c.path(handle)
		if !ok {
			return abi.BadArgument
		}
		fields = append(fields, prefetched{which, len(paths[which])})
		paths[which] = append(paths[which], path)
	}
	s.prefetch = prefetch{ptr: ptr, room: room, fields: fields}
	for which := range paths {
		o := &s.prefetch.objects[which]
		o.paths = object.NewPaths(paths[which]...)
		o.values = make([]object.Value, len(paths[which]))
	}
	return 0
}

// walkUnchecked is how many bytes the host walks through for a guest before it looks at the guest's
// fuel and time: some 50 us. To look for each field would take as long as finding it in a small
// object (bench/HANDLERS.md).
const walkUnchecked = 64 << 10

// writePrefetch writes the declared fields of the event at hand. It is part of the call, with its
// deadline and its fuel: the error ends that.
func (s *eventState) writePrefetch(mem api.Memory) error {
	p := &s.prefetch
	if len(p.fields) == 0 {
		return nil
	}
	defer p.reset()
	walked := 0
	for which, o := range [2]*object.Object{abi.WhichObject: s.event.Object,
		abi.WhichOld: s.event.Old} {
		read := &p.objects[which]
		if o == nil || len(read.values) == 0 {
			continue
		}
		if walked += o.Size(); walked > walkUnchecked {
			if err := s.charge(&walked); err != nil {
				return err
			}
		}
		read.scratch.Set(o)
		read.scratch.LookupAll(read.paths, read.values)
	}
	b, _ := mem.Read(p.ptr, p.room)
	binary.LittleEndian.PutUint32(b, uint32(len(p.fields)))
	entry, free := abi.PrefetchHead, abi.PrefetchHead+len(p.fields)*abi.PrefetchEntry
	for _, f := range p.fields {
		value := p.objects[f.which].values[f.value]
		// To decode a string is to walk through it once more.
		if walked += len(value.Raw()); walked > walkUnchecked {
			if err := s.charge(&walked); err != nil {
				return err
			}
		}
		text, offset := value.Text(), free
		if len(text) > len(b)-free {
			offset = 0
		} else {
			free += copy(b[free:], text)
		}
		binary.LittleEndian.PutUint32(b[entry:], uint32(value.Kind()))
		binary.LittleEndian.PutUint32(b[entry+4:], uint32(len(text)))
		binary.LittleEndian.PutUint32(b[entry+8:], uint32(offset))
		entry += abi.PrefetchEntry
	}
	s.guest.charge(walked)
	return nil
}

// charge charges for what the host walks through, and starts counting again. An error says that the
// guest cannot pay, or that its time is up.
func (s *eventState) charge(bytes *int) error {
	s.guest.charge(*bytes)
	if *bytes = 0; s.guest.tank.Spent() {
		return meter.ErrSpent
	}
	return s.guest.check()
}

// reset drops the event's objects.
func (p *prefetch) reset() {
	for i := range p.objects {
		if o := &p.objects[i]; len(o.values) > 0 {
			o.scratch.Set(nil)
			clear(o.values)
		}
	}
}
