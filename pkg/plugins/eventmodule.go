package plugins

import (
	"fmt"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// What the functions of informerd/event.v1 do; package abi says what they mean.

// object finds the object a function is to read.
func (c call) object(which uint32) (*object.Object, abi.Status) {
	switch {
	case which > abi.WhichOld:
		return nil, abi.BadArgument
	case c.phase != phaseEvent:
		return nil, abi.WrongPhase
	case which == abi.WhichObject:
		c.event.Object = c.event.Object.Plain()
		return c.event.Object, 0
	case c.event.Old == nil:
		return nil, abi.NotFound
	}
	c.event.Old = c.event.Old.Plain() // a guest reads it piece by piece
	return c.event.Old, 0
}

func eventObject(c call, stack []uint64) {
	off, ptr, room := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	object, s := c.object(uint32(stack[0]))
	if s != 0 {
		stack[0] = status(s)
		return
	}
	text := object.JSON()
	text = text[min(uint64(off), uint64(len(text))):]
	text = text[:min(uint64(room), uint64(len(text)))]
	c.write(ptr, text)
	stack[0] = uint64(len(text))
}

func eventPath(c call, stack []uint64) {
	ptr, length := uint32(stack[0]), uint32(stack[1])
	switch {
	case c.phase != phaseConfigure:
		stack[0] = status(abi.WrongPhase)
		return
	case len(c.paths) == abi.MaxPaths:
		c.pathErr = fmt.Errorf("it compiles more than %d paths", abi.MaxPaths)
		stack[0] = status(abi.Quota)
		return
	case length > object.MaxPathLength:
		c.pathErr = fmt.Errorf("a path has %d bytes, at most %d are allowed", length,
			object.MaxPathLength)
		stack[0] = status(abi.BadArgument)
		return
	}
	path, err := object.CompilePath(string(c.read(ptr, length)))
	if err != nil {
		c.pathErr = err
		stack[0] = status(abi.BadArgument)
		return
	}
	c.paths = append(c.paths, path)
	stack[0] = uint64(len(c.paths) - 1)
}

func eventField(c call, stack []uint64) {
	handle, ptr, room := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	object, s := c.object(uint32(stack[0]))
	switch {
	case s == abi.NotFound: // without an old object, its fields are missing
		object, s = nil, 0
	case s != 0:
		stack[0] = status64(s)
		return
	}
	if uint64(handle) >= uint64(len(c.paths)) {
		stack[0] = status64(abi.BadArgument)
		return
	}
	if object == nil {
		stack[0] = 0
		return
	}
	c.works(object.Size())
	value := c.paths[handle].Lookup(object)
	text := ""
	if value.Exists() {
		text = value.Text()
	}
	stack[0] = uint64(abi.PackField(abi.Tag(value.Kind()), uint32(c.answer(ptr, room, text))))
}

func eventChanged(c call, stack []uint64) {
	handle := uint32(stack[0])
	switch {
	case c.phase != phaseEvent:
		stack[0] = status(abi.WrongPhase)
	case uint64(handle) >= uint64(len(c.paths)):
		stack[0] = status(abi.BadArgument)
	default:
		c.works(c.event.Object.Size())
		if c.event.Old != nil {
			c.works(c.event.Old.Size())
		}
		stack[0] = 0
		if changed(c.event, c.paths[handle]) {
			stack[0] = 1
		}
	}
}

// changed compares a field of an event's object with that of the state before. Nothing is before an
// add or after a delete; a resync has the same state before and after.
func changed(e event.Event, path object.Path) bool {
	value := path.Lookup(e.Object)
	switch {
	case e.Old != nil:
		return value.Raw() != path.Lookup(e.Old).Raw()
	case e.Op == event.Resync:
		return false
	}
	return value.Exists()
}
