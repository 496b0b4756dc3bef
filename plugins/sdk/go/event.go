package informerd

import (
	"strconv"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Op says what happened to an object.
type Op uint32

// The operations.
const (
	Add    Op = 1
	Update Op = 2
	Delete Op = 3
	Resync Op = 4
)

// String gives the word that configuration and filters use.
func (op Op) String() string {
	switch op {
	case Add:
		return "add"
	case Update:
		return "update"
	case Delete:
		return "delete"
	case Resync:
		return "resync"
	}
	return "op " + strconv.Itoa(int(op))
}

// Event is what a handler gets.
type Event struct {
	Op                Op
	Initial           bool // part of the first list
	FinalStateUnknown bool // the delete itself was missed, Object is the last known state
	Missed            bool // earlier events of this object were coalesced away
	Object            Object
	Old               Object // exists for an update only
}

// Changed tells whether a field differs between Old and Object. For an add or a delete every field that exists has
// changed, for a resync none.
func (e *Event) Changed(p *FieldPath) bool {
	return host.EventChanged(p.use()) == 1
}

// Retry is the verdict to try again later, with the reason why.
func (e *Event) Retry(reason string) Verdict {
	host.ResultError([]byte(reason))
	return Retry
}

// Fail is the verdict not to try again, with the reason why.
func (e *Event) Fail(reason string) Verdict {
	host.ResultError([]byte(reason))
	return Fail
}

// Object is the state of an object, read through the host. It is valid until OnEvent returns.
type Object struct {
	which uint32
	size  uint32
}

// Exists is false for the old object of an event that has none.
func (o Object) Exists() bool { return o.size > 0 }

// Size is the length of the object's JSON text.
func (o Object) Size() int { return int(o.size) }

// JSON copies the whole text; nil if there is no object. Prefer reading single fields.
func (o Object) JSON() []byte {
	if o.size == 0 {
		return nil
	}
	text := make([]byte, o.size)
	n := host.EventObject(o.which, 0, text)
	return text[:max(n, 0)]
}

// Get reads a field.
func (o Object) Get(p *FieldPath) Value {
	packed := host.EventField(o.which, p.use(), buffer)
	if packed < 0 {
		return Value{}
	}
	kind, length := Kind(packed>>32), int(uint32(packed))
	if length > len(buffer) {
		buffer = make([]byte, length)
		host.EventField(o.which, p.use(), buffer)
	}
	return Value{kind, string(buffer[:length])}
}

// String reads a string, "" if the field is none.
func (o Object) String(p *FieldPath) string { return o.Get(p).String() }

// Int reads an integer, 0 if the field is none.
func (o Object) Int(p *FieldPath) int64 {
	n, _ := o.Get(p).Int()
	return n
}

// Bool reads a boolean, false if the field is none.
func (o Object) Bool(p *FieldPath) bool { return o.Get(p).Bool() }

// Has tells whether the field is there, be it null.
func (o Object) Has(p *FieldPath) bool { return o.Get(p).Exists() }

// buffer is where the host writes fields. It grows to the longest one.
var buffer = make([]byte, 4096)

// readAll reads a text that get writes whole or not at all.
func readAll(get func([]byte) int32) []byte {
	n := get(buffer)
	if int(n) > len(buffer) {
		buffer = make([]byte, n)
		n = get(buffer)
	}
	return buffer[:max(n, 0)]
}
