// Package changes notes what changes of an informer between two cuts. It is plain data: no lock, no
// channel, no goroutine.
package changes

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/diff"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/internal/told"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Changes are what was noted since the last cut. Nil notes nothing.
type Changes struct {
	Version string // up to which the store was complete when that was last known
	Whole   bool   // everything has changed
	Keys    map[event.Key]struct{}
	// Gone are the objects that have ended after Version.
	Gone map[event.Key]string
	Left []string // subscriptions
	// Absent are subscriptions that were in the informer's Stored and have not joined. They may
	// want any event.
	Absent map[string]*told.Set
	Number uint64               // of the last event that they were offered
	Dues   map[string]time.Time // of the resyncs of those
	// Killed: an earlier process may have delivered what the server sends, since it was killed
	// after its last cut.
	Killed bool
}

// maxKeys is how many objects may have changed before a cut releases the memory for that.
const maxKeys = 4096

// New returns changes of which there are none.
func New() *Changes {
	return &Changes{Keys: map[event.Key]struct{}{}, Gone: map[event.Key]string{},
		Absent: map[string]*told.Set{}, Dues: map[string]time.Time{}}
}

// Put notes an object that is stored in another state.
func (c *Changes) Put(key event.Key) {
	if c != nil {
		c.Keys[key] = struct{}{}
		delete(c.Gone, key)
	}
}

// Remove notes an object that is not stored any more, and the version by which it was gone.
func (c *Changes) Remove(key event.Key, version string) {
	if c != nil {
		c.Keys[key] = struct{}{}
		c.Gone[key] = version
	}
}

// All notes that everything may have changed.
func (c *Changes) All() {
	if c != nil {
		c.Whole = true
	}
}

// Offer lists an event for the subscriptions that have not joined.
func (c *Changes) Offer(e *buffer.Entry) {
	if c == nil || e.Op == event.Resync {
		return
	}
	by := told.Nobody
	if c.Killed {
		by = told.Earlier
	}
	for _, set := range c.Absent {
		c.Number++
		set.Offered(&e.Event, e.KnownBefore(), c.Number, by)
	}
}

// Owes reports whether an earlier process may have delivered an event.
func (c *Changes) Owes(e *buffer.Entry) bool {
	return c != nil && c.Killed && (e.Op == event.Add || e.Op == event.Update)
}

// Forget ends the wait for a subscription, and reports whether there was one. If it has joined and
// tracks, the next cut has it.
func (c *Changes) Forget(name string) bool {
	_, absent := c.Absent[name]
	if absent {
		delete(c.Absent, name)
		c.Left = append(c.Left, name)
	}
	return absent
}

// Gone is an object that has ended, and the version by which it had.
type Gone struct {
	Key     event.Key
	Version string
}

// Take returns the objects that have changed, or all of them, and those that are gone. The next cut
// begins after that.
func (c *Changes) Take(from *store.Store, whole bool) (changed iter.Seq[*object.Object],
	gone []Gone) {
	complete := diff.ParseVersion(c.Version)
	if whole {
		changed = from.Snapshot().All()
		for key, version := range c.Gone {
			if diff.ParseVersion(version) > complete {
				gone = append(gone, Gone{key, version})
			}
		}
	} else {
		objects := make([]*object.Object, 0, len(c.Keys))
		for key := range c.Keys {
			if o := from.Get(key); o != nil {
				objects = append(objects, o)
			} else {
				gone = append(gone, Gone{key, c.Gone[key]})
			}
		}
		changed = slices.Values(objects)
	}
	if len(c.Keys) > maxKeys {
		c.Keys = map[event.Key]struct{}{}
	}
	clear(c.Keys)
	c.Whole, c.Left = false, nil
	maps.DeleteFunc(c.Gone, func(_ event.Key, version string) bool {
		return diff.ParseVersion(version) <= complete
	})
	return changed, gone
}
