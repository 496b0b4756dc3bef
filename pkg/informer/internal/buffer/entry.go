package buffer

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Entry is an event in a buffer, with what must be known when it is done.
type Entry struct {
	event.Event
	From     *Origin
	Initials int // how many initial adds of the origin this entry is for
	// Number is the owner's, which has given each event a higher one than those before. What is
	// merged has the number of its last event.
	Number uint64
	// Since is when the entry began to wait: it arrived then or, if it did not, came here. Of
	// several that were merged it is the first one's. The buffer sets it unless it is known.
	Since    event.Instant
	Attempts int32 // failed deliveries
	Recalled bool  // a worker has asked for the object, nothing happened to it
	Alone    bool  // it may be older than what workers have had of the object
	// Owed: workers of an earlier process may have had the object. Its delete is not merged into
	// what comes after it.
	Owed bool
	// Doubt: workers of an earlier process may have had states of the object that came before this
	// one, and do not come again.
	Doubt bool
	// Progress is the owner's: what it offered with the event, or a worker left at its retry.
	Progress any
	// Known is for a Delete: the state that a subscription with Transitions took last, nil if none.
	Known *object.Object
}

// Forgettable is a Progress that learns that no worker will have it. The methods must not call the
// buffer or its owner, which may hold locks. One of them is called, once.
type Forgettable interface {
	// Forgotten is called when the entry is dropped or spilled.
	Forgotten()
	// MergedInto is called when the entry is merged into a later one of its object, with the
	// progress of that, which stays; nil if it was spilled.
	MergedInto(later any)
}

// Forget takes the progress away from an entry.
func (e *Entry) Forget() {
	p, ok := e.Progress.(Forgettable)
	e.Progress = nil
	if ok {
		p.Forgotten()
	}
}

// Origin is where entries come from: one registration of the subscription with an informer.
type Origin struct {
	// Transitions: the subscription also looks at the state before an event.
	Transitions bool
	// Stored returns the current state of an object in the informer's store, nil if there is none.
	// It is needed for entries that are recalled.
	Stored func(object.Key) *object.Object
	// Initials is how many initial adds are not done yet. The buffer's owner counts them.
	Initials int
	// Number is that of the initial adds that join next.
	Number uint64
	// Removed: the registration has ended. What comes back from the spill file is forgotten.
	Removed bool
}

// KnownBefore returns the state that the subscription had taken before this event, nil if there is
// none or the entry does not say.
func (e *Entry) KnownBefore() *object.Object {
	switch e.Op {
	case event.Update:
		return e.Old
	case event.Resync:
		return e.Object
	default:
		return e.Known
	}
}

// begin sets since when the entry waits, unless that is known.
func (e *Entry) begin() {
	if e.Since != 0 {
		return
	}
	if e.Since = e.Arrived; e.Since == 0 {
		e.Since = event.Now()
	}
}

// compact replaces the entry's objects by their stored forms. Entries that are not bounded in
// number must not hold others.
func (e *Entry) compact() {
	e.Object = e.Object.Stored()
	if e.Old != nil {
		e.Old = e.Old.Stored()
	}
}
