package queue

import (
	"testing"

	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestQueueReplaceComesInListOrderThenDeletes(t *testing.T) {
	q, store := New(10), store.New()
	for _, name := range []string{"x", "a"} {
		store.Put(obj(name, name, 1))
	}
	q.Replace([]*object.Object{obj("c", "c", 2), obj("b", "b", 3), obj("a", "a", 4)}, "", false, store)
	expect(t, popAll(q), "c: replaced@2", "b: replaced@3", "a: replaced@4", "x: deleted@1?")
}

func TestQueueTombstonesAreNotNested(t *testing.T) {
	q, store := New(10), store.New()
	store.Put(obj("a", "1", 1))
	for range 3 {
		q.Replace(nil, "", false, store)
	}
	expect(t, popAll(q), "a: deleted@1?")

	q.Replace(nil, "", false, store)
	q.Pop() // the tombstone is with the controller, and the store not yet changed
	q.Replace(nil, "", false, store)
	q.Done()
	expect(t, popAll(q))
}

func TestQueueAppliesPendingEventsBeforeAList(t *testing.T) {
	q, store := New(10), store.New()
	store.Put(obj("a", "1", 1))
	push(t, q, Updated, obj("a", "1", 2))
	push(t, q, Added, obj("b", "2", 3))
	push(t, q, Deleted, obj("c", "3", 4))
	q.Replace([]*object.Object{obj("a", "1", 5)}, "", false, store)
	expect(t, popAll(q), "a: updated@2 replaced@5", "b: added@3 deleted@3?", "c: deleted@4")
}

func TestQueueRetainsNothing(t *testing.T) {
	q := New(100)
	for i := range 50 {
		push(t, q, Added, obj(string(rune('a'+i%10)), "1", i))
	}
	popAll(q)
	for _, deltas := range q.spare {
		for _, d := range deltas[:cap(deltas)] {
			if d.Object != nil {
				t.Fatal("an object is retained: ", d.Object.Name())
			}
		}
	}
	// That q.order retains no key is TestTakenSlotsAreZero, of package fifo.
	if len(q.items) != 0 || q.taken != nil {
		t.Errorf("%v, %v", q.items, q.taken)
	}
}

func TestQueueTakesWhileAnObjectIsProcessed(t *testing.T) {
	q := New(1)
	push(t, q, Added, obj("a", "1", 1))
	q.Pop()
	push(t, q, Updated, obj("a", "1", 2))
	q.Done()
	expect(t, popAll(q), "a: updated@2")
}
