package eventv1

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
)

// Group is informerd/event.v1 and informerd/result.v1.
type Group struct {
	hostfunc.Plain
	Rules  Rules  // of what guests emit
	Digest string // of their module
}

var functions = []hostfunc.Function{
	hostfunc.StateFunc(hostfunc.Imported(abi.ModuleEvent, "object"), (*State).object),
	hostfunc.StateFunc(hostfunc.Imported(abi.ModuleEvent, "path"), (*State).path),
	hostfunc.StateFunc(hostfunc.Imported(abi.ModuleEvent, "field"), (*State).field),
	hostfunc.StateFunc(hostfunc.Imported(abi.ModuleEvent, "changed"), (*State).changed),
	hostfunc.StateFunc(hostfunc.Imported(abi.ModuleEvent, "prefetch"), (*State).declare),
	hostfunc.StateFunc(hostfunc.Imported(abi.ModuleEvent, "next"), (*State).next),
	hostfunc.StateFunc(hostfunc.Imported(abi.ModuleResult, "emit"), (*State).emit),
	hostfunc.StateFunc(hostfunc.Imported(abi.ModuleResult, "error"), (*State).error),
}

// Functions are those of event.v1, then those of result.v1.
func (*Group) Functions() []hostfunc.Function { return functions }

// NewState returns a *State.
func (g *Group) NewState(c *hostfunc.Caller) hostfunc.State { return &State{group: g, caller: c} }

// State is the event at hand of a guest, and what becomes of it.
type State struct {
	group  *Group
	caller *hostfunc.Caller

	pathErr  error // of the last path that did not compile
	prefetch prefetch

	event   event.Event // at hand, in hostfunc.PhaseEvent
	output  output
	message string

	batch batch
}

// Begin makes an event the one at hand.
func (s *State) Begin(e event.Event) {
	s.event, s.caller.Phase = e, hostfunc.PhaseEvent
}

// EndEvent forgets the event and what the guest made of it.
func (s *State) EndEvent() {
	s.event, s.output, s.message = event.Event{}, output{}, ""
}

// Message returns what the guest gave to result.v1 error last.
func (s *State) Message() string { return s.message }

// PathErr returns why the last path that the guest compiled was refused.
func (s *State) PathErr() error { return s.pathErr }

// Result returns what the guest made of the event at hand.
func (s *State) Result(verdict abi.Verdict) Result {
	return Result{Verdict: verdict, Message: s.message, Emitted: s.output.list,
		Refused: s.output.refused, Handler: s.group.Digest}
}

// error is result.v1 error.
func (s *State) error(c hostfunc.Call, stack []uint64) {
	ptr, length := uint32(stack[0]), uint32(stack[1])
	s.message = hostfunc.ValidText(c.Read(ptr, length), abi.MaxMessage)
}
