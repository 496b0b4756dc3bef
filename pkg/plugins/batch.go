package plugins

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// batch is what on_batch, or a WASI command, works on.
type batch struct {
	events  []event.Event
	results []Result // of the events before the one at hand
	bytes   int64    // of what was emitted for them
	pulled  int      // events that the guest has got; the last of them is at hand
	record  uint32   // where the guest has the record of the event at hand
}

// batchOutput is how many bytes a guest may emit for all events of a batch, or as many as for one
// if that is more.
const batchOutput = 8 << 20

// add notes what became of an event.
func (b *batch) add(r Result, emitted *output) {
	b.results = append(b.results, r)
	b.bytes += emitted.bytes
}

// current is the event that a crash is about.
func (b *batch) current() event.Event {
	return b.events[max(0, min(b.pulled, len(b.events))-1)]
}

// Batches tells whether the guest takes more than one event at once. If not, HandleBatch gives it
// one after the other. After Replace, it is about the new guest.
func (h *Handler) Batches() bool { return h.current.Load().batches() }

func (m *module) batches() bool { return m.kind != kindEvents }

// HandleBatch gives events to the guest and gives a result for each, in their order. If the guest
// crashes, the error is a *CrashError, and the results are those of the first events, which are
// handled: all before the crash if the guest takes one event at a time, else none. The same holds
// when ctx ends. The deadline is that of one event times their number. All events of a batch are
// given to the same guest.
func (i *Instance) HandleBatch(ctx context.Context, events []event.Event) ([]Result, error) {
	if len(events) == 0 {
		return nil, nil
	}
	if err := i.ready(ctx, events[0]); err != nil {
		return nil, err
	}
	if i.guest.module.batches() {
		return i.batch(ctx, events)
	}
	results := make([]Result, 0, len(events))
	used := int64(0)
	defer i.usage.sum()()
	defer func() { i.fuel = used }()
	for _, e := range events {
		if err := i.open(ctx); err != nil {
			return results, err
		}
		r, err := i.one(ctx, e)
		used += i.fuel
		if err != nil {
			return results, err
		}
		results = append(results, r)
	}
	return results, nil
}

// batch gives events to a guest that takes several at once.
func (i *Instance) batch(ctx context.Context, events []event.Event) (results []Result, err error) {
	g := i.guest
	i.usage.begin(g)
	g.batch = batch{events: events, results: make([]Result, 0, len(events))}
	g.batchTime = time.Duration(len(events)) * g.module.spec.Limits.Deadline
	if g.module.kind == kindCommand {
		results, err = g.runCommand(ctx)
	} else {
		results, err = g.onBatch(ctx)
	}
	i.fuel = g.used()
	i.usage.end(g)
	current := g.batch.current()
	g.batch = batch{}
	i.stats.Events += uint64(len(events))
	switch {
	case err != nil:
		return nil, i.discard(ctx, current, err)
	case g.module.kind == kindCommand: // it has ended
		_ = g.close(context.WithoutCancel(ctx))
		i.guest = nil
	default:
		i.aged(len(events))
	}
	return results, nil
}

// onBatch calls on_batch.
func (g *guest) onBatch(ctx context.Context) ([]Result, error) {
	g.phase = phaseBatch
	g.args[0] = uint64(len(g.batch.events))
	err := g.guard(ctx, abi.ExportOnBatch, g.batchTime, g.callBatch)
	g.event, g.phase = event.Event{}, phaseIdle
	g.emitted, g.message = output{}, ""
	g.endEvent()
	if err != nil {
		return nil, err
	}
	verdict := Verdict(int32(g.args[0]))
	if verdict < Done || verdict > Fail {
		return nil, g.crash(abi.ExportOnBatch, ReasonProtocol, badVerdict(verdict))
	}
	results := g.batch.results[:len(g.batch.events)] // zero for those that were not pulled
	for n := range results {
		r := &results[n]
		if n >= g.batch.pulled || r.Verdict == abi.AsBatch {
			r.Verdict = verdict
		}
		if r.Verdict != Done {
			r.Emitted = nil
		}
	}
	return results, nil
}

func (g *guest) callBatch(ctx context.Context) error {
	if err := g.call(ctx, &g.batchEntry, g.args[:]); err != nil {
		return err
	}
	if g.phase == phaseEvent {
		if err := g.settle(); err != nil {
			g.fault = &fault{ReasonProtocol, err}
			return err
		}
	}
	return g.trim(&g.batchEntry)
}

// settle notes what became of the event at hand. An error says how the guest broke the rules.
func (g *guest) settle() error {
	v, _ := g.mod.Memory().ReadUint32Le(g.batch.record + abi.RecordVerdict)
	verdict := Verdict(int32(v))
	if verdict < abi.AsBatch || verdict > Fail {
		return fmt.Errorf("the verdict in the record of event %d of the batch is %d, it must be 0 (done), 1 (drop), 2 (retry), "+
			"3 (fail) or -1 (that of the batch)", g.batch.pulled-1, verdict)
	}
	g.batch.add(Result{Verdict: verdict, Message: g.message, Emitted: g.emitted.list,
		Refused: g.emitted.refused, Handler: g.module.digest}, &g.emitted)
	g.emitted, g.message = output{}, ""
	g.endEvent()
	return nil
}

func eventNext(c call, stack []uint64) {
	ptr, room := uint32(stack[0]), uint32(stack[1])
	b := &c.batch
	switch {
	case c.phase != phaseBatch && (c.phase != phaseEvent || b.events == nil):
		stack[0] = status(abi.WrongPhase)
		return
	case room < abi.EventRecord:
		stack[0] = status(abi.BadArgument)
		return
	}
	if c.phase == phaseEvent {
		if err := c.settle(); err != nil {
			c.abort(ReasonProtocol, "%w", err)
		}
	}
	if b.pulled == len(b.events) {
		c.event, c.phase = event.Event{}, phaseBatch
		stack[0] = status(abi.NotFound)
		return
	}
	record := c.read(ptr, abi.EventRecord)
	c.event, c.phase = b.events[b.pulled], phaseEvent
	b.pulled, b.record = b.pulled+1, ptr
	if err := c.writePrefetch(); err != nil {
		panic(err)
	}
	args := eventArgs(c.event)
	for n, arg := range args {
		binary.LittleEndian.PutUint32(record[4*n:], uint32(arg))
	}
	verdict := int32(abi.AsBatch)
	binary.LittleEndian.PutUint32(record[abi.RecordVerdict:], uint32(verdict))
	stack[0] = abi.EventRecord
}
