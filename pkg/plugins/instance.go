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
	// Message is what the guest gave to result.v1 error.
	Message string
}

// Emission is one output of a guest, checked against the rules of package abi.
type Emission struct {
	Kind abi.EmitKind
	// Data is the text as the guest wrote it: for an event an object with type and data. It is the receiver's.
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
	closed  bool
}

// Fuel is how many units of fuel the guest used in the last Handle or HandleBatch, whatever came of it: one for each
// instruction, and more for those that work on large ranges. Starting the guest does not count, and if its module cannot
// be metered, nothing does.
func (i *Instance) Fuel() int64 { return i.fuel }

// Handle gives an event to the guest. If the guest crashes, the error is a *CrashError and the guest is gone; the next
// Handle starts a new one. If ctx ends, the error is that of ctx.
func (i *Instance) Handle(ctx context.Context, e event.Event) (Result, error) {
	if !i.handler.takesEvents {
		results, err := i.HandleBatch(ctx, []event.Event{e})
		if err != nil {
			return Result{}, err
		}
		return results[0], nil
	}
	if err := i.ready(ctx, e); err != nil {
		return Result{}, err
	}
	i.usage.begin(i.guest)
	result, err := i.guest.onEvent(ctx, e)
	i.fuel = i.guest.used()
	i.usage.end(i.guest)
	if err != nil {
		return Result{}, i.discard(ctx, e, err)
	}
	return result, nil
}

// ready sees to it that there is a guest for an event.
func (i *Instance) ready(ctx context.Context, e event.Event) error {
	i.fuel = 0
	if i.closed || i.handler.isClosed() {
		return fmt.Errorf("listener %q: handler: %w", i.handler.spec.Listener, ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if i.guest != nil {
		return nil
	}
	g, err := startGuest(ctx, i.handler)
	if err != nil {
		return i.report(ctx, e, err)
	}
	i.guest = g
	return nil
}

// discard throws the guest away that failed at an event.
func (i *Instance) discard(ctx context.Context, e event.Event, err error) error {
	i.guest.close(context.WithoutCancel(ctx))
	i.guest = nil
	return i.report(ctx, e, err)
}

// report adds the event to a crash and logs it.
func (i *Instance) report(ctx context.Context, e event.Event, err error) error {
	var crash *CrashError
	if !errors.As(err, &crash) {
		return err
	}
	crash.Object, crash.Op = e.Object.Key(), e.Op
	i.handler.log.crash(ctx, crash)
	return crash
}

// Close frees the instance. It may be called again.
func (i *Instance) Close(ctx context.Context) error {
	i.closed = true
	if i.guest == nil {
		return nil
	}
	err := i.guest.close(ctx)
	i.guest = nil
	return err
}
