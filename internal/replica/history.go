package replica

import (
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// maxChanges is how many states of an object are kept. Of more, the older ones stand for those that
// followed them: then a listener may get an object again that it has finished.
const maxChanges = 16

// history is what has happened to an informer's objects, as far back as somebody may need it. It is
// safe for concurrent use.
type history struct {
	mu      sync.Mutex
	changes map[event.Key][]change
}

// change is what an object was before a version.
type change struct {
	version uint64
	first   uint64           // that of the first one that it stands for
	noted   uint64           // the informer's version then
	before  *object.Object   // nil if there was none
	ended   []*object.Object // by the change, or by ones that it stands for
}

// unknown is the version of the end of an object that a list does not have any more, until the
// informer's version is that of the list.
const unknown = math.MaxUint64

// note adds an event. now is the informer's version. Events of an object come in their order.
func (h *history) note(e *informer.Delivery, now uint64) {
	c := change{version: object.ParseVersion(e.Object.ResourceVersion()), noted: now}
	switch e.Op {
	case event.Add:
	case event.Update:
		c.before = e.Old
	case event.Delete:
		c.before = e.Before // the event's object has the version of its end, if it is known
		c.ended = []*object.Object{e.Before}
		if e.FinalStateUnknown {
			c.version = unknown
		}
	default:
		return
	}
	c.first = c.version
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changes == nil {
		h.changes = map[event.Key][]change{}
	}
	key := e.Object.Key()
	all := h.changes[key]
	if n := len(all); n == maxChanges {
		// The last but one stands for both: it has the older state, up to the newer version.
		all[n-2].version, all[n-2].noted = all[n-1].version, all[n-1].noted
		all[n-2].ended = append(all[n-2].ended, all[n-1].ended...)
		all = all[:n-1]
	}
	h.changes[key] = append(all, c)
}

// forget forgets what happened up to a version. now is the informer's version.
func (h *history) forget(upTo, now uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, all := range h.changes {
		for i := range all {
			if c := &all[i]; c.version == unknown && c.noted < now {
				c.version = now // or earlier: then a listener may get the end again
			}
		}
		all = slices.DeleteFunc(all, func(c change) bool { return c.version <= upTo })
		if h.changes[key] = all; len(all) == 0 {
			delete(h.changes, key)
		}
	}
}

// unfinished returns what a listener has to learn that has finished a part of the informer's
// events, as what an informer's checkpoint has of it. stored is what the informer has; what was
// noted after that does not count. final: the listener has done nothing after what it has finished.
func (h *history) unfinished(p *keeper.Part, stored *informer.Stored,
	final bool) []informer.Unfinished {
	h.mu.Lock()
	defer h.mu.Unlock()
	listed := make(map[event.Key]informer.Unfinished, len(p.Unfinished))
	for _, e := range p.Unfinished {
		listed[e.Key] = e
	}
	is, seen := lookUp(stored)
	complete, noted := object.ParseVersion(p.Version), map[event.Key]bool{}
	for key, all := range h.changes {
		at := max(complete, p.Later[key])
		all = slices.DeleteFunc(slices.Clone(all), func(c change) bool {
			return c.version <= at || c.first > seen(key) && c.first != unknown
		})
		if len(all) == 0 {
			continue
		}
		e, unfinished := listed[key]
		if e.Key = key; !unfinished && !p.Begins {
			e.State = known(all[0].before, at)
		}
		listed[key], noted[key] = mayKnow(e, is[key], all, final), true
	}
	for _, e := range p.Unfinished {
		if !noted[e.Key] && !final {
			listed[e.Key] = mayKnow(e, is[e.Key], nil, final)
		}
	}
	for _, o := range stored.Objects { // of which the history begins too late
		_, has := listed[o.Key()]
		if !has && !p.Begins && known(o, max(complete, p.Later[o.Key()])) == nil {
			listed[o.Key()] = mayKnow(informer.Unfinished{Key: o.Key()}, o, nil, final)
		}
	}
	return slices.Collect(maps.Values(listed))
}

// lookUp returns the objects that are stored, and up to which version an object's changes are in
// that.
func lookUp(s *informer.Stored) (is map[event.Key]*object.Object, seen func(event.Key) uint64) {
	is = make(map[event.Key]*object.Object, len(s.Objects))
	gone := make(map[event.Key]uint64, len(s.Gone))
	for _, o := range s.Objects {
		is[o.Key()] = o
	}
	for _, g := range s.Gone {
		gone[g.Key] = object.ParseVersion(g.Version)
	}
	complete := object.ParseVersion(s.Version)
	return is, func(key event.Key) uint64 {
		at := max(complete, gone[key])
		if o := is[key]; o != nil {
			at = max(at, object.ParseVersion(o.ResourceVersion()))
		}
		return at
	}
}

// known returns a state, or nil if it is newer than the version up to which a listener knows them.
func known(state *object.Object, at uint64) *object.Object {
	if state != nil && object.ParseVersion(state.ResourceVersion()) > at {
		return nil
	}
	return state
}

// maxGone is how many objects of one name a listener may know on top of the one that it knows.
const maxGone = 64

// mayKnow returns an entry with what the listener may have got, since the leader may have done more
// than it has published.
func mayKnow(e informer.Unfinished, stored *object.Object, changes []change,
	final bool) informer.Unfinished {
	var ended []*object.Object
	for _, c := range changes {
		ended = append(ended, c.ended...)
	}
	if final { // it may have had no other than the one that there was
		ended = ended[:min(len(ended), 1)]
		if !e.Present {
			ended = nil
		}
	}
	another := stored != nil && (e.State == nil || stored.UID() != e.State.UID())
	switch {
	case stored == nil || final && len(ended) > 0:
		e.Present = false
	case !final: // also other states of the object that the listener knows
		e.Present = e.Present || another || len(changes) > 0
	}
	room := max(maxGone-len(e.Gone), 0)
	e.Gone = slices.Concat(e.Gone, ended[:min(len(ended), room)])
	return e
}
