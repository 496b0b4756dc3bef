package buffer

import (
	"sync/atomic"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Entry is an event on its way through a subscription: in its buffer, with a worker, parked for a
// retry.
type Entry struct {
	event.Event
	// Attempt is how often a worker has had the event: 1 at the first delivery, 2 at its first
	// retry, and so on.
	Attempt int
	// Before is for a Delete, and set if the subscription has Transitions: the state of the object
	// that it took last, nil if it took none. If events were missed, Object may differ from it in
	// what the subscription looks at.
	Before *object.Object
	// Progress belongs to the worker: what it sets before Retry, it finds here at the next delivery
	// of the same event. At the first one it is what the event was offered with, nil if an informer
	// did.
	Progress Progress
	// Since is when the event arrived or, if it did not, when the subscription got it. Of several
	// that were merged it is the first one's. The buffer sets it unless it is known.
	Since event.Instant
	// Recalled: a worker has asked for the object with Again. Object is the state that worker had.
	// Op is Resync, as nothing has happened to it; or Delete, if the object is gone and the
	// conditions of a subscription with Transitions have refused that.
	Recalled bool
	// MaybeDelivered: an earlier process, which was killed, may have delivered the event. Its
	// delete is not merged into what comes after it. MaybeKnown: it may have delivered states of
	// the object that came before this one, and do not come again; conditions of a subscription
	// with Transitions do not refuse such an event, nor does On.
	MaybeDelivered, MaybeKnown bool

	// What follows is the subscription's own.

	Alone    bool  // it may be older than what workers have had of the object
	Initials int32 // how many initial adds of the origin this entry is for
	From     *Origin
	// Number is higher than that of each event before. What is merged has that of its last event.
	Number uint64
}

// Progress is what a worker has done of an event that it puts back, or what an event was offered
// with. It learns that no delivery will have it. The methods must neither call the subscription,
// which is locked, nor wait for anyone who does. One of them is called, once.
type Progress interface {
	// Forgotten is called when the event is dropped, spilled or discarded. A spilled one still
	// comes, without its progress.
	Forgotten()
	// MergedInto is called when the event is merged into a later one of its object, with the
	// progress of that, which stays; nil if it has none.
	MergedInto(later Progress)
}

// Forget takes the progress away from an entry.
func (e *Entry) Forget() {
	if p := e.Progress; p != nil {
		e.Progress = nil
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
	Initials int32
	// Number is that of the initial adds that join next.
	Number uint64
	// Rewound: versions have gone back, so that a lower one may be the newer state.
	Rewound atomic.Bool
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
		return e.Before
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
