package plugins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// output is what a guest has emitted for the event at hand.
type output struct {
	list  []Emission
	bytes int64
	data  bool // there is one of kind data

	refused int // how many were not taken
}

func resultEmit(c call, stack []uint64) {
	kind, ptr, length := abi.EmitKind(int32(stack[0])), uint32(stack[1]), uint32(stack[2])
	answer := c.emit(kind, ptr, length)
	if answer != 0 && answer != abi.WrongPhase { // else there is an event at hand
		c.emitted.refused++
	}
	stack[0] = status(answer)
}

func (c call) emit(kind abi.EmitKind, ptr, length uint32) abi.Status {
	if c.phase != phaseEvent {
		return abi.WrongPhase
	}
	if kind != abi.EmitEvent && kind != abi.EmitData {
		return abi.BadArgument
	}
	if !c.module.spec.Grants.Emit.allowsKind(kind) {
		return abi.Denied
	}
	if !c.hasRoom(kind, int64(length)) {
		return abi.Quota
	}
	return c.take(kind, c.read(ptr, length))
}

// hasRoom tells whether one more emission of this event is within the limits.
func (g *guest) hasRoom(kind abi.EmitKind, length int64) bool {
	limits, out := g.module.spec.Limits.Output, &g.emitted
	return len(out.list) < limits.Count && out.bytes+length <= limits.Bytes &&
		!(kind == abi.EmitData && out.data) &&
		g.batch.bytes+out.bytes+length <= max(batchOutput, limits.Bytes)
}

// take checks an emission and keeps a copy.
func (g *guest) take(kind abi.EmitKind, text []byte) abi.Status {
	out, grant := &g.emitted, g.module.spec.Grants.Emit
	switch {
	case !grant.allowsKind(kind):
		return abi.Denied
	case !g.hasRoom(kind, int64(len(text))):
		return abi.Quota
	}
	switch kind {
	case abi.EmitEvent:
		typ, _, err := parseEvent(text)
		if err != nil {
			return abi.BadArgument
		}
		if reserved(typ) || !grant.allowsType(typ) {
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

// parseEvent reads {"type":…,"data":…} and nothing else.
func parseEvent(text []byte) (typ string, data json.RawMessage, err error) {
	if !validJSON(text) {
		return "", nil, errors.New("emitted event: not valid JSON")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return "", nil, errors.New("emitted event: not a JSON object")
	}
	for name := range fields {
		if name != "type" && name != "data" {
			return "", nil, fmt.Errorf("emitted event: unknown field %q", name)
		}
	}
	if err := json.Unmarshal(fields["type"], &typ); err != nil || !validType(typ) {
		return "", nil, fmt.Errorf(
			"emitted event: type must be a string of 1 to %d printable ASCII characters without spaces",
			abi.MaxEventType)
	}
	return typ, fields["data"], nil
}

func validType(typ string) bool {
	if typ == "" || len(typ) > abi.MaxEventType {
		return false
	}
	for _, c := range []byte(typ) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}

func validJSON(text []byte) bool {
	return utf8.Valid(text) && json.Valid(text)
}

// validText takes at most limit bytes of a guest's text.
func validText(b []byte, limit int) string {
	return strings.ToValidUTF8(string(b[:min(limit, len(b))]), "\uFFFD")
}
