package route

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// restoredVersions has the objects of which a restored outbox was ahead of the informer, since that
// was cut before it: what comes of them up to these versions was handed over before the restart.
// Records have them until the informer has come that far, as it may not before the next restart.
// The zero value has none. It is safe for concurrent use.
type restoredVersions struct {
	any     atomic.Bool
	mu      sync.Mutex
	objects map[event.Key]*restoredVersion
	// The informer has come to passed, but the last cut of it may not have. That has come to past.
	passed, past []event.Key
	changed      bool // other than by these since the last cut
}

// restoredVersion is a state of an object.
type restoredVersion struct {
	_       struct{} `cbor:",toarray"`
	UID     string
	Version uint64
	Ended   bool // by this, for the receiver
	passed  bool
}

// restore notes what an outbox is restored with, and what records have. Call it before anything else,
// unless versions have gone back.
func (a *restoredVersions) restore(l *delivery.Backlog, earlier map[event.Key]*restoredVersion) {
	a.objects = earlier
	for e := range l.Events() { // versions may have gone back, so the last one counts
		a.objects[cloneKey(e.Object.Key())] = &restoredVersion{UID: strings.Clone(e.Object.UID()),
			Version: object.ParseVersion(e.Object.ResourceVersion()), Ended: e.Op == event.Delete}
	}
	a.changed = len(a.objects) > 0
	a.any.Store(a.changed)
}

// has reports whether what comes of an event was handed over before, or something newer was. What is
// repeated never was.
func (a *restoredVersions) has(d *wanted) bool {
	if !a.any.Load() {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if d.From != nil && d.From.Rewound.Load() {
		a.forgetLocked()
		return false
	}
	key, version := d.Object.Key(), object.ParseVersion(d.Object.ResourceVersion())
	upTo := a.objects[key]
	if upTo == nil || upTo.passed {
		return false
	}
	// Without a uid, the object is known by its name alone.
	ends := d.Op == event.Delete && (d.Object.UID() == "" || d.Object.UID() == upTo.UID)
	again := upTo.Ended && version == upTo.Version && d.event.Op != event.Delete
	if upTo.passed = ends || version >= upTo.Version; again {
		a.past = append(a.past, cloneKey(key)) // it is selected again, so that its end was not the last
	} else if upTo.passed {
		a.passed = append(a.passed, cloneKey(key))
	}
	switch {
	case version > upTo.Version:
		return false
	case ends: // unless a killed process may have handed over more after that
		return upTo.Ended && d.Object.UID() != "" && !d.MaybeKnown
	case version == upTo.Version && d.Op != event.Delete:
		return (d.Op == event.Add || d.Op == event.Update) && (d.event.Op == event.Delete) == upTo.Ended
	}
	return true
}

// forget forgets everything: versions have gone back. A cut that has what informers have since has
// to know it, even if nothing of that is wanted.
func (a *restoredVersions) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.objects) > 0 {
		a.forgetLocked()
	}
}

func (a *restoredVersions) forgetLocked() {
	a.objects, a.passed, a.past, a.changed = nil, nil, nil, true
	a.any.Store(false)
}

// cut writes what has changed since the cut before. The first one has everything.
func (a *restoredVersions) cut(to record.Writer, number uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changed {
		to.Clear(restoredPart(number))
		a.wholeLocked(to, number)
		a.changed = false
	}
	for _, key := range a.past {
		delete(a.objects, key)
		to.Delete(restoredPart(number), key)
	}
	a.past, a.passed = a.passed, a.past[:0]
	a.any.Store(len(a.objects) > 0)
}

// whole writes everything.
func (a *restoredVersions) whole(to record.Writer, number uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wholeLocked(to, number)
}

func (a *restoredVersions) wholeLocked(to record.Writer, number uint64) {
	for key, o := range a.objects {
		to.Put(restoredPart(number), key, o, nil)
	}
}

// cloneKey returns a key that does not keep the text of its object in memory.
func cloneKey(key event.Key) event.Key {
	return event.Key{Namespace: strings.Clone(key.Namespace), Name: strings.Clone(key.Name)}
}
