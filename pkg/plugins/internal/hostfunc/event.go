package hostfunc

import (
	"fmt"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// What the functions of informerd/event.v1 do; package abi says what they mean.

// plain returns the object that a function reads, in the form for reading more than once.
func (s *EventState) plain(c call, which uint32) (*object.Object, abi.Status) {
	switch {
	case which > abi.WhichOld:
		return nil, abi.BadArgument
	case c.phase() != PhaseEvent:
		return nil, abi.WrongPhase
	case which == abi.WhichObject:
		s.event.Object = s.event.Object.Plain()
		return s.event.Object, 0
	case s.event.Old == nil:
		return nil, abi.NotFound
	}
	s.event.Old = s.event.Old.Plain()
	return s.event.Old, 0
}

func (s *EventState) object(c call, stack []uint64) {
	off, ptr, room := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	o, status := s.plain(c, uint32(stack[0]))
	if status != 0 {
		stack[0] = i32(status)
		return
	}
	text := o.JSON()
	text = text[min(uint64(off), uint64(len(text))):]
	text = text[:min(uint64(room), uint64(len(text)))]
	c.write(ptr, text)
	stack[0] = uint64(len(text))
}

func (s *EventState) path(c call, stack []uint64) {
	ptr, length := uint32(stack[0]), uint32(stack[1])
	switch {
	case c.phase() != PhaseConfigure:
		stack[0] = i32(abi.WrongPhase)
		return
	case len(s.caller.Paths) == abi.MaxPaths:
		s.pathErr = fmt.Errorf("it compiles more than %d paths", abi.MaxPaths)
		stack[0] = i32(abi.Quota)
		return
	case length > object.MaxPathLength:
		s.pathErr = fmt.Errorf("a path has %d bytes, at most %d are allowed", length,
			object.MaxPathLength)
		stack[0] = i32(abi.BadArgument)
		return
	}
	path, err := object.CompilePath(string(c.read(ptr, length)))
	if err != nil {
		s.pathErr = err
		stack[0] = i32(abi.BadArgument)
		return
	}
	s.caller.Paths = append(s.caller.Paths, path)
	stack[0] = uint64(len(s.caller.Paths) - 1)
}

func (s *EventState) field(c call, stack []uint64) {
	handle, ptr, room := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	o, status := s.plain(c, uint32(stack[0]))
	switch {
	case status == abi.NotFound: // without an old object, its fields are missing
		o = nil
	case status != 0:
		stack[0] = i64(status)
		return
	}
	if uint64(handle) >= uint64(len(s.caller.Paths)) {
		stack[0] = i64(abi.BadArgument)
		return
	}
	if o == nil {
		stack[0] = 0
		return
	}
	c.charge(o.Size())
	value := s.caller.Paths[handle].Lookup(o)
	text := ""
	if value.Exists() {
		text = value.Text()
	}
	stack[0] = uint64(abi.PackField(abi.Tag(value.Kind()), uint32(c.answer(ptr, room, text))))
}

func (s *EventState) changed(c call, stack []uint64) {
	handle := uint32(stack[0])
	switch {
	case c.phase() != PhaseEvent:
		stack[0] = i32(abi.WrongPhase)
	case uint64(handle) >= uint64(len(s.caller.Paths)):
		stack[0] = i32(abi.BadArgument)
	default:
		c.charge(s.event.Object.Size())
		if s.event.Old != nil {
			c.charge(s.event.Old.Size())
		}
		stack[0] = 0
		if differs(s.event, s.caller.Paths[handle]) {
			stack[0] = 1
		}
	}
}

// differs compares a field of an event's object with that of the state before. Nothing is before an
// add or after a delete; a resync has the same state before and after.
func differs(e event.Event, path object.Path) bool {
	value := path.Lookup(e.Object)
	switch {
	case e.Old != nil:
		return value.Raw() != path.Lookup(e.Old).Raw()
	case e.Op == event.Resync:
		return false
	}
	return value.Exists()
}

// Args returns the arguments of on_event for the event at hand.
func (s *EventState) Args() [4]uint64 {
	e := &s.event
	args := [4]uint64{uint64(e.Op), eventFlags(e), uint64(uint32(e.Object.Size())), 0}
	if e.Old != nil {
		args[3] = uint64(uint32(e.Old.Size()))
	}
	return args
}

func eventFlags(e *event.Event) uint64 {
	var f uint64
	if e.Initial {
		f |= abi.FlagInitial
	}
	if e.FinalStateUnknown {
		f |= abi.FlagFinalStateUnknown
	}
	if e.Missed > 0 {
		f |= abi.FlagMissed
	}
	if e.Resumed {
		f |= abi.FlagResumed
	}
	return f
}
