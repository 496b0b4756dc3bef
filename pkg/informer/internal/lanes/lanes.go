// Package lanes keeps the items of each object in line: while one of them is out, the others wait.
// It knows neither what an item is nor where items come from, so that it serves a buffer in memory
// as well as a durable stream. It is plain data: no lock, no channel, no goroutine.
//
// # The way of an item
//
//	         object idle
//	item ────────────────► Begin ──────────────┐
//	  │                                        ▼
//	  │ object busy                      with a worker ──► Done ──► the lane's next item is ready,
//	  │                                   ▲        │                or the lane ends
//	  ▼                                   │        ▼
//	Wait: waiting ──► ready ──► Next ─────┘       Park ──► parked
//	                    ▲                                    │
//	                    └──────────────── Unpark ────────────┘
//
// An object has a lane as long as one of its items is out: with a worker, parked for a retry, or
// ready for the next worker. The invariant: of each object at most one item is out, and all others
// come after it, in the order in which they came.
//
// # Counting
//
//   - Held items count against the caller's capacity: those with workers, ready or waiting.
//   - Parked items are not held: objects that fail must not take the room of others.
//   - Items behind a parked one are not held either. There may be MaxBehind in all lanes together.
package lanes

import (
	"github.com/informerd/informerd/pkg/informer/internal/fifo"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Lanes holds the lanes of all objects that have an item out. The zero value has none, and room for
// no item behind a parked one.
type Lanes[T any] struct {
	// MaxBehind is how many items may wait behind parked ones without being held.
	MaxBehind int

	lanes map[object.Key]*Lane[T]
	ready fifo.Queue[T]
	spare []*Lane[T] // ended lanes, used again

	held, parked, behind int
}

// Lane is the line of one object behind the item that is out.
type Lane[T any] struct {
	waiting fifo.Queue[T]
	parked  *T    // nil unless the item that is out waits for its retry
	behind  int   // how many of waiting are not held
	since   int64 // when the item came that a worker has, or that is parked; 0 if that is unknown
}

const (
	// maxSpare is how many ended lanes are kept: each event needs one for a moment, and senders and
	// workers take up to 32 events at once.
	maxSpare = 64
	// maxSpareCap is the longest line that an ended lane keeps the memory of.
	maxSpareCap = 8
)

// Len returns how many items wait in the lane.
func (l *Lane[T]) Len() int { return l.waiting.Len() }

// Lane returns an object's lane, nil if no item of it is out.
func (l *Lanes[T]) Lane(key object.Key) *Lane[T] { return l.lanes[key] }

// Begin makes the lane of an object that has none: its item is with a worker from here on. since is
// when the item came, 0 if that is unknown.
func (l *Lanes[T]) Begin(key object.Key, since int64) {
	if l.lanes == nil {
		l.lanes = map[object.Key]*Lane[T]{}
	}
	lane := l.newLane()
	lane.since = since
	l.lanes[key] = lane
	l.held++
}

func (l *Lanes[T]) newLane() *Lane[T] {
	n := len(l.spare)
	if n == 0 {
		return &Lane[T]{}
	}
	lane := l.spare[n-1]
	l.spare = l.spare[:n-1]
	return lane
}

// Wait puts an item at the end of a lane, and reports whether there is room: behind a parked item
// there is for MaxBehind items, else for any number.
func (l *Lanes[T]) Wait(lane *Lane[T], item T) bool {
	switch {
	case lane.parked == nil:
		l.held++
	case l.behind < l.MaxBehind:
		lane.behind++
		l.behind++
	default:
		return false
	}
	lane.waiting.Push(item)
	return true
}

// WaitHeld puts an item for which Wait has no room at the end of a lane. It is held.
func (l *Lanes[T]) WaitHeld(lane *Lane[T], item T) {
	lane.waiting.Push(item)
	l.held++
}

// Next returns an item whose turn has come while its lane was busy. A worker has it from here on,
// and the caller may call Since.
func (l *Lanes[T]) Next() (T, bool) { return l.ready.Pop() }

// Done ends the turn of the item that a worker had, and advances the lane.
func (l *Lanes[T]) Done(key object.Key, lane *Lane[T]) {
	l.held--
	l.Advance(key, lane)
}

// Advance makes a lane's next item ready, or ends the lane if there is none. No item of it may be
// out.
func (l *Lanes[T]) Advance(key object.Key, lane *Lane[T]) {
	if item, ok := lane.waiting.Pop(); ok {
		lane.since = 0
		l.ready.Push(item)
		return
	}
	delete(l.lanes, key)
	if len(l.spare) < maxSpare && lane.waiting.Cap() <= maxSpareCap {
		l.spare = append(l.spare, lane)
	}
}

// Park keeps the item that a worker had for a retry. The items that wait behind it have to line up
// again, since there may not be room for all of them: the caller has to call Pull for as many as
// there are, and to put each of them back.
func (l *Lanes[T]) Park(lane *Lane[T], item T) {
	lane.parked = &item
	l.held--
	l.parked++
}

// Pull removes and returns the first item that waits in a lane, which must be held.
func (l *Lanes[T]) Pull(lane *Lane[T]) (T, bool) {
	item, ok := lane.waiting.Pop()
	if ok {
		l.held--
	}
	return item, ok
}

// Unpark makes an object's parked item the next one to be handed out. It does nothing if the object
// has none.
func (l *Lanes[T]) Unpark(key object.Key) {
	if lane := l.lanes[key]; lane != nil && lane.parked != nil {
		l.ready.Push(*lane.parked)
		l.held++
		l.endParking(lane)
	}
}

// endParking ends a lane's wait for a retry: the items behind the parked one are held again, beyond
// the caller's capacity if need be.
func (l *Lanes[T]) endParking(lane *Lane[T]) {
	lane.parked = nil
	l.parked--
	l.held += lane.behind
	l.behind -= lane.behind
	lane.behind = 0
}

// ParkedItem returns an object's parked item, nil if it has none.
func (l *Lanes[T]) ParkedItem(key object.Key) *T {
	if lane := l.lanes[key]; lane != nil {
		return lane.parked
	}
	return nil
}

// DeleteFunc removes the items for which del returns true, but none that a worker has. It returns
// the objects that lost the item that was out; the caller has to call Advance for each of them.
// keyOf returns an item's object.
func (l *Lanes[T]) DeleteFunc(
	del func(*T) bool, keyOf func(*T) object.Key,
) (freed []object.Key) {
	for key, lane := range l.lanes {
		deleted := lane.waiting.DeleteFunc(del)
		behind := min(deleted, lane.behind)
		lane.behind -= behind
		l.behind -= behind
		l.held -= deleted - behind
		if lane.parked != nil && del(lane.parked) {
			l.endParking(lane)
			freed = append(freed, key)
		}
	}
	l.held -= l.ready.DeleteFunc(func(item *T) bool {
		if !del(item) {
			return false
		}
		freed = append(freed, keyOf(item))
		return true
	})
	return freed
}

// Each calls f with each item that no worker has.
func (l *Lanes[T]) Each(f func(*T)) {
	for _, lane := range l.lanes {
		for _, item := range lane.waiting.Snapshot() {
			f(&item)
		}
		if lane.parked != nil {
			f(lane.parked)
		}
	}
	for _, item := range l.ready.Snapshot() {
		f(&item)
	}
}

// Since notes when the item of an object came that a worker has.
func (l *Lanes[T]) Since(key object.Key, since int64) { l.lanes[key].since = since }

// Oldest returns when the earliest of the items came that are out, 0 if that is unknown. of returns
// it of an item. What waits behind them came later.
func (l *Lanes[T]) Oldest(of func(*T) int64) (oldest int64) {
	earlier := func(since int64) {
		if since != 0 && (oldest == 0 || since < oldest) {
			oldest = since
		}
	}
	for _, lane := range l.lanes {
		earlier(lane.since)
	}
	l.ready.Each(func(item *T) { earlier(of(item)) })
	return oldest
}

// Len returns how many objects have a lane.
func (l *Lanes[T]) Len() int { return len(l.lanes) }

// Ready returns how many items Next has to return.
func (l *Lanes[T]) Ready() int { return l.ready.Len() }

// Held returns how many items count against the caller's capacity, those with workers included.
func (l *Lanes[T]) Held() int { return l.held }

// Parked returns how many objects have a parked item.
func (l *Lanes[T]) Parked() int { return l.parked }

// Behind returns how many items wait behind parked ones without being held.
func (l *Lanes[T]) Behind() int { return l.behind }
