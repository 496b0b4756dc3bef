package route

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// restoredVersions has the objects of which a restored outbox was ahead of the informer, since that
// was cut before it: what comes of them up to these versions was handed over before the restart.
// The zero value has none. It is safe for concurrent use.
type restoredVersions struct {
	any     atomic.Bool
	mu      sync.Mutex
	objects map[event.Key]state
}

// state is a state of an object.
type state struct {
	uid     string
	version uint64
}

// restore notes what an outbox is restored with.
func (a *restoredVersions) restore(l *delivery.Backlog) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for o := range l.Objects() {
		if a.objects == nil {
			a.objects = make(map[event.Key]state, l.Len())
		}
		if version := object.ParseVersion(o.ResourceVersion()); version > a.objects[o.Key()].version {
			a.objects[cloneKey(o.Key())] = state{strings.Clone(o.UID()), version}
		}
	}
	a.any.Store(len(a.objects) > 0)
}

// has reports whether what comes of an event was handed over before, or something newer was. The
// end of the object that is there by now never was, nor what is repeated.
func (a *restoredVersions) has(d *wanted) bool {
	if !a.any.Load() {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if d.From != nil && d.From.Rewound.Load() {
		a.objects = nil
		a.any.Store(false)
		return false
	}
	key, version := d.Object.Key(), object.ParseVersion(d.Object.ResourceVersion())
	upTo, any := a.objects[key]
	switch {
	case !any:
		return false
	case version > upTo.version:
		delete(a.objects, key)
		a.any.Store(len(a.objects) > 0)
		return false
	case d.Op == event.Delete:
		uid := d.Object.UID()
		return uid != "" && uid != upTo.uid // without one, it is known by its name alone
	case version == upTo.version:
		return (d.Op == event.Add || d.Op == event.Update) && d.event.Op != event.Delete
	}
	return true
}

// cloneKey returns a key that does not keep the text of its object in memory.
func cloneKey(key event.Key) event.Key {
	return event.Key{Namespace: strings.Clone(key.Namespace), Name: strings.Clone(key.Name)}
}
