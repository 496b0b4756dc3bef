package informer

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/informerd/informerd/pkg/informer/internal/fifo"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

var deltaNames = map[deltaType]string{deltaAdded: "added", deltaUpdated: "updated",
	deltaDeleted: "deleted", deltaReplaced: "replaced"}

// popAll empties the queue and returns what came, one string for each object.
func popAll(q *deltaQueue) (all []string) {
	for {
		deltas, ok := q.pop()
		if !ok {
			return all
		}
		s := deltas[0].object.Name() + ":"
		for _, d := range deltas {
			s += " " + deltaNames[d.typ] + "@" + d.object.ResourceVersion()
			if d.finalStateUnknown {
				s += "?"
			}
			if d.initial {
				s += "*"
			}
		}
		all = append(all, s)
		q.done()
	}
}

func push(t *testing.T, q *deltaQueue, typ deltaType, o *object.Object) {
	t.Helper()
	if err := q.add(t.Context(), delta{typ: typ, object: o}); err != nil {
		t.Fatal(err)
	}
}

func TestQueueGroupsByObjectInFirstQueuedOrder(t *testing.T) {
	q := newDeltaQueue(10)
	push(t, q, deltaAdded, obj("a", "1", 1))
	push(t, q, deltaAdded, obj("b", "2", 2))
	push(t, q, deltaUpdated, obj("a", "1", 3))
	push(t, q, deltaDeleted, obj("a", "1", 4))
	expect(t, popAll(q), "a: added@1 updated@3 deleted@4", "b: added@2")
}

func TestQueueMergesTwoDeletesAndKeepsTheRealState(t *testing.T) {
	q, store := newDeltaQueue(10), store.New()
	store.Put(obj("a", "1", 1))
	q.replace(nil, store)
	push(t, q, deltaDeleted, obj("a", "1", 5))
	expect(t, popAll(q), "a: deleted@5")

	push(t, q, deltaDeleted, obj("a", "1", 5))
	q.replace(nil, store)
	expect(t, popAll(q), "a: deleted@5")
}

func TestQueueReplaceFindsWhatIsGone(t *testing.T) {
	q, store := newDeltaQueue(10), store.New()
	store.Put(obj("stays", "1", 1))
	store.Put(obj("gone", "2", 2))
	push(t, q, deltaAdded, obj("queued", "3", 3))
	push(t, q, deltaAdded, obj("taken", "4", 4))
	q2, _ := q.pop() // "queued" is with the controller, and not yet in the store
	if q2[0].object.Name() != "queued" {
		t.Fatal(q2[0].object.Name())
	}
	q.replace([]*object.Object{obj("stays", "1", 1), obj("new", "5", 6)}, store)
	q.done()
	got := popAll(q)
	slices.Sort(got)
	expect(t, got, "gone: deleted@2?", "new: replaced@6", "queued: deleted@3?", "stays: replaced@1",
		"taken: added@4 deleted@4?")
}

func TestQueueHasSyncedWhenTheFirstListIsProcessed(t *testing.T) {
	q := newDeltaQueue(10)
	if q.hasSynced() || !q.claimFirst() || q.hasSynced() {
		t.Error("synced before any list")
	}
	if _, ok := q.pop(); ok {
		t.Error("the queue has something to take while its list is being applied")
	}
	q.endFirst([]*object.Object{obj("a", "1", 1), obj("b", "2", 2)}) // that the list had twice
	for i := range 2 {
		if q.hasSynced() {
			t.Errorf("synced with %d of 2 objects processed", i)
		}
		q.pop()
		if i == 1 && q.hasSynced() {
			t.Error("synced although the last object is still being processed")
		}
		q.done()
	}
	if !q.hasSynced() {
		t.Error("not synced")
	}

	empty := newDeltaQueue(10)
	empty.claimFirst()
	empty.endFirst(nil)
	if !empty.hasSynced() {
		t.Error("an empty list does not sync")
	}

	changes := newDeltaQueue(10)
	push(t, changes, deltaAdded, obj("a", "1", 1))
	if !changes.hasSynced() {
		t.Error("a change before any list does not sync")
	}
}

func TestQueueMarksOnlyTheFirstListInitial(t *testing.T) {
	q, store := newDeltaQueue(10), store.New()
	q.claimFirst()
	q.endFirst([]*object.Object{obj("a", "1", 1)})
	push(t, q, deltaAdded, obj("b", "2", 2))
	expect(t, popAll(q), "a: replaced@1*", "b: added@2")
	if q.claimFirst() {
		t.Error("a second list is taken for the first")
	}
	q.replace([]*object.Object{obj("a", "1", 3)}, store)
	expect(t, popAll(q), "a: replaced@3")
}

// blocked reports whether the queue has no room for a delta. If it has, it holds it then.
func blocked(t *testing.T, q *deltaQueue, d delta) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	added := make(chan error, 1)
	go func() { added <- q.add(ctx, d) }()
	synctest.Wait()
	cancel()
	err := <-added
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	return err != nil
}

// The bound is one of deltas: a single object that changes all the time fills the queue as many
// objects do.
func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newDeltaQueue(3)
		push(t, q, deltaAdded, obj("a", "1", 1))
		push(t, q, deltaAdded, obj("b", "2", 2))
		push(t, q, deltaUpdated, obj("a", "1", 3))
		for _, d := range []delta{{typ: deltaAdded, object: obj("c", "3", 4)}, {
			typ: deltaUpdated, object: obj("a", "1", 5)}} {
			if !blocked(t, q, d) {
				t.Fatalf("a queue of three has taken a fourth delta, of %s", d.object.Name())
			}
		}
		added := make(chan error, 1)
		go func() {
			added <- q.add(t.Context(),
				delta{typ: deltaAdded, object: obj("c", "3", 4)})
		}()
		synctest.Wait()
		q.pop()
		if err := <-added; err != nil {
			t.Fatal(err)
		}
		q.done()
		push(t, q, deltaUpdated, obj("b", "2", 6))
		if !blocked(t, q, delta{typ: deltaDeleted, object: obj("b", "2", 7)}) {
			t.Error("the queue is full again, and has taken a delta")
		}
		expect(t, popAll(q), "b: added@2 updated@6", "c: added@4")
	})
}

// One object that never stops changing, behind a subscription that takes nothing, makes the
// reflector wait and nothing grow.
func TestABusyObjectBehindABlockedListenerIsBounded(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
		for range 3 * defaultQueueLimit {
			w.server.apply("a", "1", "")
		}
		synctest.Wait()
		inf := w.factory.shared[sharedKey{resource: pods, keeps: Shape{}.keeps()}].informer
		inf.queue.mu.Lock()
		n, kept := inf.queue.deltas, len(inf.queue.items[obj("a", "1", 1).Key()])
		inf.queue.mu.Unlock()
		if n != defaultQueueLimit || kept != n {
			t.Errorf("%d deltas are queued, %d of the object, the limit is %d", n, kept,
				defaultQueueLimit)
		}
		got := w.serve(sub).take()
		if len(got) != 3*defaultQueueLimit {
			t.Errorf("%d of %d events came", len(got), 3*defaultQueueLimit)
		}
	})
}

// A queue that was large for a moment releases its memory, whatever made it large, and whatever
// came after that.
func TestAnEmptiedQueueReleasesItsMemory(t *testing.T) {
	const n = 20 * fifo.MaxEmpty
	var list []*object.Object
	stored := store.New()
	for i := range n {
		list = append(list, obj(fmt.Sprint("o", i), "1", i+1))
		stored.Put(list[i])
	}
	for name, fill := range map[string]func(q *deltaQueue){
		"a list":                 func(q *deltaQueue) { q.replace(list, store.New()) },
		"nothing left of a list": func(q *deltaQueue) { q.replace(nil, stored) },
		"a small list after a big": func(q *deltaQueue) {
			q.replace(list, store.New())
			q.replace(list[:1], stored)
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := newDeltaQueue(4)
			before := heap()
			fill(q)
			full := heap() - before
			for _, ok := q.pop(); ok; _, ok = q.pop() {
				q.done()
			}
			if kept := heap() - before; kept > full/10 {
				t.Errorf("it holds %d KB of %d KB after it was emptied", kept>>10, full>>10)
			}
			if q.deltas != 0 || q.len() != 0 {
				t.Errorf("%d deltas of %d objects are left", q.deltas, q.len())
			}
		})
	}
	runtime.KeepAlive(stored)
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
