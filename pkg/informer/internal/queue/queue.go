// Package queue holds what happened to an informer's objects until it is applied. It has no
// goroutine, and knows neither where a change comes from nor who wants to hear of it.
//
// # Why a delta queue
//
// client-go's classic queue groups changes by object, so that a busy object holds up no other and
// two deletes become one. Its current FIFO keeps every event in the order of arrival. In both,
// the bound is the number of changes.
package queue

import (
	"context"
	"sync"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/fifo"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Type is why a delta is in the queue.
type Type uint8

const (
	Added    Type = iota // a watch event
	Updated              // a watch event
	Deleted              // a watch event, or an object missing from a new list
	Replaced             // an item of a list
)

// Delta is one thing that happened to one object.
type Delta struct {
	Type   Type
	Object *object.Object
	// FinalStateUnknown: the delete itself was missed, object is the last state known.
	FinalStateUnknown bool
	// Gone is the version by which the object was gone if FinalStateUnknown: its list's.
	Gone string
	// Initial: object is an item of the informer's first list.
	Initial bool
	// Resumed: the delta is of a list that was compared with what was known.
	Resumed bool
	// Rewound: versions began again with the list, so that the same one may be another state.
	Rewound bool
	// Arrived is when a watch brought it; 0 if it comes of a list.
	Arrived event.Instant
}

// Queue is the DeltaFIFO: the deltas of each object in order, and the objects in the order in
// which they were first queued. The reflector fills it; the controller takes all deltas of one
// object at a time. It has no goroutine.
//
// It holds at most limit deltas, however few objects they are of; then add blocks. A list may
// exceed the limit, since its objects are in memory anyway. The consumer waits for no producer, so
// a full queue always drains.
type Queue struct {
	limit int

	mu       sync.Mutex
	quiet    int  // events added since the last flush
	large    bool // items has had more than fifo.MaxEmpty objects, and keeps their memory
	items    map[event.Key][]Delta
	deltas   int // in items
	order    fifo.Queue[event.Key]
	spare    [][]Delta // emptied slices, used again
	populate struct {
		begun     bool
		restored  bool // the store has objects that no list has brought, and nothing came since
		remaining int  // objects of the first list that are not processed yet
	}
	// taken are the deltas that are being applied. They are not in items any more, and may not be
	// in the store yet.
	taken    []Delta
	takenKey event.Key
	// own is the memory of taken if the reflector has claimed a delta. passed: it has left it to
	// the controller to end that.
	own    [1]Delta
	passed bool

	Ready  chan struct{} // something was queued
	room   chan struct{} // something was taken
	Synced chan struct{} // closed once the first list is processed
}

func New(limit int) *Queue {
	return &Queue{
		limit: limit, items: map[event.Key][]Delta{},
		Ready: make(chan struct{}, 1), room: make(chan struct{}, 1), Synced: make(chan struct{}),
	}
}

// Add queues one watch event. It blocks while the queue is full, until ctx is done. The controller
// learns of it with the next flush, or after some more of them: waking it for each event would cost
// more than the event.
func (q *Queue) Add(ctx context.Context, d Delta) error {
	key := d.Object.Key()
	for {
		q.mu.Lock()
		if q.deltas < q.limit {
			// The first event of an empty queue means that no list will come first.
			q.populate.begun, q.populate.restored = true, false
			q.push(key, d)
			q.settle()
			q.quiet++
			quiet := q.quiet
			q.mu.Unlock()
			if quiet >= maxQuiet {
				q.Flush()
			}
			return nil
		}
		q.mu.Unlock()
		q.Flush()
		select {
		case <-q.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Claim replaces add, a change of goroutines and pop if nothing is queued or being applied: the
// caller applies the delta itself, and then calls done or pass. It returns nil if anything came
// before.
func (q *Queue) Claim(d Delta) *Delta {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 || len(q.taken) > 0 {
		return nil
	}
	q.populate.begun, q.populate.restored = true, false // as with add
	q.settle()
	q.own[0] = d
	q.taken, q.takenKey = q.own[:], d.Object.Key()
	return &q.own[0]
}

// Pass ends a claim whose event a subscription has not taken yet: the controller waits for that,
// and calls done.
func (q *Queue) Pass() {
	q.mu.Lock()
	q.passed = true
	q.mu.Unlock()
	signal(q.Ready)
}

// Replace queues a list that is not the first, and its version: each item, in the order of the
// list, then a delete for each object that the store or the queue knows and the list does not have.
// rewound: see Delta.
func (q *Queue) Replace(list []*object.Object, version string, rewound bool, store *store.Store) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.items = make(map[event.Key][]Delta, len(list))
	}
	known, _, _ := store.Size()
	nothingKnown := known == 0 && len(q.items) == 0 && len(q.taken) == 0
	room := make([]Delta, len(list)) // for the first delta of each
	for i, o := range list {
		d := Delta{Type: Replaced, Object: o, Resumed: true, Rewound: rewound}
		q.pushTo(room[i:i:i+1], o.Key(), d)
	}
	if !nothingKnown {
		q.pushMissing(list, version, store)
	}
	if q.populate.restored && !q.populate.begun {
		q.populate.begun, q.populate.remaining = true, len(q.items)
		q.settle()
	}
	q.populate.restored = false
	signal(q.Ready)
}

// pushMissing queues a delete for each object that is known and not listed. The caller holds mu.
func (q *Queue) pushMissing(list []*object.Object, version string, store *store.Store) {
	listed := make(map[event.Key]struct{}, len(list))
	for _, o := range list {
		listed[o.Key()] = struct{}{}
	}
	missing := func(key event.Key, last Delta) {
		if _, ok := listed[key]; !ok && last.Type != Deleted {
			listed[key] = struct{}{}
			q.push(key, Delta{Type: Deleted, Object: last.Object, FinalStateUnknown: true,
				Gone: version, Resumed: true})
		}
	}
	// What is queued is newer than the store, and what is being applied lies between the two.
	for _, key := range q.order.Snapshot() {
		if pending := q.items[key]; len(pending) > 0 {
			missing(key, pending[len(pending)-1])
			listed[key] = struct{}{} // a queued delete needs no second one
		}
	}
	if n := len(q.taken); n > 0 {
		missing(q.takenKey, q.taken[n-1])
		listed[q.takenKey] = struct{}{}
	}
	store.Snapshot().Each(func(o *object.Object) { missing(o.Key(), Delta{Object: o}) })
}

// push adds a delta to those pending for its object. The caller holds mu.
func (q *Queue) push(key event.Key, d Delta) { q.pushTo(nil, key, d) }

// pushTo adds a delta to those pending for its object. If there are none, it uses the memory of
// fresh, unless that is nil.
func (q *Queue) pushTo(fresh []Delta, key event.Key, d Delta) {
	pending, known := q.items[key]
	if !known {
		q.order.Push(key)
		if pending = fresh; fresh != nil {
			q.items[key] = append(pending, d)
			q.deltas++
			q.large = q.large || len(q.items) > fifo.MaxEmpty
			return
		}
		if n := len(q.spare); n > 0 {
			pending, q.spare = q.spare[n-1], q.spare[:n-1]
		} else {
			pending = make([]Delta, 0, 2)
		}
	}
	merged := dedupe(append(pending, d))
	q.items[key] = merged
	q.deltas += len(merged) - len(pending)
	q.large = q.large || len(q.items) > fifo.MaxEmpty
}

// maxQuiet is how many events may wait for a flush.
const maxQuiet = 32

// Flush wakes the controller if anything is queued.
func (q *Queue) Flush() {
	q.mu.Lock()
	waiting := len(q.items) > 0
	q.quiet = 0
	q.mu.Unlock()
	if waiting {
		signal(q.Ready)
	}
}

// dedupe merges two deletes at the end into the one that has the real final state.
func dedupe(deltas []Delta) []Delta {
	n := len(deltas)
	if n < 2 || deltas[n-1].Type != Deleted || deltas[n-2].Type != Deleted {
		return deltas
	}
	if deltas[n-1].Object.UID() != deltas[n-2].Object.UID() {
		return deltas // the ends of two objects that shared a name
	}
	if !deltas[n-1].FinalStateUnknown {
		deltas[n-2] = deltas[n-1]
	}
	return deltas[:n-1]
}

// Pop takes all deltas of the object that waits longest. The caller applies them and then calls
// done; there is one caller. What was passed has no deltas to apply any more. ok is false if
// nothing waits; ready is set when something does.
func (q *Queue) Pop() (deltas []Delta, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.taken) > 0 {
		ok, q.passed = q.passed, false
		return nil, ok
	}
	key, ok := q.order.Pop()
	if !ok {
		return nil, false
	}
	q.taken, q.takenKey = q.items[key], key
	delete(q.items, key)
	q.deltas -= len(q.taken)
	if q.large && len(q.items) == 0 {
		q.items, q.large = map[event.Key][]Delta{}, false
	}
	signal(q.room)
	return q.taken, true
}

// Done ends the turn of what pop or claim returned, which is in the store and was distributed. The
// slice belongs to the queue again.
func (q *Queue) Done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.taken) // retain no object
	// A slice with room for one is part of a list's memory, which it would retain.
	if len(q.spare) < 16 && cap(q.taken) > 1 {
		q.spare = append(q.spare, q.taken[:0])
	}
	q.taken = nil
	if q.populate.remaining > 0 {
		q.populate.remaining--
	}
	q.settle()
}

// settle closes synced once the first list has been processed. The caller holds mu.
func (q *Queue) settle() {
	if !q.populate.begun || q.populate.remaining > 0 {
		return
	}
	select {
	case <-q.Synced:
	default:
		close(q.Synced)
	}
}

func (q *Queue) HasSynced() bool {
	select {
	case <-q.Synced:
		return true
	default:
		return false
	}
}

// Idle reports whether everything that was added is in the store.
func (q *Queue) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) == 0 && len(q.taken) == 0
}

// Len returns how many objects wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// Restored notes that the store has objects that no list has brought: what comes next is a list
// that is compared with them, or, after Begin, events.
func (q *Queue) Restored() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.populate.restored = true
}

// Begin notes that no list comes first.
func (q *Queue) Begin() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.populate.begun = true
	q.settle()
}

// ClaimFirst claims the queue for the first list, and reports whether nothing came before that. The
// caller applies the list itself, and then calls endFirst.
func (q *Queue) ClaimFirst() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.populate.begun || q.populate.restored {
		return false
	}
	q.populate.begun = true
	q.populate.remaining = 1
	q.own[0] = Delta{}
	q.taken, q.takenKey = q.own[:], event.Key{}
	return true
}

// EndFirst ends the claim. Duplicates of items are queued, to be compared with what is stored.
func (q *Queue) EndFirst(duplicates []*object.Object) {
	q.mu.Lock()
	for _, o := range duplicates {
		q.push(o.Key(), Delta{Type: Replaced, Object: o, Initial: true})
	}
	q.populate.remaining += len(q.items)
	q.mu.Unlock()
	q.Done()
	signal(q.Ready)
}

// signal wakes one waiter; doing it twice wakes once.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
