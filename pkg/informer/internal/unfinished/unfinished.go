// Package unfinished keeps what a listener has learned of each object so far, as the difference to
// what is stored: only the objects of which it has not finished the last event are listed, each
// with the state that it knows. Every other object it knows as it is stored, or as gone if it is
// not stored; so many listeners that keep up take little more memory, and little more of a
// checkpoint, than one. It is plain data: no lock, no channel, no goroutine.
//
// # Rules
//
//   - An object is listed from when an event of it is offered until the last one offered is done.
//   - It is listed with the state before the first of these events, nil if there was none.
//   - From then on, with the state of the last event that was done, nil if that was a delete.
//   - An event that is merged into a later one is done with that.
//   - What was neither offered nor done changes nothing.
//
// Events are recognised by numbers that only grow, not by their states, since an object may come to
// the same state twice. The number 0 is of events that are not offered, such as those of a resync.
//
// # Kills
//
// A process that is killed may have delivered what no cut has as done. If such an object is gone
// after the restart, the listener needs its delete. So an entry also has the objects that the
// listener may know on top of State:
//
//   - Present: the stored object, from when its add or update is offered until one is done. If it is
//     the one of State, an earlier process may have delivered other states of it.
//   - Gone: such an object from when it has gone until a later event is done; at most [maxGone].
//   - Settle leaves those of which a worker has had an event, as nobody gets the others any more.
//   - What an earlier process may have delivered stays, until this one has delivered it or its
//     delete.
//
// # Cuts
//
// Cut returns what has changed since the one before, so that whoever applies all of them in order
// has what Each returns. An object that was listed and is not any more, both between two cuts, is
// in none of them.
package unfinished

import (
	"slices"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Set is what one listener has to learn of the objects of one informer. Nil keeps nothing.
type Set struct {
	listed map[object.Key]*entry
	// changed are those listed that the next cut has, in no order. Each knows its place: each
	// listener of each event looks here, and another map would take as long as the first
	// (BenchmarkSet).
	changed []*entry
	// ended are those that the last cut has left listed, and that are not listed any more.
	ended map[object.Key]struct{}
	free  []*entry // at most maxFree, to be used again
	large bool     // the maps have had more than maxEmpty objects, and keep their memory
}

// entry is an object that has an event that is not done.
type entry struct {
	key   object.Key
	place int            // in changed, from 1; 0: not there
	state *object.Object // that the listener knows, nil if none
	// arrived is when the first event came that is not done; it may be that of an earlier one.
	arrived event.Instant
	last    uint64 // number of the last event offered
	taken   uint64 // number of the last event that a worker has had
	// present is the number of the first event offered with which the listener learns of the stored
	// object, 0 if there is none, or if it knows that one as state.
	present uint64
	gone    []gone // in the order in which they went
	earlier bool   // an earlier process may have delivered the stored object
	same    bool   // in no other state than the stored one
	cut     bool   // the last cut has left it listed
}

// Entry is a listed object and the state of it that the listener knows, nil if it knows none.
type Entry struct {
	Key   object.Key
	State *object.Object
	// Arrived is when the first event came that the listener has not finished, 0 if nobody knows.
	Arrived event.Instant
	// Present: the listener may know the stored object, in whatever state, and Gone are others that
	// it may know, in their last states and in the order in which they went. An earlier process may
	// have delivered other states of the object of State if that is one of these.
	Present bool
	// Same: of the stored object, the listener may know no other state than the stored one.
	Same bool
	Gone []*object.Object
	// Ended: it is not listed any more, so that the listener knows it as it is stored.
	Ended bool
}

// maxEmpty is how many objects a set may have had when it becomes empty and keeps its memory.
const maxEmpty = 4096

// maxFree is how many entries a set keeps to use them again.
const maxFree = 64

// New returns a set in which nothing is listed.
func New() *Set {
	return &Set{listed: map[object.Key]*entry{}, ended: map[object.Key]struct{}{}}
}

// entry returns an empty entry.
func (s *Set) entry() *entry {
	last := len(s.free) - 1
	if last < 0 {
		return &entry{}
	}
	x := s.free[last]
	s.free = s.free[:last]
	return x
}

// change has the next cut have an entry.
func (s *Set) change(x *entry) {
	if x.place == 0 {
		s.changed = append(s.changed, x)
		x.place = len(s.changed)
	}
}

// unchange has it not.
func (s *Set) unchange(x *entry) {
	if x.place == 0 {
		return
	}
	last := len(s.changed) - 1
	moved := s.changed[last]
	s.changed[x.place-1], moved.place = moved, x.place
	s.changed[last], x.place = nil, 0
	s.changed = s.changed[:last]
}

// list lists an object that is not listed.
func (s *Set) list(x *entry) {
	_, x.cut = s.ended[x.key]
	delete(s.ended, x.key)
	s.listed[x.key] = x
	s.large = s.large || len(s.listed) > maxEmpty
}

// Offered notes an event of an object. before is the state that it begins with, nil if there is
// none.
func (s *Set) Offered(e *event.Event, before *object.Object, number uint64, by By) {
	if s == nil {
		return
	}
	key := e.Object.Key()
	x, listed := s.listed[key]
	if !listed {
		if before != nil {
			before = before.Stored()
		}
		x = s.entry()
		if x.key, x.state, x.arrived = key, before, e.Arrived; x.arrived == 0 {
			x.arrived = event.Now()
		}
		s.list(x)
	}
	x.last, x.same = number, false
	if fresh := x.note(e, number, by); fresh || !listed {
		s.change(x)
	}
}

// done notes what of an entry the listener has learned with an event.
func (x *entry) done(after *object.Object, number uint64) {
	if x.state = after; after != nil {
		x.state = after.Stored()
	}
	if x.present <= number {
		x.present, x.earlier = 0, false
	}
	x.gone = slices.DeleteFunc(x.gone, func(g gone) bool { return g.number <= number })
}

// shown returns what others see of an entry.
func (x *entry) shown() Entry {
	e := Entry{Key: x.key, State: x.state, Arrived: x.arrived, Present: x.present > 0, Same: x.same}
	for _, g := range x.gone {
		if x.state == nil || g.earlier || g.object.UID() != x.state.UID() {
			e.Gone = append(e.Gone, g.object)
		}
	}
	return e
}

// EndUpTo ends the lists of the objects of which no event after a number was offered: the listener
// knows them as they are stored.
func (s *Set) EndUpTo(number uint64) {
	for _, x := range s.listed {
		if x.last <= number {
			s.end(x)
		}
	}
}

// Repeated notes an event that changes nothing: it matters only behind others that are not done,
// into which it may be merged.
func (s *Set) Repeated(key object.Key, number uint64) {
	if s == nil {
		return
	}
	if e, listed := s.listed[key]; listed {
		e.last = number
	}
}

// Done notes that the listener has finished an event. after is the state that the event ends with,
// nil if it is a delete.
func (s *Set) Done(key object.Key, after *object.Object, number uint64) {
	if s == nil || number == 0 {
		return
	}
	e, listed := s.listed[key]
	switch {
	case !listed:
		return
	case number != e.last:
		e.done(after, number)
		s.change(e)
		return
	}
	s.end(e)
}

// end ends the list of an object.
func (s *Set) end(e *entry) {
	delete(s.listed, e.key)
	s.unchange(e)
	if e.cut {
		s.ended[e.key] = struct{}{}
	}
	if *e = (entry{}); len(s.free) < maxFree {
		s.free = append(s.free, e)
	}
	s.shrink()
}

// shrink releases the memory of a burst that is over.
func (s *Set) shrink() {
	if s.large && len(s.listed) == 0 && len(s.ended) == 0 {
		*s = *New()
	}
}

// Lists reports whether an object is listed.
func (s *Set) Lists(key object.Key) bool {
	if s == nil {
		return false
	}
	_, listed := s.listed[key]
	return listed
}

// Len returns how many objects are listed.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.listed)
}

// Sorted returns all that is listed, in the order of the keys.
func (s *Set) Sorted() (all []Entry) {
	if s == nil {
		return nil
	}
	for _, x := range s.listed {
		all = append(all, x.shown())
	}
	slices.SortFunc(all, func(a, b Entry) int { return a.Key.Compare(b.Key) })
	return all
}

// Cut returns what has changed since the last cut, in any order.
func (s *Set) Cut() []Entry {
	if s == nil || len(s.changed)+len(s.ended) == 0 {
		return nil
	}
	cut := make([]Entry, 0, len(s.changed)+len(s.ended))
	for key := range s.ended {
		cut = append(cut, Entry{Key: key, Ended: true})
	}
	for _, e := range s.changed {
		cut = append(cut, e.shown())
		e.cut = true
	}
	s.begin()
	return cut
}

// Whole returns all that is listed, in any order, as the first of the cuts to come.
func (s *Set) Whole() []Entry {
	if s == nil {
		return nil
	}
	whole := make([]Entry, 0, len(s.listed))
	for _, e := range s.listed {
		whole = append(whole, e.shown())
		e.cut = true
	}
	s.begin()
	return whole
}

// begin begins the next cut.
func (s *Set) begin() {
	for _, e := range s.changed {
		e.place = 0
	}
	clear(s.changed)
	s.changed = s.changed[:0]
	clear(s.ended)
	s.shrink()
}

// MoveTo moves all that is listed to other sets, whose events have numbers of the same row. What is
// listed there already is older there. to may return nil.
func (s *Set) MoveTo(to func(object.Key) *Set) {
	if s == nil {
		return
	}
	for key, x := range s.listed {
		if heir := to(key); heir != nil {
			heir.take(x)
		}
	}
	*s = *New()
}

// take takes an object that another set has listed.
func (s *Set) take(x *entry) {
	mine, listed := s.listed[x.key]
	s.list(x)
	if x.place = 0; listed {
		x.state, x.arrived, x.cut, x.gone = mine.state, mine.arrived, mine.cut,
			slices.Concat(mine.gone, x.gone)
		s.unchange(mine)
	}
	s.change(x)
}
