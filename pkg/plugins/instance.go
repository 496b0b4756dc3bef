package plugins

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// Verdict is what the guest decided about an event.
type Verdict = abi.Verdict

// The verdicts.
const (
	Done  = abi.Done
	Drop  = abi.Drop
	Retry = abi.Retry
	Fail  = abi.Fail
)

// Result is what a guest made of an event.
type Result struct {
	Verdict Verdict
	// Emitted is empty unless the verdict is Done.
	Emitted []Emission
	// Refused is how many emissions of this event were not taken: denied by the grant, too many or
	// too large, or malformed.
	Refused int
	// Message is what the guest gave to result.v1 error.
	Message string
	// Handler is the SHA-256 of the guest's module, in hexadecimal digits: who made what is
	// emitted.
	Handler string
}

// Emission is one output of a guest, checked against the rules of package abi.
type Emission struct {
	Kind abi.EmitKind
	// Data is the text as the guest wrote it: for an event an object with type and data. It is the
	// receiver's.
	Data []byte
}

// Event takes an emission of kind event apart. Data is nil if the guest gave none.
func (e Emission) Event() (typ string, data json.RawMessage, err error) {
	if e.Kind != abi.EmitEvent {
		return "", nil, fmt.Errorf("emission is of kind %s, not event", e.Kind)
	}
	return parseEvent(e.Data)
}

// Instance is one worker's copy of a handler. It belongs to one goroutine.
type Instance struct {
	handler *Handler
	guest   *guest // nil after a crash and after a command's run, until the next Handle
	fuel    int64
	usage   *usage // nil if calls are not counted
	stats   Stats
	renewal renewal
	closed  bool
}

// Stats are what an Instance has done since it was made.
type Stats struct {
	Events   uint64 // that were given to the guest, those included at which it crashed
	Crashes  uint64 // of the guest, failures to start it for an event included
	Recycled uint64 // guests that were replaced for their age or their memory; see Limits.Recycle
	// bytes that the guest has now, in its memory and in the grown stacks of its calls, and one
	// that follows it
	Memory int64
}

// Stats gives what was done until now.
func (i *Instance) Stats() Stats {
	s := i.stats
	s.Memory = i.renewal.memory()
	if i.guest != nil {
		s.Memory += i.guest.size()
	}
	return s
}

// Fuel is how many units of fuel the guest used in the last Handle or HandleBatch, whatever came of
// it: one for each instruction, and more for those that work on large ranges. Starting the guest
// does not count.
func (i *Instance) Fuel() int64 { return i.fuel }

// Handle gives an event to the guest. If the guest crashes, the error is a *CrashError and the
// guest is gone; the next Handle starts a new one. If ctx ends, the error is that of ctx.
func (i *Instance) Handle(ctx context.Context, e event.Event) (Result, error) {
	if err := i.ready(ctx, e); err != nil {
		return Result{}, err
	}
	if i.guest.module.takesEvents {
		return i.one(ctx, e)
	}
	results, err := i.batch(ctx, []event.Event{e})
	if err != nil {
		return Result{}, err
	}
	return results[0], nil
}

// one gives an event to a guest that takes single ones.
func (i *Instance) one(ctx context.Context, e event.Event) (Result, error) {
	i.usage.begin(i.guest)
	result, err := i.guest.onEvent(ctx, e)
	i.fuel = i.guest.used()
	i.usage.end(i.guest)
	i.stats.Events++
	if err != nil {
		return Result{}, i.discard(ctx, e, err)
	}
	i.aged(1)
	return result, nil
}

// open tells whether an event may be given to the guest.
func (i *Instance) open(ctx context.Context) error {
	i.fuel = 0
	if i.closed || i.handler.closed.Load() {
		return errClosed(i.handler.listener)
	}
	return ctx.Err()
}

// ready sees to it that there is a guest of the current module for an event.
func (i *Instance) ready(ctx context.Context, e event.Event) error {
	if err := i.open(ctx); err != nil {
		return err
	}
	if i.guest != nil && i.guest.module == i.handler.current.Load() && !i.renewal.pending() {
		return nil
	}
	return i.goOver(ctx, e)
}

// goOver takes the guest that was started to follow the one there is, or starts one where that is
// of another module or gone.
func (i *Instance) goOver(ctx context.Context, e event.Event) error {
	i.follow(ctx)
	if i.guest != nil && i.guest.module != i.handler.current.Load() {
		i.handler.drop(ctx, i.guest)
		i.guest = nil
	}
	if i.guest != nil {
		return nil
	}
	g, err := i.handler.start(ctx)
	if err != nil {
		return i.report(ctx, i.handler.current.Load(), e, err)
	}
	i.take(g)
	return nil
}

// take makes a guest the one that is given events.
func (i *Instance) take(g *guest) {
	i.guest = g
	i.renewal.begin(g)
}

// aged has the guest replaced when its time has come.
func (i *Instance) aged(events int) {
	if g := i.guest; g.age.over(events, sizeOf(g.memory)) {
		i.renew()
	}
}

// discard throws the guest away that failed at an event.
func (i *Instance) discard(ctx context.Context, e event.Event, err error) error {
	m := i.guest.module
	_ = i.guest.close(context.WithoutCancel(ctx)) // err tells more
	i.guest = nil
	return i.report(ctx, m, e, err)
}

// report adds the event to a crash, counts and logs it.
func (i *Instance) report(ctx context.Context, m *module, e event.Event, err error) error {
	var crash *CrashError
	if !errors.As(err, &crash) {
		return err
	}
	i.stats.Crashes++
	crash.Object, crash.Op = e.Object.Key(), e.Op
	m.log.crash(ctx, crash)
	return crash
}

// Close frees the instance. It may be called again.
func (i *Instance) Close(ctx context.Context) error {
	i.closed = true
	i.renewal.stop(ctx, i.handler)
	if i.guest == nil {
		return nil
	}
	err := i.guest.close(ctx)
	i.guest = nil
	return err
}
