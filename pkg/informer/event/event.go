package event

import (
	"fmt"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Op says what happened to an object. Its numbers are those of the handler ABI (informerd/v1).
type Op uint8

const (
	// Add: the object is new to the listener.
	Add Op = 1 + iota
	// Update: the object has another resourceVersion than before; Event.Old is its state before.
	Update
	// Delete: the object is gone; Event.Object is its last known state.
	Delete
	// Resync: nothing changed, the listener's resync period has passed. Never disguised as an
	// Update.
	Resync
)

var opNames = [...]string{Add: "add", Update: "update", Delete: "delete", Resync: "resync"}

// Ops are all operations, in the order of their numbers.
var Ops = []Op{Add, Update, Delete, Resync}

// Every has all operations.
const Every OpSet = 1<<Add | 1<<Update | 1<<Delete | 1<<Resync

// String returns the word that configuration, filters and outputs use: add, update, delete or
// resync.
func (op Op) String() string {
	if op < Add || op > Resync {
		return fmt.Sprintf("op(%d)", uint8(op))
	}
	return opNames[op]
}

// ParseOp returns the Op with a name. It is the opposite of Op.String.
func ParseOp(s string) (Op, error) {
	for _, op := range Ops {
		if opNames[op] == s {
			return op, nil
		}
	}
	return 0, fmt.Errorf("unknown op %q: it is one of add, update, delete, resync", s)
}

// OpSet is a set of operations. The zero value is empty.
type OpSet uint8

// With returns the set with op added.
func (s OpSet) With(op Op) OpSet { return s | 1<<op }

// Has reports whether op is in the set.
func (s OpSet) Has(op Op) bool { return s&(1<<op) != 0 }

// Event is what a listener receives. It is passed by value; its objects are immutable.
type Event struct {
	Op Op
	// Initial: the event belongs to the first list the listener saw.
	Initial bool
	// FinalStateUnknown: the delete itself was missed; Object is the last known state.
	FinalStateUnknown bool
	// Resumed: the event is part of what happened while nobody watched, since the process was away or
	// the API server could not go on, so that states of the object may have been passed over.
	Resumed bool
	// Missed is how many earlier events of this object were coalesced away, because the listener's
	// buffer was full.
	Missed int32
	// Arrived is when the event came from the API server; of several that were coalesced, the first
	// one. It is 0 of what comes of a list, a resync or a restart.
	Arrived Instant
	// Object is never nil.
	Object *object.Object
	// Old is set for Update only. It is the state this listener's buffer took last before Object,
	// so that with Missed > 0 it is older than Object's immediate predecessor.
	Old *object.Object
}

// Key is the key of an event's object. It is defined with the object, which knows its own.
type Key = object.Key
