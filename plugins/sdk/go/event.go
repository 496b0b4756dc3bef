package informerd

import (
	"runtime"
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

// goschedEvery is after how many events other goroutines get a turn. Between calls of the host
// nothing runs, so without it the garbage collector's own goroutines would starve.
const goschedEvery = 32

var (
	current Event // the one at hand; there is one at a time, so that none has to be allocated
	ended   bool  // a batch's last event is over
	events  int
)

func init() {
	host.Event, host.Begin, host.End = &current, begin, end
}

// begin makes an event the one at hand.
func begin(op, flags, objectLen, oldLen uint32) {
	if events++; events%goschedEvery == 0 {
		runtime.Gosched()
	}
	current = Event{
		Op:                Op(op),
		Initial:           flags&1 != 0,
		FinalStateUnknown: flags&2 != 0,
		Missed:            flags&4 != 0,
		Object:            Object{which: newObject, size: objectLen},
		Old:               Object{which: oldObject, size: oldLen},
	}
	ended = false
}

// end leaves no event at hand, before on_event or on_batch returns.
func end() { current, ended = Event{}, true }

// Changed tells whether a field differs between Old and Object. For an add or a delete every field
// that exists has changed, for a resync none.
func (e *Event) Changed(p *FieldPath) bool {
	return host.EventChanged(p.use()) == 1
}

// Retry is the verdict to try again later, with the reason why.
func (e *Event) Retry(reason string) Verdict {
	host.ResultError(reason)
	return Retry
}

// Fail is the verdict not to try again, with the reason why.
func (e *Event) Fail(reason string) Verdict {
	host.ResultError(reason)
	return Fail
}
