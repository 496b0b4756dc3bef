package guest

import (
	"context"
	"fmt"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/code"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
)

// OnEvent calls on_event.
func (g *Guest) OnEvent(ctx context.Context, e event.Event) (hostfunc.Result, error) {
	g.events.Begin(e)
	g.args = g.events.Args()
	err := g.guard(ctx, abi.ExportOnEvent, g.module.cfg.Limits.Deadline, g.callSingle)
	result := g.events.Result(abi.Verdict(int32(g.args[0])))
	g.endCall()
	if err != nil {
		return hostfunc.Result{}, err
	}
	if result.Verdict < abi.Done || result.Verdict > abi.Fail {
		return hostfunc.Result{}, g.crash(abi.ExportOnEvent, hostfunc.ReasonProtocol,
			badVerdict(result.Verdict))
	}
	if result.Verdict != abi.Done {
		result.Emitted = nil
	}
	return result, nil
}

// endCall makes the guest idle.
func (g *Guest) endCall() {
	g.caller.Phase = hostfunc.PhaseIdle
	g.caller.EndEvent()
}

func (g *Guest) callSingle(ctx context.Context) error {
	if err := g.events.WritePrefetch(g.memory); err != nil {
		return err
	}
	if err := g.call(ctx, &g.single, g.args[:]); err != nil {
		return err
	}
	return g.single.Trim(g.mod)
}

func badVerdict(v abi.Verdict) error {
	return fmt.Errorf("its result is %d, it must be 0 (done), 1 (drop), 2 (retry) or 3 (fail)", v)
}

// OnBatch has on_batch, or a WASI command, work on some events. Current is the event that an error
// is about.
func (g *Guest) OnBatch(ctx context.Context, events []event.Event) (results []hostfunc.Result,
	current event.Event, err error) {
	g.events.BeginBatch(events)
	g.batchTime = time.Duration(len(events)) * g.module.cfg.Limits.Deadline
	if g.module.kind == code.Command {
		results, err = g.runCommand(ctx)
	} else {
		results, err = g.onBatch(ctx)
	}
	current = g.events.Current()
	g.events.EndBatch()
	return results, current, err
}

// onBatch calls on_batch.
func (g *Guest) onBatch(ctx context.Context) ([]hostfunc.Result, error) {
	g.caller.Phase = hostfunc.PhaseBatch
	g.args[0] = uint64(len(g.events.Batch()))
	err := g.guard(ctx, abi.ExportOnBatch, g.batchTime, g.callBatch)
	g.endCall()
	if err != nil {
		return nil, err
	}
	verdict := abi.Verdict(int32(g.args[0]))
	if verdict < abi.Done || verdict > abi.Fail {
		return nil, g.crash(abi.ExportOnBatch, hostfunc.ReasonProtocol, badVerdict(verdict))
	}
	return g.events.AllResults(verdict), nil
}

func (g *Guest) callBatch(ctx context.Context) error {
	if err := g.call(ctx, &g.batch, g.args[:]); err != nil {
		return err
	}
	if g.caller.Phase == hostfunc.PhaseEvent {
		if err := g.events.Settle(g.mod.Memory()); err != nil {
			g.caller.Fault = &hostfunc.Fault{Reason: hostfunc.ReasonProtocol, Err: err}
			return err
		}
	}
	return g.batch.Trim(g.mod)
}

// Ended reports whether the guest has ended itself, as a WASI command does after each run.
func (g *Guest) Ended() bool { return g.module.kind == code.Command }
