package hostfunc

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// EventGroup is informerd/event.v1 and informerd/result.v1.
type EventGroup struct {
	noState
	Rules  EmitRules // of what guests emit
	Digest string    // of their module
}

var eventFunctions = []function{
	stateFunc(imported(abi.ModuleEvent, "object"), (*EventState).object),
	stateFunc(imported(abi.ModuleEvent, "path"), (*EventState).path),
	stateFunc(imported(abi.ModuleEvent, "field"), (*EventState).field),
	stateFunc(imported(abi.ModuleEvent, "changed"), (*EventState).changed),
	stateFunc(imported(abi.ModuleEvent, "prefetch"), (*EventState).declare),
	stateFunc(imported(abi.ModuleEvent, "next"), (*EventState).next),
	stateFunc(imported(abi.ModuleResult, "emit"), (*EventState).emit),
	stateFunc(imported(abi.ModuleResult, "error"), (*EventState).error),
}

// Functions are those of event.v1, then those of result.v1.
func (*EventGroup) Functions() []function { return eventFunctions }

// NewState returns a *State.
func (g *EventGroup) NewState(c *Caller) state { return &EventState{group: g, caller: c} }

// EventState is the event at hand of a guest, and what becomes of it.
type EventState struct {
	group  *EventGroup
	caller *Caller

	pathErr  error // of the last path that did not compile
	prefetch prefetch

	event   event.Event // at hand, in hostfunc.PhaseEvent
	output  output
	message string

	batch batch
}

// Begin makes an event the one at hand.
func (s *EventState) Begin(e event.Event) {
	s.event, s.caller.Phase = e, PhaseEvent
}

// EndEvent forgets the event and what the guest made of it.
func (s *EventState) EndEvent() {
	s.event, s.output, s.message = event.Event{}, output{}, ""
}

// Message returns what the guest gave to result.v1 error last.
func (s *EventState) Message() string { return s.message }

// PathErr returns why the last path that the guest compiled was refused.
func (s *EventState) PathErr() error { return s.pathErr }

// Result returns what the guest made of the event at hand.
func (s *EventState) Result(verdict abi.Verdict) Result {
	return Result{Verdict: verdict, Message: s.message, Emitted: s.output.list,
		Refused: s.output.refused, Handler: s.group.Digest}
}

// error is result.v1 error.
func (s *EventState) error(c call, stack []uint64) {
	ptr, length := uint32(stack[0]), uint32(stack[1])
	s.message = ValidText(c.read(ptr, length), abi.MaxMessage)
}
