package plugins

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// guard runs the guest for limit at most and turns what went wrong into a *CrashError, or into the
// error of ctx.
func (g *guest) guard(ctx context.Context, function string, limit time.Duration,
	run func(context.Context) error) error {
	if !g.linear.enter() {
		return g.handler.closedError()
	}
	defer g.linear.leave()
	begun := g.calls.begin(ctx, limit)
	budget := g.budget(function)
	g.tank.Fill(budget, begun)
	g.stderr.begin(function)
	defer g.stderr.end(ctx)
	err := run(g.calls)
	g.handler.host.turns.end(g)
	g.failure = err
	aborted := g.fault
	switch took, ended := g.calls.end(); {
	case ended == context.DeadlineExceeded:
		return g.crash(function, ReasonDeadline, g.lateness(function, took))
	case ended != nil:
		return ctx.Err()
	case err == nil || g.command != nil && g.command.exited:
		return nil
	case errors.Is(err, meter.ErrSpent):
		return g.crash(function, ReasonFuel,
			fmt.Errorf("the handler used more than %d units of fuel", budget))
	case aborted != nil && aborted.reason == ReasonProtocol:
		return g.crash(function, ReasonProtocol, aborted.err)
	case g.handler.closed():
		return g.handler.closedError()
	case g.nearMemoryLimit():
		return g.crash(function, ReasonMemory, fmt.Errorf("its memory is at %s of %s: %w",
			wasmbin.MiB(memorySize(g.mod.Memory())), wasmbin.MiB(g.handler.maxMemory), err))
	case aborted != nil:
		return g.crash(function, aborted.reason, aborted.err)
	}
	return g.crash(function, ReasonTrap, err)
}

// call calls a function, and refuses one that took too much of the engine's stack since the last
// look.
func (g *guest) call(ctx context.Context, f *guestFunction, stack []uint64) error {
	g.running = f
	err := f.call(ctx, stack)
	g.running = nil
	if err == nil {
		err = f.check()
	}
	return err
}

// unlimited is fuel that lasts longer than any deadline.
const unlimited = math.MaxInt64

// budget returns the fuel for one call.
func (g *guest) budget(function string) int64 {
	each, events := g.handler.spec.Limits.Fuel, int64(0)
	switch function {
	case abi.ExportOnEvent:
		events = 1
	case abi.ExportOnBatch, abi.ExportStart:
		events = int64(len(g.events.batch.events))
	}
	if each == 0 || events == 0 || each > unlimited/events {
		return unlimited
	}
	return each * events
}

// used returns the fuel of the last call.
func (g *guest) used() int64 { return g.tank.Used() }

// lateness returns by how much the deadline was passed: a guest that others have kept from running
// cannot be distinguished from a slow one.
func (g *guest) lateness(function string, took time.Duration) error {
	limit := g.handler.spec.Limits.LoadDeadline
	switch function {
	case abi.ExportOnEvent:
		limit = g.handler.spec.Limits.Deadline
	case abi.ExportOnBatch, abi.ExportStart:
		limit = g.batchTime
	}
	return fmt.Errorf("it ran longer than %v: it was stopped after %v", limit,
		took.Round(time.Millisecond))
}

// nearMemoryLimit guesses whether a trap came from a refused memory.grow, which the engine does not
// report: a guest that was refused has grown its memory, to within a quarter of its limit.
func (g *guest) nearMemoryLimit() bool {
	if g.mod == nil {
		return false
	}
	size, limit := memorySize(g.mod.Memory()), g.handler.maxMemory
	return size > g.handler.minMemory && size > limit-limit/4
}
