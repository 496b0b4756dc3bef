package plugins

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
	pulled  int      // events that the guest has got; a crash is about the last of them
	record  uint32   // where the guest has the record of the event at hand
}

// beginBatch has the guest work on several events.
func (s *eventState) beginBatch(events []event.Event) {
	s.batch = batch{events: events, results: make([]Result, 0, len(events))}
}

// endBatch forgets the events.
func (s *eventState) endBatch() { s.batch = batch{} }

// current returns the event that a crash in the batch is about.
func (s *eventState) current() event.Event {
	return s.batch.events[max(0, min(s.batch.pulled, len(s.batch.events))-1)]
}

// addResult adds what became of the next event.
func (s *eventState) addResult(r Result) {
	s.batch.results = append(s.batch.results, r)
	s.batch.bytes += s.output.bytes
}

// allResults returns the results of all events, with the verdict about the batch for those that the
// guest has not pulled, or not given another verdict.
func (s *eventState) allResults(verdict abi.Verdict) []Result {
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

// settle adds the result of the event at hand, and ends that. An error says how the guest broke the
// rules.
func (s *eventState) settle(mem api.Memory) error {
	v, _ := mem.ReadUint32Le(s.batch.record + abi.RecordVerdict)
	verdict := abi.Verdict(int32(v))
	if verdict < abi.AsBatch || verdict > abi.Fail {
		return fmt.Errorf("the verdict in the record of event %d of the batch is %d, "+
			"it must be 0 (done), 1 (drop), 2 (retry), 3 (fail) or -1 (that of the batch)",
			s.batch.pulled-1, verdict)
	}
	s.addResult(s.result(verdict))
	s.guest.endEvent()
	return nil
}

// next is event.v1 next.
func (s *eventState) next(c call, stack []uint64) {
	ptr, room := uint32(stack[0]), uint32(stack[1])
	b, phase := &s.batch, c.phase
	switch {
	case phase != phaseBatch && (phase != phaseEvent || b.events == nil):
		stack[0] = i32(abi.WrongPhase)
		return
	case room < abi.EventRecord:
		stack[0] = i32(abi.BadArgument)
		return
	}
	if phase == phaseEvent {
		if err := s.settle(c.mem); err != nil {
			c.abort(ReasonProtocol, "%w", err)
		}
	}
	if b.pulled == len(b.events) {
		s.guest.phase = phaseBatch
		stack[0] = i32(abi.NotFound)
		return
	}
	record := c.read(ptr, abi.EventRecord)
	s.begin(b.events[b.pulled])
	b.pulled, b.record = b.pulled+1, ptr
	if err := s.writePrefetch(c.mem); err != nil {
		panic(err)
	}
	args := s.args()
	for n, arg := range args {
		binary.LittleEndian.PutUint32(record[4*n:], uint32(arg))
	}
	verdict := int32(abi.AsBatch)
	binary.LittleEndian.PutUint32(record[abi.RecordVerdict:], uint32(verdict))
	stack[0] = abi.EventRecord
}
