package plugins

import (
	"encoding/binary"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
)

// prefetch is what the host writes to the guest before each event; package abi says how. The zero value is nothing.
type prefetch struct {
	ptr, room uint32
	fields    []prefetched
	objects   [2]event.Scratch // by which
}

type prefetched struct {
	path  event.Path
	which int
}

func eventPrefetch(c call, stack []uint64) {
	ptr, room, handles, n := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	stack[0] = status(c.declare(ptr, room, handles, n))
}

// declare remembers which fields are to be written where.
func (c call) declare(ptr, room, handles, n uint32) abi.Status {
	switch {
	case c.phase != phaseConfigure:
		return abi.WrongPhase
	case n > abi.MaxPrefetch || n > 0 && room < abi.PrefetchHead+n*abi.PrefetchEntry:
		return abi.BadArgument
	}
	c.read(ptr, room) // it traps now, and never later, as memory does not shrink
	var fields []prefetched
	for b := c.read(handles, 4*n); len(b) > 0; b = b[4:] {
		handle, which := binary.LittleEndian.Uint32(b), abi.WhichObject
		if handle&abi.PrefetchOld != 0 {
			handle, which = handle&^abi.PrefetchOld, abi.WhichOld
		}
		if uint64(handle) >= uint64(len(c.paths)) {
			return abi.BadArgument
		}
		fields = append(fields, prefetched{c.paths[handle], which})
	}
	c.prefetch.ptr, c.prefetch.room, c.prefetch.fields = ptr, room, fields
	return 0
}

// walkUnchecked is how many bytes the host walks through for a guest before it looks at the guest's fuel and time: some
// 50 us. To look for each field would take as long as finding it in a small object (bench/HANDLERS.md).
const walkUnchecked = 64 << 10

// writePrefetch writes the declared fields of the event at hand. It is part of the call, with its deadline and its fuel: the
// error ends that.
func (g *guest) writePrefetch() error {
	p := &g.prefetch
	if len(p.fields) == 0 {
		return nil
	}
	defer func() { // to keep none beyond its event
		p.objects[abi.WhichObject].Set(nil)
		p.objects[abi.WhichOld].Set(nil)
	}()
	b, _ := g.mod.Memory().Read(p.ptr, p.room)
	p.objects[abi.WhichObject].Set(g.event.Object)
	if g.event.Old != nil {
		p.objects[abi.WhichOld].Set(g.event.Old)
	}
	binary.LittleEndian.PutUint32(b, uint32(len(p.fields)))
	walked := 0
	entry, free := abi.PrefetchHead, abi.PrefetchHead+len(p.fields)*abi.PrefetchEntry
	for i := range p.fields {
		f := &p.fields[i]
		var value event.Value
		if o := g.event.Object; f.which == abi.WhichObject || g.event.Old != nil {
			if f.which == abi.WhichOld {
				o = g.event.Old
			}
			if walked += o.Size(); walked > walkUnchecked {
				g.works(walked)
				if walked = 0; g.tank.Spent() {
					return meter.ErrSpent
				}
				if err := g.check(); err != nil {
					return err
				}
			}
			value = p.objects[f.which].Lookup(f.path)
		}
		text, offset := "", free
		if value.Exists() {
			text = value.Text()
		}
		if len(text) > len(b)-free {
			offset = 0
		} else {
			free += copy(b[free:], text)
		}
		binary.LittleEndian.PutUint32(b[entry:], uint32(value.Kind()))
		binary.LittleEndian.PutUint32(b[entry+4:], uint32(len(text)))
		binary.LittleEndian.PutUint32(b[entry+8:], uint32(offset))
		entry += abi.PrefetchEntry
		walked += len(text)
	}
	g.works(walked)
	return nil
}
