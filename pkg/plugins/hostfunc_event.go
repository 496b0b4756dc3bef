package plugins

import (
	"fmt"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// What the functions of informerd/event.v1 and informerd/result.v1 do; package abi says what they
// mean.

var eventFunctions = []function{
	eventFunc(abi.ModuleEvent, "object", (*eventState).object),
	eventFunc(abi.ModuleEvent, "path", (*eventState).path),
	eventFunc(abi.ModuleEvent, "field", (*eventState).field),
	eventFunc(abi.ModuleEvent, "changed", (*eventState).changed),
	eventFunc(abi.ModuleEvent, "prefetch", (*eventState).declare),
	eventFunc(abi.ModuleEvent, "next", (*eventState).next),
	eventFunc(abi.ModuleResult, "emit", (*eventState).emit),
	eventFunc(abi.ModuleResult, "error", (*eventState).error),
}

func eventFunc(module, name string, body func(*eventState, call, []uint64)) function {
	return define(module, name, func(c call, stack []uint64) { body(&c.events, c, stack) })
}

// eventState is the event at hand of a guest, and what becomes of it.
type eventState struct {
	guest *guest

	pathErr  error // why the last path that did not compile was refused
	prefetch prefetch

	event   event.Event // at hand, in phaseEvent
	output  output
	message string // what the guest gave to result.v1 error last

	batch batch
}

// begin makes an event the one at hand.
func (s *eventState) begin(e event.Event) {
	s.event, s.guest.phase = e, phaseEvent
}

// endEvent forgets the event and what the guest made of it.
func (s *eventState) endEvent() {
	s.event, s.output, s.message = event.Event{}, output{}, ""
}

// result returns what the guest made of the event at hand.
func (s *eventState) result(verdict abi.Verdict) Result {
	return Result{Verdict: verdict, Message: s.message, Emitted: s.output.list,
		Refused: s.output.refused, Handler: s.guest.handler.digest}
}

// error is result.v1 error.
func (s *eventState) error(c call, stack []uint64) {
	ptr, length := uint32(stack[0]), uint32(stack[1])
	s.message = validText(c.read(ptr, length), abi.MaxMessage)
}

// plain returns the object that a function reads, in the form for reading more than once.
func (s *eventState) plain(c call, which uint32) (*object.Object, abi.Status) {
	switch {
	case which > abi.WhichOld:
		return nil, abi.BadArgument
	case c.phase != phaseEvent:
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

func (s *eventState) object(c call, stack []uint64) {
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

func (s *eventState) path(c call, stack []uint64) {
	ptr, length := uint32(stack[0]), uint32(stack[1])
	switch {
	case c.phase != phaseConfigure:
		stack[0] = i32(abi.WrongPhase)
		return
	case len(s.guest.paths) == abi.MaxPaths:
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
	s.guest.paths = append(s.guest.paths, path)
	stack[0] = uint64(len(s.guest.paths) - 1)
}

func (s *eventState) field(c call, stack []uint64) {
	handle, ptr, room := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	o, status := s.plain(c, uint32(stack[0]))
	switch {
	case status == abi.NotFound: // without an old object, its fields are missing
		o = nil
	case status != 0:
		stack[0] = i64(status)
		return
	}
	if uint64(handle) >= uint64(len(s.guest.paths)) {
		stack[0] = i64(abi.BadArgument)
		return
	}
	if o == nil {
		stack[0] = 0
		return
	}
	c.charge(o.Size())
	value := s.guest.paths[handle].Lookup(o)
	text := ""
	if value.Exists() {
		text = value.Text()
	}
	stack[0] = uint64(abi.PackField(abi.Tag(value.Kind()), uint32(c.answer(ptr, room, text))))
}

func (s *eventState) changed(c call, stack []uint64) {
	handle := uint32(stack[0])
	switch {
	case c.phase != phaseEvent:
		stack[0] = i32(abi.WrongPhase)
	case uint64(handle) >= uint64(len(s.guest.paths)):
		stack[0] = i32(abi.BadArgument)
	default:
		c.charge(s.event.Object.Size())
		if s.event.Old != nil {
			c.charge(s.event.Old.Size())
		}
		stack[0] = 0
		if differs(s.event, s.guest.paths[handle]) {
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

// args returns the arguments of on_event for the event at hand.
func (s *eventState) args() [4]uint64 {
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
