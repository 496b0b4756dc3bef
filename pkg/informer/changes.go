package informer

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/internal/unfinished"
	"github.com/informerd/informerd/pkg/informer/object"
)

// changes are what was noted of an informer since the last cut. Nil notes nothing. It is plain
// data: no lock, no goroutine.
type changes struct {
	version string // up to which the store was complete when that was last known
	whole   bool   // everything has changed
	// rewound: versions went back, and the store is not complete since.
	rewound bool
	keys    map[event.Key]struct{}
	// gone are the objects that have ended after version.
	gone map[event.Key]string
	left []string // subscriptions
	// absent are subscriptions that were in the informer's Stored and have not joined. They may
	// want any event.
	absent map[string]*unfinished.Set
	number uint64               // of the last event that they were offered
	dues   map[string]time.Time // of the resyncs of those
	// killed: an earlier process may have delivered what the server sends, since it was killed
	// after its last cut.
	killed bool
}

// maxKeys is how many objects may have changed before a cut releases the memory for that.
const maxKeys = 4096

// newChanges returns changes of which there are none.
func newChanges() *changes {
	return &changes{keys: map[event.Key]struct{}{}, gone: map[event.Key]string{},
		absent: map[string]*unfinished.Set{}, dues: map[string]time.Time{}}
}

// put notes an object that is stored in another state.
func (c *changes) put(key event.Key) {
	if c != nil {
		c.keys[key] = struct{}{}
		delete(c.gone, key)
	}
}

// remove notes an object that is not stored any more, and the version by which it was gone.
func (c *changes) remove(key event.Key, version string) {
	if c != nil {
		c.keys[key] = struct{}{}
		c.gone[key] = version
	}
}

// all notes that everything may have changed.
func (c *changes) all() {
	if c != nil {
		c.whole = true
	}
}

// offer lists an event for the subscriptions that have not joined.
func (c *changes) offer(e *buffer.Entry) {
	if c == nil || e.Op == event.Resync {
		return
	}
	by := unfinished.Nobody
	if c.killed {
		by = unfinished.Earlier
	}
	for _, set := range c.absent {
		c.number++
		set.Offered(&e.Event, e.KnownBefore(), c.number, by)
	}
}

// maybeDelivered reports whether an earlier process may have delivered an event.
func (c *changes) maybeDelivered(e *buffer.Entry) bool {
	return c != nil && c.killed && (e.Op == event.Add || e.Op == event.Update)
}

// forget ends the wait for a subscription, and reports whether there was one. If it has joined and
// tracks, the next cut has it.
func (c *changes) forget(name string) bool {
	_, absent := c.absent[name]
	if absent {
		delete(c.absent, name)
		c.left = append(c.left, name)
	}
	return absent
}

// Gone is an object that has ended, and the version by which it had.
type Gone struct {
	Key     event.Key
	Version string
}

// take returns the objects that have changed, or all of them, and those that are gone. The next cut
// begins after that.
func (c *changes) take(from *store.Store, whole bool) (changed iter.Seq[*object.Object],
	gone []Gone) {
	complete := object.ParseVersion(c.version)
	if whole {
		changed = from.Snapshot().All()
		for key, version := range c.gone {
			if object.ParseVersion(version) > complete {
				gone = append(gone, Gone{key, version})
			}
		}
	} else {
		objects := make([]*object.Object, 0, len(c.keys))
		for key := range c.keys {
			if o := from.Get(key); o != nil {
				objects = append(objects, o)
			} else {
				gone = append(gone, Gone{key, c.gone[key]})
			}
		}
		changed = slices.Values(objects)
	}
	if len(c.keys) > maxKeys {
		c.keys = map[event.Key]struct{}{}
	}
	clear(c.keys)
	c.whole, c.left = false, nil
	maps.DeleteFunc(c.gone, func(_ event.Key, version string) bool {
		return object.ParseVersion(version) <= complete
	})
	return changed, gone
}
