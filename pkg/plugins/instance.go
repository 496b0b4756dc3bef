package plugins

import (
	"context"
	"errors"
	"log/slog"
	"strings"

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

// Stats returns what was done until now.
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

// Handle passes an event to the guest. If the guest crashes, the error is a *CrashError and the
// guest is gone; the next Handle starts a new one. If ctx ends, the error is that of ctx.
func (i *Instance) Handle(ctx context.Context, e event.Event) (Result, error) {
	if err := i.ready(ctx, e); err != nil {
		return Result{}, err
	}
	if i.handler.takesEvents {
		return i.one(ctx, e)
	}
	results, err := i.batch(ctx, []event.Event{e})
	if err != nil {
		return Result{}, err
	}
	return results[0], nil
}

// one passes an event to a guest that takes single ones.
func (i *Instance) one(ctx context.Context, e event.Event) (Result, error) {
	i.usage.begin(i.guest)
	result, err := i.guest.onEvent(ctx, e)
	i.fuel = i.guest.used()
	i.usage.end(i.guest)
	i.stats.Events++
	if err != nil {
		return Result{}, i.discard(ctx, e, err)
	}
	i.renewIfDue(1)
	return result, nil
}

// open returns why the guest may not receive an event.
func (i *Instance) open(ctx context.Context) error {
	i.fuel = 0
	if i.closed || i.handler.closed() {
		return i.handler.closedError()
	}
	return ctx.Err()
}

// ready sees to it that there is a guest for an event: the one there is, the one that was started to
// follow it, or a fresh one.
func (i *Instance) ready(ctx context.Context, e event.Event) error {
	if err := i.open(ctx); err != nil {
		return err
	}
	i.takeSuccessor(ctx)
	if i.guest != nil {
		return nil
	}
	g, err := i.handler.start(ctx)
	if err != nil {
		return i.report(ctx, e, err)
	}
	i.take(g)
	return nil
}

// takeSuccessor takes the guest that was started to follow the current one, if it is ready.
func (i *Instance) takeSuccessor(ctx context.Context) {
	g := i.renewal.successor(ctx, i.guest)
	if g == nil {
		return
	}
	if i.guest != nil {
		i.renewal.dropLater(ctx, i.guest)
		i.stats.Recycled++
	}
	i.take(g)
}

// take makes a guest the one that is given events.
func (i *Instance) take(g *guest) {
	i.guest = g
	i.renewal.begin(g)
}

// renewIfDue starts a fresh guest when the current one is to be replaced.
func (i *Instance) renewIfDue(events int) {
	if i.guest.due(events) {
		i.renewal.renew(i.guest)
	}
}

// discard throws the guest away that failed at an event.
func (i *Instance) discard(ctx context.Context, e event.Event, err error) error {
	_ = i.guest.close(context.WithoutCancel(ctx)) // err says more
	i.guest = nil
	return i.report(ctx, e, err)
}

// report returns the error of an event: a crash with the event, which is counted and logged.
func (i *Instance) report(ctx context.Context, e event.Event, err error) error {
	var crash *CrashError
	if !errors.As(err, &crash) {
		return err
	}
	i.stats.Crashes++
	crash.Object, crash.Op = e.Object.Key(), e.Op
	i.handler.log.crash(ctx, slog.String("object", crash.Object.String()),
		slog.String("op", crash.Op.String()), slog.String("func", crash.Func),
		slog.String("reason", string(crash.Reason)), slog.String("error", crash.Cause.Error()),
		slog.String("stack", strings.Join(crash.Stack, "\n")))
	return crash
}

// Close frees the instance. It may be called again.
func (i *Instance) Close(ctx context.Context) error {
	i.closed = true
	i.renewal.stop(ctx)
	if i.guest == nil {
		return nil
	}
	err := i.guest.close(ctx)
	i.guest = nil
	return err
}
