package buffer

import (
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func ev(op event.Op, o *object.Object, old ...*object.Object) Entry {
	e := Entry{Event: event.Event{Op: op, Object: o}, From: &Origin{}}
	if len(old) > 0 {
		e.Old = old[0]
	}
	return e
}

// drain takes and finishes everything, and tells it.
func drain(b *Buffer) (all []string) {
	for e, ok := b.Take(); ok; e, ok = b.Take() {
		all = append(all, story(e.Event))
		b.Done(e.Object.Key())
		b.useDisk()
	}
	return all
}

func TestBufferCoalescesBehindAFullRing(t *testing.T) {
	x := func(v int) *object.Object { return obj("x", "1", v) }
	for name, c := range map[string]struct {
		offer []Entry
		want  []string
	}{
		"updates become one, old is the first": {
			[]Entry{ev(event.Update, x(2), x(1)), ev(event.Update, x(3), x(2)),
				ev(event.Update, x(4), x(3))}, []string{"update x/1 4~2 was 1"}},
		"an add that changes is still an add": {
			[]Entry{ev(event.Add, x(1)), ev(event.Update, x(2), x(1))}, []string{"add x/1 2~1"}},
		"a delete wins": {
			[]Entry{ev(event.Update, x(2), x(1)), ev(event.Delete, x(3))},
			[]string{"delete x/1 3~1"}},
		"an add and its delete leave the delete": {
			[]Entry{ev(event.Add, x(1)), ev(event.Delete, x(2))}, []string{"delete x/1 2~1"}},
		"a resync after a change adds nothing": {
			[]Entry{ev(event.Update, x(2), x(1)), ev(event.Resync, x(2))},
			[]string{"update x/1 2~1 was 1"}},
		"a change after a resync is a change": {
			[]Entry{ev(event.Resync, x(1)), ev(event.Update, x(2), x(1))},
			[]string{"update x/1 2~1 was 1"}},
		"a successor follows its predecessor's delete": {
			[]Entry{ev(event.Delete, x(2)), ev(event.Add, obj("x", "2", 3)),
				ev(event.Update, obj("x", "2", 4), obj("x", "2", 3))},
			[]string{"delete x/1 2", "add x/2 4~1"},
		},
		"a successor's successor": {
			[]Entry{ev(event.Delete, x(2)), ev(event.Add, obj("x", "2", 3)),
				ev(event.Delete, obj("x", "2", 4)), ev(event.Add, obj("x", "3", 5))},
			[]string{"delete x/1 2", "add x/3 5~2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(Config{Capacity: 1})
			b.Offer(ev(event.Add, obj("first", "9", 1)))
			for _, e := range c.offer {
				b.Offer(e)
			}
			expect(t, drain(b), append([]string{"add first/9 1"}, c.want...)...)
			if !b.Empty() {
				t.Errorf("something is left: %+v", b)
			}
		})
	}
}

func TestBufferMarksAreNotOvertaken(t *testing.T) {
	b := New(Config{Capacity: 2})
	for i := range 6 {
		b.Offer(ev(event.Add, obj(fmt.Sprint("o", i), "1", i)))
	}
	e, _ := b.Take()
	b.Done(e.Object.Key()) // room for one, which o2 gets, not the next offer
	b.Offer(ev(event.Add, obj("late", "1", 9)))
	expect(t, drain(b), "add o1/1 1", "add o2/1 2", "add o3/1 3", "add o4/1 4", "add o5/1 5",
		"add late/1 9")
}

func TestBufferKeepsAnObjectsEventsApart(t *testing.T) {
	b := New(Config{Capacity: 10})
	b.Offer(ev(event.Add, obj("x", "1", 1)))
	b.Offer(ev(event.Update, obj("x", "1", 2), obj("x", "1", 1)))
	b.Offer(ev(event.Add, obj("y", "2", 3)))
	first, _ := b.Take()
	second, _ := b.Take()
	if first.Object.Name() != "x" || second.Object.Name() != "y" {
		t.Fatal(story(first.Event), story(second.Event))
	}
	if e, ok := b.Take(); ok {
		t.Fatal("two events of one object are out:", story(e.Event))
	}
	b.Park(first) // the first has failed: the object waits
	if e, ok := b.Take(); ok {
		t.Fatal("an event overtook the retry of its object:", story(e.Event))
	}
	b.Unpark(first.Object.Key())
	again, _ := b.Take()
	if again.Object.ResourceVersion() != "1" {
		t.Fatal(story(again.Event))
	}
	b.Done(again.Object.Key())
	b.Done(second.Object.Key())
	expect(t, drain(b), "update x/1 2 was 1")
}

func TestBufferDropsOneRegistration(t *testing.T) {
	b := New(Config{Capacity: 3})
	gone, stays := &Origin{}, &Origin{}
	for i := range 8 {
		e := ev(event.Add, obj(fmt.Sprint("o", i), "1", i))
		e.From = gone
		if i%2 == 1 {
			e.From = stays
		}
		b.Offer(e)
	}
	working, _ := b.Take()
	if n := b.Drop(gone); n != 3 {
		t.Errorf("dropped %d, want 3 (o0 is with a worker)", n)
	}
	b.Done(working.Object.Key())
	expect(t, drain(b), "add o1/1 1", "add o3/1 3", "add o5/1 5", "add o7/1 7")
	if !b.Empty() {
		t.Errorf("something is left: %+v", b)
	}
}

// What happens to objects of the backlog while the buffer is full makes one event of the two, and
// leaves nothing behind.
func TestBufferMergesTheBacklogWithMarks(t *testing.T) {
	b, from := New(Config{Capacity: 1}), &Origin{}
	x := func(v int) *object.Object { return obj("x", "1", v) }
	b.Join(from, []*object.Object{obj("a", "1", 1), obj("b", "1", 2), x(3), obj("c", "1", 4)})
	for _, e := range []Entry{ev(event.Update, x(5), x(3)), ev(event.Update, x(6), x(5)),
		ev(event.Delete, obj("c", "1", 7))} {
		e.From = from
		b.Offer(e)
	}
	expect(t, drain(b), "add a/1 1*", "add b/1 2*", "add x/1 6*~2", "delete c/1 7~1")
	if !b.Empty() || b.backlog != nil || b.markOrder.Len() > 0 || b.mistakes > 0 {
		t.Errorf("something is left: %+v", b)
	}
}

// A buffer that holds nothing takes no memory for its capacity.
func TestAnIdleBufferHoldsNoMemory(t *testing.T) {
	b := New(Config{Capacity: 1 << 20})
	if b.ring.Cap() != 0 || b.lanes.Len() != 0 || b.marks != nil {
		t.Errorf("%+v", b)
	}
}

// The ends of objects that an earlier process may have delivered are not merged into what comes
// after them, up to a bound; those of others are, but for the first.
func TestWhatIsOwedIsNotMerged(t *testing.T) {
	for _, owed := range []bool{true, false} {
		b := New(Config{Capacity: 1})
		b.Offer(ev(event.Add, obj("x", "1", 1)))
		want := []string{"add x/1 1"}
		for i := range maxEnds + 9 {
			o := obj("a", fmt.Sprint(i), i)
			add := ev(event.Add, o)
			add.MaybeDelivered = owed
			b.Offer(add)
			b.Offer(ev(event.Delete, o))
			if i == 0 || owed && i < maxEnds {
				want = append(want, fmt.Sprintf("delete a/%d %d~1", i, i))
			}
		}
		b.Offer(ev(event.Add, obj("a", "last", 99)))
		missed := 2 * 9
		if !owed {
			missed = 2 * (maxEnds + 8)
		}
		expect(t, drain(b), append(want, fmt.Sprintf("add a/last 99~%d", missed))...)
	}
}
