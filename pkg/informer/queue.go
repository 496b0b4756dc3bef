package informer

import (
	"context"
	"sync"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/fifo"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// deltaType is why a delta is in the queue.
type deltaType uint8

const (
	deltaAdded    deltaType = iota // a watch event
	deltaUpdated                   // a watch event
	deltaDeleted                   // a watch event, or an object missing from a new list
	deltaReplaced                  // an item of a list
)

// delta is one thing that happened to one object.
type delta struct {
	typ    deltaType
	object *object.Object
	// finalStateUnknown: the delete itself was missed, object is the last state known.
	finalStateUnknown bool
	// initial: object is an item of the informer's first list.
	initial bool
}

// deltaQueue is the DeltaFIFO: the deltas of each object in order, and the objects in the order in
// which they were first queued. The reflector fills it; the controller takes all deltas of one
// object at a time. It has no goroutine.
//
// It holds at most limit deltas, however few objects they are of; then add blocks. A list may
// exceed the limit, since its objects are in memory anyway. The consumer waits for no producer, so
// a full queue always drains.
type deltaQueue struct {
	limit int

	mu       sync.Mutex
	quiet    int  // events added since the last flush
	large    bool // items has had more than fifo.MaxEmpty objects, and keeps their memory
	items    map[event.Key][]delta
	deltas   int // in items
	order    fifo.Queue[event.Key]
	spare    [][]delta // emptied slices, used again
	populate struct {
		begun     bool
		remaining int // objects of the first list that are not processed yet
	}
	// taken are the deltas that are being applied. They are not in items any more, and may not be
	// in the store yet.
	taken    []delta
	takenKey event.Key
	// own is the memory of taken if the reflector has claimed a delta. passed: it has left it to
	// the controller to end that.
	own    [1]delta
	passed bool

	ready  signal // something was queued
	room   signal // something was taken
	synced chan struct{}
}

func newDeltaQueue(limit int) *deltaQueue {
	return &deltaQueue{
		limit: limit, items: map[event.Key][]delta{},
		ready: newSignal(), room: newSignal(), synced: make(chan struct{}),
	}
}

// add queues one watch event. It blocks while the queue is full, until ctx is done. The controller
// learns of it with the next flush, or after some more of them: waking it for each event would cost
// more than the event.
func (q *deltaQueue) add(ctx context.Context, d delta) error {
	key := d.object.Key()
	for {
		q.mu.Lock()
		if q.deltas < q.limit {
			// The first event of an empty queue means that no list will come first.
			q.populate.begun = true
			q.push(key, d)
			q.settle()
			q.quiet++
			quiet := q.quiet
			q.mu.Unlock()
			if quiet >= maxQuiet {
				q.flush()
			}
			return nil
		}
		q.mu.Unlock()
		q.flush()
		select {
		case <-q.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// claim replaces add, a change of goroutines and pop if nothing is queued or being applied: the
// caller applies the delta itself, and then calls done or pass. It returns nil if anything came
// before.
func (q *deltaQueue) claim(d delta) *delta {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 || len(q.taken) > 0 {
		return nil
	}
	q.populate.begun = true // as with add
	q.settle()
	q.own[0] = d
	q.taken, q.takenKey = q.own[:], d.object.Key()
	return &q.own[0]
}

// pass ends a claim whose event a subscription has not taken yet: the controller waits for that,
// and calls done.
func (q *deltaQueue) pass() {
	q.mu.Lock()
	q.passed = true
	q.mu.Unlock()
	q.ready.set()
}

// replace queues a list that is not the first: each item, in the order of the list, then a delete
// for each object that the store or the queue knows and the list does not have.
func (q *deltaQueue) replace(list []*object.Object, store *store.Store) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.items = make(map[event.Key][]delta, len(list))
	}
	known, _, _ := store.Size()
	nothingKnown := known == 0 && len(q.items) == 0 && len(q.taken) == 0
	room := make([]delta, len(list)) // for the first delta of each
	for i, o := range list {
		d := delta{typ: deltaReplaced, object: o}
		q.pushTo(room[i:i:i+1], o.Key(), d)
	}
	if !nothingKnown {
		q.pushMissing(list, store)
	}
	q.ready.set()
}

// pushMissing queues a delete for each object that is known and not listed. The caller holds mu.
func (q *deltaQueue) pushMissing(list []*object.Object, store *store.Store) {
	listed := make(map[event.Key]struct{}, len(list))
	for _, o := range list {
		listed[o.Key()] = struct{}{}
	}
	missing := func(key event.Key, last delta) {
		if _, ok := listed[key]; !ok && last.typ != deltaDeleted {
			listed[key] = struct{}{}
			q.push(key, delta{typ: deltaDeleted, object: last.object, finalStateUnknown: true})
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
	store.Snapshot().Each(func(o *object.Object) { missing(o.Key(), delta{object: o}) })
}

// push adds a delta to those pending for its object. The caller holds mu.
func (q *deltaQueue) push(key event.Key, d delta) { q.pushTo(nil, key, d) }

// pushTo adds a delta to those pending for its object. If there are none, it uses the memory of
// fresh, unless that is nil.
func (q *deltaQueue) pushTo(fresh []delta, key event.Key, d delta) {
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
			pending = make([]delta, 0, 2)
		}
	}
	merged := dedupe(append(pending, d))
	q.items[key] = merged
	q.deltas += len(merged) - len(pending)
	q.large = q.large || len(q.items) > fifo.MaxEmpty
}

// maxQuiet is how many events may wait for a flush.
const maxQuiet = 32

// flush wakes the controller if anything is queued.
func (q *deltaQueue) flush() {
	q.mu.Lock()
	waiting := len(q.items) > 0
	q.quiet = 0
	q.mu.Unlock()
	if waiting {
		q.ready.set()
	}
}

// dedupe merges two deletes at the end into the one that has the real final state.
func dedupe(deltas []delta) []delta {
	n := len(deltas)
	if n < 2 || deltas[n-1].typ != deltaDeleted || deltas[n-2].typ != deltaDeleted {
		return deltas
	}
	if deltas[n-1].object.UID() != deltas[n-2].object.UID() {
		return deltas // the ends of two objects that shared a name
	}
	if !deltas[n-1].finalStateUnknown {
		deltas[n-2] = deltas[n-1]
	}
	return deltas[:n-1]
}

// pop takes all deltas of the object that waits longest. The caller applies them and then calls
// done; there is one caller. What was passed has no deltas to apply any more. ok is false if
// nothing waits; ready is set when something does.
func (q *deltaQueue) pop() (deltas []delta, ok bool) {
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
		q.items, q.large = map[event.Key][]delta{}, false
	}
	q.room.set()
	return q.taken, true
}

// done ends the turn of what pop or claim returned, which is in the store and was distributed. The
// slice belongs to the queue again.
func (q *deltaQueue) done() {
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
func (q *deltaQueue) settle() {
	if !q.populate.begun || q.populate.remaining > 0 {
		return
	}
	select {
	case <-q.synced:
	default:
		close(q.synced)
	}
}

func (q *deltaQueue) hasSynced() bool {
	select {
	case <-q.synced:
		return true
	default:
		return false
	}
}

// len returns how many objects wait.
func (q *deltaQueue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// signal wakes one waiter; setting it twice wakes once.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) set() {
	select {
	case s <- struct{}{}:
	default:
	}
}
