package hostfunc

import (
	"bytes"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// MaxBatchOutput is how many bytes a guest may emit for all events of a batch, or as many as for
// one event if that is more.
const MaxBatchOutput = 8 << 20

// output is what a guest has emitted for the event at hand.
type output struct {
	list  []Emission
	bytes int64
	data  bool // there is one of kind data

	refused int // how many were not taken
}

// emit is result.v1 emit.
func (s *EventState) emit(c call, stack []uint64) {
	kind, ptr, length := abi.EmitKind(int32(stack[0])), uint32(stack[1]), uint32(stack[2])
	status := s.emitFrom(c, kind, ptr, length)
	if status != 0 && status != abi.WrongPhase { // else there is an event at hand
		s.output.refused++
	}
	stack[0] = i32(status)
}

func (s *EventState) emitFrom(c call, kind abi.EmitKind, ptr, length uint32) abi.Status {
	if c.phase() != PhaseEvent {
		return abi.WrongPhase
	}
	if kind != abi.EmitEvent && kind != abi.EmitData {
		return abi.BadArgument
	}
	if !s.group.Rules.allowsKind(kind) {
		return abi.Denied
	}
	if !s.hasRoom(kind, int64(length)) {
		return abi.Quota
	}
	return s.Emit(kind, c.read(ptr, length))
}

// hasRoom reports whether one more emission of this event is within the limits.
func (s *EventState) hasRoom(kind abi.EmitKind, length int64) bool {
	rules, out := &s.group.Rules, &s.output
	return len(out.list) < rules.Count && out.bytes+length <= rules.Bytes &&
		!(kind == abi.EmitData && out.data) &&
		s.batch.bytes+out.bytes+length <= max(MaxBatchOutput, rules.Bytes)
}

// Emit checks an emission for the event at hand, and keeps a copy.
func (s *EventState) Emit(kind abi.EmitKind, text []byte) abi.Status {
	out, rules := &s.output, &s.group.Rules
	switch {
	case !rules.allowsKind(kind):
		return abi.Denied
	case !s.hasRoom(kind, int64(len(text))):
		return abi.Quota
	}
	switch kind {
	case abi.EmitEvent:
		typ, _, err := ParseEvent(text)
		if err != nil {
			return abi.BadArgument
		}
		if reserved(typ) || !rules.allowsType(typ) {
			return abi.Denied
		}
	case abi.EmitData:
		if !ValidJSON(text) {
			return abi.BadArgument
		}
		out.data = true
	}
	out.list = append(out.list, Emission{Kind: kind, Data: bytes.Clone(text)})
	out.bytes += int64(len(text))
	return 0
}

// Denial returns why an emission was denied.
func (s *EventState) Denial(kind abi.EmitKind, text []byte) error {
	return s.group.Rules.denial(kind, text)
}
