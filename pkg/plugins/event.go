package plugins

import (
	"context"
	"fmt"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/code"
)

// onEvent calls on_event.
func (g *guest) onEvent(ctx context.Context, e event.Event) (Result, error) {
	g.events.begin(e)
	g.args = g.events.args()
	err := g.guard(ctx, abi.ExportOnEvent, g.handler.spec.Limits.Deadline, g.callSingle)
	result := g.events.result(abi.Verdict(int32(g.args[0])))
	g.endCall()
	if err != nil {
		return Result{}, err
	}
	if result.Verdict < abi.Done || result.Verdict > abi.Fail {
		return Result{}, g.crash(abi.ExportOnEvent, ReasonProtocol,
			badVerdict(result.Verdict))
	}
	if result.Verdict != abi.Done {
		result.Emitted = nil
	}
	return result, nil
}

// endCall makes the guest idle.
func (g *guest) endCall() {
	g.phase = phaseIdle
	g.endEvent()
}

func (g *guest) callSingle(ctx context.Context) error {
	if err := g.events.writePrefetch(g.memory); err != nil {
		return err
	}
	if err := g.call(ctx, &g.single, g.args[:]); err != nil {
		return err
	}
	return g.single.trim(g.mod)
}

func badVerdict(v abi.Verdict) error {
	return fmt.Errorf("its result is %d, it must be 0 (done), 1 (drop), 2 (retry) or 3 (fail)", v)
}

// onBatch has on_batch, or a WASI command, work on some events. Current is the event that an error
// is about.
func (g *guest) onBatch(ctx context.Context, events []event.Event) (results []Result,
	current event.Event, err error) {
	g.events.beginBatch(events)
	g.batchTime = time.Duration(len(events)) * g.handler.spec.Limits.Deadline
	if g.handler.kind == code.Command {
		results, err = g.runCommand(ctx)
	} else {
		results, err = g.runBatch(ctx)
	}
	current = g.events.current()
	g.events.endBatch()
	return results, current, err
}

// runBatch calls on_batch.
func (g *guest) runBatch(ctx context.Context) ([]Result, error) {
	g.phase = phaseBatch
	g.args[0] = uint64(len(g.events.batch.events))
	err := g.guard(ctx, abi.ExportOnBatch, g.batchTime, g.callBatch)
	g.endCall()
	if err != nil {
		return nil, err
	}
	verdict := abi.Verdict(int32(g.args[0]))
	if verdict < abi.Done || verdict > abi.Fail {
		return nil, g.crash(abi.ExportOnBatch, ReasonProtocol, badVerdict(verdict))
	}
	return g.events.allResults(verdict), nil
}

func (g *guest) callBatch(ctx context.Context) error {
	if err := g.call(ctx, &g.batch, g.args[:]); err != nil {
		return err
	}
	if g.phase == phaseEvent {
		if err := g.events.settle(g.mod.Memory()); err != nil {
			g.fault = &fault{ReasonProtocol, err}
			return err
		}
	}
	return g.batch.trim(g.mod)
}

// ended reports whether the guest has ended itself, as a WASI command does after each run.
func (g *guest) ended() bool { return g.handler.kind == code.Command }
