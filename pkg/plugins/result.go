package plugins

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// Result is what a guest made of an event.
type Result struct {
	Verdict Verdict
	// Emitted is empty unless the verdict is Done.
	Emitted []Emission
	// Refused is how many emissions of this event were not taken: denied by the grant, too many or
	// too large, or malformed.
	Refused int
	// Message is what the guest gave to result.v1 error.
	Message string
	// Handler is the SHA-256 of the guest's module, in hexadecimal digits: who made what is
	// emitted.
	Handler string
}

// Emission is one output of a guest, checked against the rules of package abi.
type Emission struct {
	Kind abi.EmitKind
	// Data is the text as the guest wrote it: for an event an object with type and data. It is the
	// receiver's.
	Data []byte
}

// Event returns the parts of an emission of kind event. Data is nil if the guest gave none.
func (e Emission) Event() (typ string, data json.RawMessage, err error) {
	if e.Kind != abi.EmitEvent {
		return "", nil, fmt.Errorf("emission is of kind %s, not event", e.Kind)
	}
	return parseEvent(e.Data)
}

// parseEvent parses {"type":…,"data":…} and nothing else.
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
		return "", nil, fmt.Errorf("emitted event: "+
			"type must be a string of 1 to %d printable ASCII characters without spaces",
			abi.MaxEventType)
	}
	return typ, fields["data"], nil
}

func validType(typ string) bool {
	return typ != "" && len(typ) <= abi.MaxEventType && !strings.ContainsFunc(typ, notInType)
}

func notInType(c rune) bool { return c <= ' ' || c > '~' }

// validJSON reports whether a text is JSON in valid UTF-8.
func validJSON(text []byte) bool {
	return utf8.Valid(text) && json.Valid(text)
}
