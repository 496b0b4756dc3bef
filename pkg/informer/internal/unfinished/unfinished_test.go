package unfinished

import (
	"fmt"
	"slices"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/informertest"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestMain(m *testing.M) {
	informertest.SetModelRuns()
	m.Run()
}

var (
	a     = object.Key{Namespace: "shop", Name: "a"}
	state = func(version int) *object.Object { return informertest.Object("a", "1", version) }
)

// offer offers the event between two states of an object, of which one may be nil.
func offer(s *Set, from, to *object.Object, number uint64) {
	s.Offered(between(from, to), from, number, This)
}

func between(from, to *object.Object) *event.Event {
	switch {
	case from == nil:
		return &event.Event{Op: event.Add, Object: to}
	case to == nil:
		return &event.Event{Op: event.Delete, Object: from}
	}
	return &event.Event{Op: event.Update, Object: to, Old: from}
}

// show returns entries in one line each, sorted: "a 1" is known in version 1, "a -" not at all, and
// of "a ended" the listener knows what is stored.
func show(entries []Entry) []string {
	var lines []string
	for _, e := range entries {
		line := e.Key.Name + " -"
		switch {
		case e.Ended:
			line = e.Key.Name + " ended"
		case e.State != nil:
			line = fmt.Sprint(e.Key.Name, " ", e.State.ResourceVersion())
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func listed(s *Set) []string {
	var all []Entry
	s.each(func(e Entry) { all = append(all, e) })
	return show(all)
}

// An object is listed from its first event until the last one is done, in the state before the
// first, and then in that of the last one that was done.
func TestAnObjectIsListedUntilItsLastEventIsDone(t *testing.T) {
	s := New()
	offer(s, state(1), state(2), 1)
	offer(s, state(2), state(3), 2)
	offer(s, state(3), state(4), 3)
	informertest.Expect(t, listed(s), "a 1")
	s.Done(a, state(2), 1)
	informertest.Expect(t, listed(s), "a 2")
	s.Done(a, state(4), 3) // 2 was merged into it
	informertest.Expect(t, listed(s))
}

// A name may come to the same state twice: only the number tells which event is the last.
func TestTheSameStateTwiceIsTwoEvents(t *testing.T) {
	s := New()
	offer(s, nil, state(5), 1)
	offer(s, state(5), nil, 2)
	offer(s, nil, state(5), 3)
	s.Done(a, state(5), 1)
	informertest.Expect(t, listed(s), "a 5")
	s.Done(a, nil, 2)
	informertest.Expect(t, listed(s), "a -")
	s.Done(a, state(5), 3)
	informertest.Expect(t, listed(s))
}

// What was not offered changes nothing, nor does what only repeats a state.
func TestResyncsChangeNothing(t *testing.T) {
	s := New()
	s.Repeated(a, 1)
	s.Done(a, state(1), 1)
	s.Done(a, state(1), 0)
	informertest.Expect(t, listed(s))
	informertest.Expect(t, show(s.Cut()))

	offer(s, state(1), state(2), 2)
	s.Repeated(a, 3) // the two may be merged: then 2 is never done
	s.Done(a, state(1), 0)
	informertest.Expect(t, listed(s), "a 1")
	s.Done(a, state(2), 3)
	informertest.Expect(t, listed(s))
}

// What comes and goes between two cuts is in neither.
func TestACutHasNoMoreThanTheDifference(t *testing.T) {
	s := New()
	offer(s, state(1), state(2), 1)
	s.Done(a, state(2), 1)
	informertest.Expect(t, show(s.Cut()))

	offer(s, state(2), state(3), 2)
	informertest.Expect(t, show(s.Cut()), "a 2")
	informertest.Expect(t, show(s.Cut()))
	s.Done(a, state(3), 2)
	offer(s, state(3), state(4), 3)
	informertest.Expect(t, show(s.Cut()), "a 3")
	s.Done(a, state(4), 3)
	offer(s, state(4), state(5), 4)
	s.Done(a, state(5), 4)
	informertest.Expect(t, show(s.Cut()), "a ended")
	informertest.Expect(t, show(s.Cut()))
}

// What moves keeps its state and its number.
func TestWhatMovesIsDoneElsewhere(t *testing.T) {
	from, to := New(), New()
	offer(from, state(1), state(2), 1)
	offer(from, nil, informertest.Object("nobody's", "1", 1), 2)
	from.MoveTo(func(key object.Key) *Set {
		if key == a {
			return to
		}
		return nil
	})
	if from.Len() != 0 || !to.Lists(a) {
		t.Errorf("%v moved to %v", listed(from), listed(to))
	}
	offer(to, state(2), state(3), 3) // the difference of an exchange
	to.Done(a, state(2), 1)
	informertest.Expect(t, listed(to), "a 2")
	to.Done(a, state(3), 3)
	informertest.Expect(t, listed(to))
}

func TestNilKeepsNothing(t *testing.T) {
	var s *Set
	offer(s, nil, state(1), 1)
	s.Taken(a, 1)
	s.Settle()
	s.Repeated(a, 2)
	s.Done(a, state(1), 2)
	s.MoveTo(nil)
	s.each(nil)
	if s.Lists(a) || s.Len() != 0 || s.Cut() != nil || s.Whole() != nil {
		t.Error("nil has kept something")
	}
}

// The memory of a burst is released when it is over.
func TestABurstLeavesNothing(t *testing.T) {
	s := New()
	for i := range 2 * maxEmpty {
		offer(s, nil, informertest.Object(fmt.Sprint(i), "1", 1), 1)
	}
	s.Cut()
	for i := range 2 * maxEmpty {
		s.Done(object.Key{Namespace: "shop", Name: fmt.Sprint(i)}, state(1), 1)
	}
	if !s.large {
		t.Error("it is not large")
	}
	if ended := s.Cut(); len(ended) != 2*maxEmpty || s.large {
		t.Errorf("%d ended, large %t", len(ended), s.large)
	}
}

// BenchmarkSet is an event that is offered, taken and done while 100 others are not, with a cut
// after each 1,000.
func BenchmarkSet(b *testing.B) {
	s, events := New(), make([]*event.Event, 101)
	for i := range events {
		from := informertest.Object(fmt.Sprint("pod-", i), fmt.Sprint(i), 1)
		to := informertest.Object(fmt.Sprint("pod-", i), fmt.Sprint(i), 2)
		events[i] = between(from, to)
	}
	b.ReportAllocs()
	for n := uint64(1); b.Loop(); n++ {
		e, before := events[n%uint64(len(events))], events[(n+1)%uint64(len(events))]
		s.Offered(e, e.Old, n, This)
		s.Taken(e.Object.Key(), n)
		if n >= uint64(len(events)) {
			s.Done(before.Object.Key(), before.Object, n+1-uint64(len(events)))
		}
		if n%1000 == 0 {
			s.Cut()
		}
	}
}

// Since when an event waits is known after any number of restarts, whether it came of a watch or of
// a list: conditions on the time are decided as of then.
func TestTheArrivalIsKept(t *testing.T) {
	o := informertest.Object("a", "u1", 1)
	for name, arrived := range map[string]event.Instant{"of a watch": 5, "of a list": 0} {
		s := New()
		s.Offered(&event.Event{Op: event.Add, Object: o, Arrived: arrived}, nil, 1, This)
		want := s.Sorted()[0].Arrived
		if arrived != 0 && want != arrived || want == 0 {
			t.Errorf("%s: it arrived at %d", name, want)
		}
		for range 2 {
			again := New()
			again.Restore(s.Whole()[0], 1, true)
			s = again
		}
		if all := s.Sorted()[0].Difference(o); len(all) != 1 || all[0].Since != want {
			t.Errorf("%s: got %+v, want one since %d", name, all, want)
		}
	}
}

func (s *Set) each(f func(Entry)) {
	for _, e := range s.Sorted() {
		f(e)
	}
}
