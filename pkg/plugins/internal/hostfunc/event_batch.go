package hostfunc

import (
	"encoding/binary"
	"fmt"

	"github.com/tetratelabs/wazero/api"

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

// BeginBatch has the guest work on several events.
func (s *EventState) BeginBatch(events []event.Event) {
	s.batch = batch{events: events, results: make([]Result, 0, len(events))}
}

// EndBatch forgets the events.
func (s *EventState) EndBatch() { s.batch = batch{} }

// Batch returns the events of the batch.
func (s *EventState) Batch() []event.Event { return s.batch.events }

// Current returns the event that a crash in the batch is about.
func (s *EventState) Current() event.Event {
	return s.batch.events[max(0, min(s.batch.pulled, len(s.batch.events))-1)]
}

// Pull counts one more event of the batch as the one that a crash is about.
func (s *EventState) Pull() { s.batch.pulled++ }

// Results returns those that were added.
func (s *EventState) Results() []Result { return s.batch.results }

// AddResult adds what became of the next event.
func (s *EventState) AddResult(r Result) {
	s.batch.results = append(s.batch.results, r)
	s.batch.bytes += s.output.bytes
}

// AllResults returns the results of all events, with the verdict about the batch for those that the
// guest has not pulled, or not given another verdict.
func (s *EventState) AllResults(verdict abi.Verdict) []Result {
	results := s.batch.results[:len(s.batch.events)] // zero for those that were not pulled
	for n := range results {
		r := &results[n]
		if n >= s.batch.pulled || r.Verdict == abi.AsBatch {
			r.Verdict = verdict
		}
		if r.Verdict != abi.Done {
			r.Emitted = nil
		}
	}
	return results
}

// Settle adds the result of the event at hand, and ends that. An error says how the guest broke the
// rules.
func (s *EventState) Settle(mem api.Memory) error {
	v, _ := mem.ReadUint32Le(s.batch.record + abi.RecordVerdict)
	verdict := abi.Verdict(int32(v))
	if verdict < abi.AsBatch || verdict > abi.Fail {
		return fmt.Errorf("the verdict in the record of event %d of the batch is %d, "+
			"it must be 0 (done), 1 (drop), 2 (retry), 3 (fail) or -1 (that of the batch)",
			s.batch.pulled-1, verdict)
	}
	s.batch.results = append(s.batch.results, Result{Verdict: verdict, Message: s.message,
		Emitted: s.output.list, Refused: s.output.refused, Handler: s.group.Digest})
	s.batch.bytes += s.output.bytes
	s.caller.EndEvent()
	return nil
}

// next is event.v1 next.
func (s *EventState) next(c call, stack []uint64) {
	ptr, room := uint32(stack[0]), uint32(stack[1])
	b, phase := &s.batch, c.phase()
	switch {
	case phase != PhaseBatch && (phase != PhaseEvent || b.events == nil):
		stack[0] = i32(abi.WrongPhase)
		return
	case room < abi.EventRecord:
		stack[0] = i32(abi.BadArgument)
		return
	}
	if phase == PhaseEvent {
		if err := s.Settle(c.memory()); err != nil {
			c.abort(ReasonProtocol, "%w", err)
		}
	}
	if b.pulled == len(b.events) {
		s.caller.Phase = PhaseBatch
		stack[0] = i32(abi.NotFound)
		return
	}
	record := c.read(ptr, abi.EventRecord)
	s.Begin(b.events[b.pulled])
	b.pulled, b.record = b.pulled+1, ptr
	if err := s.WritePrefetch(c.memory()); err != nil {
		panic(err)
	}
	args := s.Args()
	for n, arg := range args {
		binary.LittleEndian.PutUint32(record[4*n:], uint32(arg))
	}
	verdict := int32(abi.AsBatch)
	binary.LittleEndian.PutUint32(record[abi.RecordVerdict:], uint32(verdict))
	stack[0] = abi.EventRecord
}
