package guest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// guard runs the guest for limit at most and turns what went wrong into a *crash.Error, or into the
// error of ctx.
func (g *Guest) guard(ctx context.Context, function string, limit time.Duration,
	run func(context.Context) error) error {
	if !g.linear.Enter() {
		return Closed(g.module.cfg.Listener)
	}
	defer g.linear.Leave()
	begun := g.caller.Begin(ctx, limit)
	budget := g.budget(function)
	g.caller.Tank.Fill(budget, begun)
	g.stderr.begin(function)
	defer g.stderr.end(ctx)
	err := run(g.caller)
	g.failure = err
	aborted := g.caller.Fault
	switch took, ended := g.caller.End(); {
	case ended == context.DeadlineExceeded:
		return g.crash(function, hostfunc.ReasonDeadline, g.lateness(function, took))
	case ended != nil:
		return ctx.Err()
	case err == nil || g.command != nil && g.command.exited:
		return nil
	case errors.Is(err, meter.ErrSpent):
		return g.crash(function, hostfunc.ReasonFuel,
			fmt.Errorf("the handler used more than %d units of fuel", budget))
	case aborted != nil && aborted.Reason == hostfunc.ReasonProtocol:
		return g.crash(function, hostfunc.ReasonProtocol, aborted.Err)
	case g.module.Closed():
		return Closed(g.module.cfg.Listener)
	case g.nearMemoryLimit():
		return g.crash(function, hostfunc.ReasonMemory, fmt.Errorf("its memory is at %s of %s: %w",
			wasmbin.MiB(hostfunc.MemorySize(g.mod.Memory())), wasmbin.MiB(g.module.maxMemory), err))
	case aborted != nil:
		return g.crash(function, aborted.Reason, aborted.Err)
	}
	return g.crash(function, hostfunc.ReasonTrap, err)
}

// call calls a function, and refuses one that took too much of the engine's stack since the last
// look.
func (g *Guest) call(ctx context.Context, f *hostfunc.GuestFunction, stack []uint64) error {
	g.caller.Running = f
	err := f.Call(ctx, stack)
	g.caller.Running = nil
	if err == nil {
		err = f.Check()
	}
	return err
}

// unlimited is fuel that lasts longer than any deadline.
const unlimited = math.MaxInt64

// budget returns the fuel for one call.
func (g *Guest) budget(function string) int64 {
	each, events := g.module.cfg.Limits.Fuel, int64(0)
	switch function {
	case abi.ExportOnEvent:
		events = 1
	case abi.ExportOnBatch, abi.ExportStart:
		events = int64(len(g.events.Batch()))
	}
	if each == 0 || events == 0 || each > unlimited/events {
		return unlimited
	}
	return each * events
}

// Used returns the fuel of the last call.
func (g *Guest) Used() int64 { return g.caller.Tank.Used() }

// lateness returns by how much the deadline was passed: a guest that others have kept from running
// cannot be distinguished from a slow one.
func (g *Guest) lateness(function string, took time.Duration) error {
	limit := g.module.cfg.Limits.LoadDeadline
	switch function {
	case abi.ExportOnEvent:
		limit = g.module.cfg.Limits.Deadline
	case abi.ExportOnBatch, abi.ExportStart:
		limit = g.batchTime
	}
	return fmt.Errorf("it ran longer than %v: it was stopped after %v", limit,
		took.Round(time.Millisecond))
}

// nearMemoryLimit guesses whether a trap came from a refused memory.grow, which the engine does not
// report: a guest that was refused has grown its memory, to within a quarter of its limit.
func (g *Guest) nearMemoryLimit() bool {
	if g.mod == nil {
		return false
	}
	size, limit := hostfunc.MemorySize(g.mod.Memory()), g.module.maxMemory
	return size > g.module.minMemory && size > limit-limit/4
}
