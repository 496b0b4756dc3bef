package plugins

import (
	"bytes"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// maxBatchOutput is how many bytes a guest may emit for all events of a batch, or as many as for
// one event if that is more.
const maxBatchOutput = 8 << 20

// output is what a guest has emitted for the event at hand.
type output struct {
	list  []Emission
	bytes int64
	data  bool // there is one of kind data

	refused int // how many were not taken
}

// emit is result.v1 emit.
func (s *eventState) emit(c call, stack []uint64) {
	kind, ptr, length := abi.EmitKind(int32(stack[0])), uint32(stack[1]), uint32(stack[2])
	status := s.emitFrom(c, kind, ptr, length)
	if status != 0 && status != abi.WrongPhase { // else there is an event at hand
		s.output.refused++
	}
	stack[0] = i32(status)
}

// rules are what bounds the guest's emissions.
func (s *eventState) rules() *EmitGrant { return s.guest.handler.spec.Grants.Emit }

func (s *eventState) emitFrom(c call, kind abi.EmitKind, ptr, length uint32) abi.Status {
	if c.phase != phaseEvent {
		return abi.WrongPhase
	}
	if kind != abi.EmitEvent && kind != abi.EmitData {
		return abi.BadArgument
	}
	if !s.rules().allowsKind(kind) {
		return abi.Denied
	}
	if !s.hasRoom(kind, int64(length)) {
		return abi.Quota
	}
	return s.take(kind, c.read(ptr, length))
}

// hasRoom reports whether one more emission of this event is within the limits.
func (s *eventState) hasRoom(kind abi.EmitKind, length int64) bool {
	rules, out := s.rules(), &s.output
	return len(out.list) < rules.Count && out.bytes+length <= rules.Bytes &&
		!(kind == abi.EmitData && out.data) &&
		s.batch.bytes+out.bytes+length <= max(maxBatchOutput, rules.Bytes)
}

// take checks an emission for the event at hand, and keeps a copy.
func (s *eventState) take(kind abi.EmitKind, text []byte) abi.Status {
	out, rules := &s.output, s.rules()
	switch {
	case !rules.allowsKind(kind):
		return abi.Denied
	case !s.hasRoom(kind, int64(len(text))):
		return abi.Quota
	}
	switch kind {
	case abi.EmitEvent:
		typ, _, err := parseEvent(text)
		if err != nil {
			return abi.BadArgument
		}
		if reserved(typ) || !rules.allowsType(typ) {
			return abi.Denied
		}
	case abi.EmitData:
		if !validJSON(text) {
			return abi.BadArgument
		}
		out.data = true
	}
	out.list = append(out.list, Emission{Kind: kind, Data: bytes.Clone(text)})
	out.bytes += int64(len(text))
	return 0
}
