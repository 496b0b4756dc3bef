package unfinished

import (
	"cmp"
	"slices"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// gone is an object that the listener may know. It is there until an event from number on is done.
type gone struct {
	object  *object.Object // its last state
	number  uint64
	earlier bool
}

// maxGone is how many objects of one name may be gone before the last one takes the place of the
// one before it.
const maxGone = 64

// By is which process may have delivered an event by the time that a cut has it as done.
type By uint8

const (
	Nobody By = iota // it is not handed out
	This
	Earlier // or this one
)

// note notes what the listener may know after an event, and reports whether that is news.
func (x *entry) note(e *event.Event, number uint64, by By) (fresh bool) {
	same := func(g gone) bool { return g.object.UID() == e.Object.UID() }
	i := slices.IndexFunc(x.gone, same)
	switch {
	case e.Op == event.Delete && i >= 0:
		x.gone[i].number = number // which is offered again
	case e.Op == event.Delete && (x.present > 0 || by == Earlier):
		if len(x.gone) == maxGone {
			x.gone = x.gone[:maxGone-1]
		}
		x.gone = append(x.gone, gone{e.Object.Stored(), cmp.Or(x.present, number),
			x.earlier || by == Earlier})
		x.present, x.earlier = 0, false
		return true
	case e.Op == event.Delete:
	case by == Nobody:
		if e.Op == event.Add {
			fresh, x.present, x.earlier = x.present > 0, 0, false
		}
	case e.Op == event.Add:
		fresh, x.present = x.present == 0, number
		if x.earlier = by == Earlier; i >= 0 { // it has come back
			x.earlier = x.earlier || x.gone[i].earlier
			x.gone = slices.Delete(x.gone, i, i+1)
			fresh = true
		}
	case x.present > 0 || x.state == nil || x.state.UID() != e.Object.UID() || by == Earlier:
		fresh = x.present == 0
		if x.earlier = x.earlier || by == Earlier; fresh {
			x.present = number
		}
	}
	return fresh
}

// Restore lists an object, also one that is listed already, as the cuts of an earlier process have left it, for all cuts to come. If
// that was killed, it may have delivered any stored object after that.
func (s *Set) Restore(of Entry, number uint64, killed bool) {
	x := s.listed[of.Key]
	if x == nil {
		x = s.entry()
		s.listed[of.Key] = x
	}
	*x = entry{key: of.Key, place: x.place, state: of.State, arrived: of.Arrived, last: number, cut: true, same: of.Same}
	if of.Present || killed {
		x.present, x.earlier = number, true
	}
	if killed && !of.Present {
		s.change(x)
	}
	for _, o := range of.Gone {
		x.gone = append(x.gone, gone{o, number, true})
	}
}

// MayKnow reports whether the listener may know the stored object if the process is killed, and
// has not finished with it.
func (s *Set) MayKnow(key object.Key) bool {
	if s == nil {
		return false
	}
	x, listed := s.listed[key]
	return listed && x.present > 0
}

// Taken notes that a worker has an event, and may deliver it.
func (s *Set) Taken(key object.Key, number uint64) {
	if s == nil || number == 0 {
		return
	}
	if x, listed := s.listed[key]; listed {
		x.taken = number
	}
}

// Settle notes that no worker gets an event any more that was offered before.
func (s *Set) Settle() {
	if s == nil {
		return
	}
	for _, x := range s.listed {
		before, n := x.present, len(x.gone)
		if x.present > x.taken && !x.earlier {
			x.present = 0
		}
		x.gone = slices.DeleteFunc(x.gone, func(g gone) bool {
			return g.number > x.taken && !g.earlier
		})
		if x.present != before || len(x.gone) < n {
			s.change(x)
		}
	}
}
