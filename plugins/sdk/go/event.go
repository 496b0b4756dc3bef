package informerd

import (
	"runtime"
	"strconv"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Op is what happened to an object.
type Op uint32

// The operations.
const (
	Add    Op = 1
	Update Op = 2
	Delete Op = 3
	Resync Op = 4
)

// String returns the operation's name in the configuration and in filters.
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

// Event is one change of an object, as a handler receives it.
type Event struct {
	Op                Op
	Initial           bool // part of the first list
	FinalStateUnknown bool // the delete itself was missed; Object is the last known state
	Missed            bool // earlier events of this object were coalesced away
	Resumed           bool // it happened while informerd was away or could not watch; states may have been passed over
	Object            Object
	Old               Object // exists for an update only
}

// goschedEvery is the number of events after which other goroutines get a turn. Nothing runs
// between host calls, so the garbage collector's goroutines would starve without it.
const goschedEvery = 32

var (
	current Event // the current event; a single variable, so that none is allocated
	ended   bool  // the batch's last event is finished
	events  int
)

func init() {
	host.Event, host.Begin, host.End = &current, begin, end
}

// begin sets the current event.
func begin(op, flags, objectLen, oldLen uint32) {
	if events++; events%goschedEvery == 0 {
		runtime.Gosched()
	}
	current = Event{
		Op:                Op(op),
		Initial:           flags&1 != 0,
		FinalStateUnknown: flags&2 != 0,
		Missed:            flags&4 != 0,
		Resumed:           flags&8 != 0,
		Object:            Object{which: newObject, size: objectLen},
		Old:               Object{which: oldObject, size: oldLen},
	}
	ended = false
}

// end clears the current event before on_event or on_batch returns.
func end() { current, ended = Event{}, true }

// Changed reports whether a field differs between Old and Object. For an add or a delete every
// existing field has changed, for a resync none.
func (e *Event) Changed(p *FieldPath) bool {
	return host.EventChanged(p.use()) == 1
}

// Retry returns the verdict to try this event again later, and records the reason.
func (e *Event) Retry(reason string) Verdict {
	host.ResultError(reason)
	return Retry
}

// Fail returns the verdict not to try this event again, and records the reason.
func (e *Event) Fail(reason string) Verdict {
	host.ResultError(reason)
	return Fail
}
