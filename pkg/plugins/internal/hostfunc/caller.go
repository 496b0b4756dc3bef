package hostfunc

import (
	"context"
	"fmt"

	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
)

// phase is what a guest is doing; some host functions are for one phase only.
type phase uint8

// The phases.
const (
	PhaseStart     phase = iota // the start function and _initialize
	PhaseConfigure              // configure
	PhaseIdle
	PhaseBatch // on_batch, without an event at hand
	PhaseEvent // an event is at hand
)

// Caller is a guest as the calls of host functions need it. It is the context of all calls into the
// guest, and so leads from the engine to it.
type Caller struct {
	*CallContext
	Tank    *meter.Tank
	Running *GuestFunction // what is called; nil between calls
	Phase   phase
	Paths   []object.Path // which the guest has compiled, by their handles
	Clock   Clock
	Random  Random
	Counts  []uint64 // of calls, by the functions' numbers; nil if they are not counted
	Fault   *Fault   // why a host function ended the call

	states []any   // of the groups, by their slots
	ending []state // those of states that are not nil
}

var _ context.Context = (*Caller)(nil)

// NewCaller returns the Caller of a new guest. Close its Context at the end.
func NewCaller(fuel string, clock Clock, random Random) *Caller {
	c := &Caller{CallContext: newCallContext(), Clock: clock, Random: random}
	c.Tank = &meter.Tank{Fuel: fuel, Check: c.check}
	return c
}

// AddStates makes the states of all groups that the guest imports.
func (c *Caller) AddStates(groups []Group) {
	for _, group := range groups {
		state := group.NewState(c)
		c.states = append(c.states, state)
		if state != nil {
			c.ending = append(c.ending, state)
		}
	}
}

// StateOf returns the state of the group whose states have that type, nil if the guest has none.
func StateOf[S any](c *Caller) *S {
	for _, state := range c.states {
		if s, ok := state.(*S); ok {
			return s
		}
	}
	return nil
}

// EndEvent has all groups forget what is of the event that was at hand.
func (c *Caller) EndEvent() {
	for _, state := range c.ending {
		state.EndEvent()
	}
}

// Value leads to the Caller, and to nothing else.
func (c *Caller) Value(key any) any {
	if key == (callerKey{}) {
		return c
	}
	return nil
}

type callerKey struct{}

// CallerOf returns the guest of a running call.
func CallerOf(ctx context.Context) *Caller {
	if c, ok := ctx.(*Caller); ok {
		return c
	}
	return ctx.Value(callerKey{}).(*Caller)
}

// check returns why the running call must end, nil if it may continue. The guest's own goroutine
// asks it again and again.
func (c *Caller) check() error {
	if c.Running != nil {
		if err := c.Running.Check(); err != nil {
			return err
		}
	}
	return c.CallContext.check()
}

// interrupt ends the call of a host function if the guest's time is up, or its calls are nested too
// deeply.
func (c *Caller) interrupt() {
	if c.Running != nil {
		if err := c.Running.Check(); err != nil {
			panic(err)
		}
	}
	c.Interrupt()
}

// Abort ends the running call from within a host function.
func (c *Caller) Abort(reason Reason, format string, args ...any) {
	c.Fault = &Fault{Reason: reason, Err: fmt.Errorf(format, args...)}
	panic(c.Fault)
}

// BytesPerUnit is how many bytes the host reads, writes or walks through for a unit of fuel, as the
// guest does itself.
const BytesPerUnit = 16

// charge charges for what the host does with some bytes.
func (c *Caller) charge(bytes int) { c.Tank.Spend(int64(bytes / BytesPerUnit)) }
