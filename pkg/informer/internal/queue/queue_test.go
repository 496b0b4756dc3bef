package queue

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

var deltaNames = map[Type]string{Added: "added", Updated: "updated",
	Deleted: "deleted", Replaced: "replaced"}

// popAll empties the queue and returns what came, one string for each object.
func popAll(q *Queue) (all []string) {
	for {
		deltas, ok := q.Pop()
		if !ok {
			return all
		}
		s := deltas[0].Object.Name() + ":"
		for _, d := range deltas {
			s += " " + deltaNames[d.Type] + "@" + d.Object.ResourceVersion()
			if d.FinalStateUnknown {
				s += "?"
			}
			if d.Initial {
				s += "*"
			}
		}
		all = append(all, s)
		q.Done()
	}
}

func push(t *testing.T, q *Queue, typ Type, o *object.Object) {
	t.Helper()
	if err := q.Add(t.Context(), Delta{Type: typ, Object: o}); err != nil {
		t.Fatal(err)
	}
}

func TestQueueGroupsByObjectInFirstQueuedOrder(t *testing.T) {
	q := New(10)
	push(t, q, Added, obj("a", "1", 1))
	push(t, q, Added, obj("b", "2", 2))
	push(t, q, Updated, obj("a", "1", 3))
	push(t, q, Deleted, obj("a", "1", 4))
	expect(t, popAll(q), "a: added@1 updated@3 deleted@4", "b: added@2")
}

func TestQueueMergesTwoDeletesAndKeepsTheRealState(t *testing.T) {
	q, store := New(10), store.New()
	store.Put(obj("a", "1", 1))
	q.Replace(nil, "", false, store)
	push(t, q, Deleted, obj("a", "1", 5))
	expect(t, popAll(q), "a: deleted@5")

	push(t, q, Deleted, obj("a", "1", 5))
	q.Replace(nil, "", false, store)
	expect(t, popAll(q), "a: deleted@5")
}

func TestQueueReplaceFindsWhatIsGone(t *testing.T) {
	q, store := New(10), store.New()
	store.Put(obj("stays", "1", 1))
	store.Put(obj("gone", "2", 2))
	push(t, q, Added, obj("queued", "3", 3))
	push(t, q, Added, obj("taken", "4", 4))
	q2, _ := q.Pop() // "queued" is with the controller, and not yet in the store
	if q2[0].Object.Name() != "queued" {
		t.Fatal(q2[0].Object.Name())
	}
	q.Replace([]*object.Object{obj("stays", "1", 1), obj("new", "5", 6)}, "", false, store)
	q.Done()
	got := popAll(q)
	slices.Sort(got)
	expect(t, got, "gone: deleted@2?", "new: replaced@6", "queued: deleted@3?", "stays: replaced@1",
		"taken: added@4 deleted@4?")
}

func TestQueueHasSyncedWhenTheFirstListIsProcessed(t *testing.T) {
	q := New(10)
	if q.HasSynced() || !q.ClaimFirst() || q.HasSynced() {
		t.Error("synced before any list")
	}
	if _, ok := q.Pop(); ok {
		t.Error("the queue has something to take while its list is being applied")
	}
	q.EndFirst([]*object.Object{obj("a", "1", 1), obj("b", "2", 2)}) // that the list had twice
	for i := range 2 {
		if q.HasSynced() {
			t.Errorf("synced with %d of 2 objects processed", i)
		}
		q.Pop()
		if i == 1 && q.HasSynced() {
			t.Error("synced although the last object is still being processed")
		}
		q.Done()
	}
	if !q.HasSynced() {
		t.Error("not synced")
	}

	empty := New(10)
	empty.ClaimFirst()
	empty.EndFirst(nil)
	if !empty.HasSynced() {
		t.Error("an empty list does not sync")
	}

	changes := New(10)
	push(t, changes, Added, obj("a", "1", 1))
	if !changes.HasSynced() {
		t.Error("a change before any list does not sync")
	}
}

func TestQueueMarksOnlyTheFirstListInitial(t *testing.T) {
	q, store := New(10), store.New()
	q.ClaimFirst()
	q.EndFirst([]*object.Object{obj("a", "1", 1)})
	push(t, q, Added, obj("b", "2", 2))
	expect(t, popAll(q), "a: replaced@1*", "b: added@2")
	if q.ClaimFirst() {
		t.Error("a second list is taken for the first")
	}
	q.Replace([]*object.Object{obj("a", "1", 3)}, "", false, store)
	expect(t, popAll(q), "a: replaced@3")
}

// blocked reports whether the queue has no room for a delta. If it has, it holds it then.
func blocked(t *testing.T, q *Queue, d Delta) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	added := make(chan error, 1)
	go func() { added <- q.Add(ctx, d) }()
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
		q := New(3)
		push(t, q, Added, obj("a", "1", 1))
		push(t, q, Added, obj("b", "2", 2))
		push(t, q, Updated, obj("a", "1", 3))
		for _, d := range []Delta{{Type: Added, Object: obj("c", "3", 4)}, {
			Type: Updated, Object: obj("a", "1", 5)}} {
			if !blocked(t, q, d) {
				t.Fatalf("a queue of three has taken a fourth delta, of %s", d.Object.Name())
			}
		}
		added := make(chan error, 1)
		go func() {
			added <- q.Add(t.Context(),
				Delta{Type: Added, Object: obj("c", "3", 4)})
		}()
		synctest.Wait()
		q.Pop()
		if err := <-added; err != nil {
			t.Fatal(err)
		}
		q.Done()
		push(t, q, Updated, obj("b", "2", 6))
		if !blocked(t, q, Delta{Type: Deleted, Object: obj("b", "2", 7)}) {
			t.Error("the queue is full again, and has taken a delta")
		}
		expect(t, popAll(q), "b: added@2 updated@6", "c: added@4")
	})
}

// One object that never stops changing, behind a subscription that takes nothing, makes the
// reflector wait and nothing grow.
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
	for name, fill := range map[string]func(q *Queue){
		"a list":                 func(q *Queue) { q.Replace(list, "", false, store.New()) },
		"nothing left of a list": func(q *Queue) { q.Replace(nil, "", false, stored) },
		"a small list after a big": func(q *Queue) {
			q.Replace(list, "", false, store.New())
			q.Replace(list[:1], "", false, stored)
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := New(4)
			before := heap()
			fill(q)
			full := heap() - before
			for _, ok := q.Pop(); ok; _, ok = q.Pop() {
				q.Done()
			}
			if kept := heap() - before; kept > full/10 {
				t.Errorf("it holds %d KB of %d KB after it was emptied", kept>>10, full>>10)
			}
			if q.deltas != 0 || q.Len() != 0 {
				t.Errorf("%d deltas of %d objects are left", q.deltas, q.Len())
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
