package informer

import (
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func ev(op event.Op, o *object.Object, old ...*object.Object) entry {
	e := entry{Event: event.Event{Op: op, Object: o}, from: &registration{}}
	if len(old) > 0 {
		e.Old = old[0]
	}
	return e
}

// drain takes and finishes everything, and tells it.
func drain(b *buffer) (all []string) {
	for e, ok := b.take(); ok; e, ok = b.take() {
		all = append(all, story(e.Event))
		b.done(e.Object.Key())
		b.useDisk()
	}
	return all
}

func TestBufferCoalescesBehindAFullRing(t *testing.T) {
	x := func(v int) *object.Object { return obj("x", "1", v) }
	for name, c := range map[string]struct {
		offer []entry
		want  []string
	}{
		"updates become one, old is the first": {
			[]entry{ev(event.Update, x(2), x(1)), ev(event.Update, x(3), x(2)),
				ev(event.Update, x(4), x(3))}, []string{"update x/1 4~2 was 1"}},
		"an add that changes is still an add": {
			[]entry{ev(event.Add, x(1)), ev(event.Update, x(2), x(1))}, []string{"add x/1 2~1"}},
		"a delete wins": {
			[]entry{ev(event.Update, x(2), x(1)), ev(event.Delete, x(3))},
			[]string{"delete x/1 3~1"}},
		"an add and its delete leave the delete": {
			[]entry{ev(event.Add, x(1)), ev(event.Delete, x(2))}, []string{"delete x/1 2~1"}},
		"a resync after a change adds nothing": {
			[]entry{ev(event.Update, x(2), x(1)), ev(event.Resync, x(2))},
			[]string{"update x/1 2~1 was 1"}},
		"a change after a resync is a change": {
			[]entry{ev(event.Resync, x(1)), ev(event.Update, x(2), x(1))},
			[]string{"update x/1 2~1 was 1"}},
		"a successor follows its predecessor's delete": {
			[]entry{ev(event.Delete, x(2)), ev(event.Add, obj("x", "2", 3)),
				ev(event.Update, obj("x", "2", 4), obj("x", "2", 3))},
			[]string{"delete x/1 2", "add x/2 4~1"},
		},
		"a successor's successor": {
			[]entry{ev(event.Delete, x(2)), ev(event.Add, obj("x", "2", 3)),
				ev(event.Delete, obj("x", "2", 4)), ev(event.Add, obj("x", "3", 5))},
			[]string{"delete x/1 2", "add x/3 5~2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := &buffer{capacity: 1}
			b.offer(ev(event.Add, obj("first", "9", 1)))
			for _, e := range c.offer {
				b.offer(e)
			}
			expect(t, drain(b), append([]string{"add first/9 1"}, c.want...)...)
			if !b.empty() {
				t.Errorf("something is left: %+v", b)
			}
		})
	}
}

func TestBufferMarksAreNotOvertaken(t *testing.T) {
	b := &buffer{capacity: 2}
	for i := range 6 {
		b.offer(ev(event.Add, obj(fmt.Sprint("o", i), "1", i)))
	}
	e, _ := b.take()
	b.done(e.Object.Key()) // room for one, which o2 gets, not the next offer
	b.offer(ev(event.Add, obj("late", "1", 9)))
	expect(t, drain(b), "add o1/1 1", "add o2/1 2", "add o3/1 3", "add o4/1 4", "add o5/1 5",
		"add late/1 9")
}

func TestBufferKeepsAnObjectsEventsApart(t *testing.T) {
	b := &buffer{capacity: 10}
	b.offer(ev(event.Add, obj("x", "1", 1)))
	b.offer(ev(event.Update, obj("x", "1", 2), obj("x", "1", 1)))
	b.offer(ev(event.Add, obj("y", "2", 3)))
	first, _ := b.take()
	second, _ := b.take()
	if first.Object.Name() != "x" || second.Object.Name() != "y" {
		t.Fatal(story(first.Event), story(second.Event))
	}
	if e, ok := b.take(); ok {
		t.Fatal("two events of one object are out:", story(e.Event))
	}
	b.park(first) // the first has failed: the object waits
	if e, ok := b.take(); ok {
		t.Fatal("an event overtook the retry of its object:", story(e.Event))
	}
	b.unpark(first.Object.Key())
	again, _ := b.take()
	if again.Object.ResourceVersion() != "1" {
		t.Fatal(story(again.Event))
	}
	b.done(again.Object.Key())
	b.done(second.Object.Key())
	expect(t, drain(b), "update x/1 2 was 1")
}

func TestBufferDropsOneRegistration(t *testing.T) {
	b := &buffer{capacity: 3}
	gone, stays := &registration{}, &registration{}
	for i := range 8 {
		e := ev(event.Add, obj(fmt.Sprint("o", i), "1", i))
		e.from = gone
		if i%2 == 1 {
			e.from = stays
		}
		b.offer(e)
	}
	working, _ := b.take()
	if n := b.drop(gone); n != 3 {
		t.Errorf("dropped %d, want 3 (o0 is with a worker)", n)
	}
	b.done(working.Object.Key())
	expect(t, drain(b), "add o1/1 1", "add o3/1 3", "add o5/1 5", "add o7/1 7")
	if !b.empty() {
		t.Errorf("something is left: %+v", b)
	}
}
