package buffer

import (
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// came is an add that has arrived.
func came(name string, at event.Instant) Entry {
	e := ev(event.Add, obj(name, "1", int(at)))
	e.Arrived = at
	return e
}

// waits is an add that did not arrive and waits.
func waits(name string, since event.Instant) Entry {
	e := ev(event.Add, obj(name, "1", int(since)))
	e.Since = since
	return e
}

// The oldest entry counts wherever it is: in the ring, with a worker, parked, behind a busy object,
// in a mark.
func TestOldest(t *testing.T) {
	for _, overflow := range []Overflow{Latest, Spill} {
		t.Run(fmt.Sprint(overflow), func(t *testing.T) {
			b := New(Config{Capacity: 4, Overflow: overflow, SpillDir: t.TempDir(),
				SpillBytes: 1 << 20})
			defer b.CloseSpill()
			oldest := func(want event.Instant) {
				t.Helper()
				if got := b.Stats().Oldest; got != want {
					t.Errorf("the oldest came at %d, want %d", got, want)
				}
			}
			oldest(0)
			b.Offer(waits("listed", 5))
			oldest(5)
			b.Offer(came("a", 10))
			b.Offer(came("b", 20))
			b.Offer(came("a", 30))
			first, _ := b.Take()
			oldest(5)
			b.Park(first)
			oldest(5)
			b.Unpark(first.Object.Key())
			first, _ = b.Take()
			b.Done(first.Object.Key())
			oldest(10)
			a, _ := b.Take()
			oldest(10)
			b.Park(a)
			c, _ := b.Take()
			oldest(10)
			b.Done(c.Object.Key())
			oldest(10)
			b.Unpark(a.Object.Key())
			oldest(10)
			a, _ = b.Take()
			b.Done(a.Object.Key())
			oldest(30) // the second one of the object is ready
			a, _ = b.Take()
			oldest(30)
			for i := range 4 { // one waits behind the ring
				b.Offer(came(fmt.Sprint("c", i), event.Instant(40+i)))
			}
			b.Offer(came("c3", 50))
			oldest(30)
			b.Done(a.Object.Key())
			b.useDisk()
			oldest(40)
			for want := event.Instant(41); want <= 43; want++ {
				e, _ := b.Take()
				b.Done(e.Object.Key())
				b.useDisk()
				oldest(want) // of what was merged, the first
			}
			for e, ok := b.Take(); ok; e, ok = b.Take() {
				b.Done(e.Object.Key())
			}
			oldest(0)
		})
	}
}

// What did not arrive waits since it came to the buffer, from wherever, and while a worker has it.
func TestOldestOfWhatDidNotArrive(t *testing.T) {
	again := func(b *Buffer) { b.Recall(ev(event.Resync, obj("a", "1", 1))) }
	for name, come := range map[string]func(*Buffer){
		"offered":    func(b *Buffer) { b.Offer(ev(event.Add, obj("a", "1", 1))) },
		"put":        func(b *Buffer) { b.Put(ev(event.Add, obj("a", "1", 1))) },
		"alone":      func(b *Buffer) { b.OfferAlone(ev(event.Add, obj("a", "1", 1))) },
		"first list": func(b *Buffer) { b.Join(&Origin{}, []*object.Object{obj("a", "1", 1)}) },
		"recalled":   again,
		"resync": func(b *Buffer) {
			e := ev(event.Resync, obj("a", "1", 1))
			b.HandOut(&e)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, before := New(Config{Capacity: 1}), event.Now()
			come(b)
			came := b.Stats().Oldest
			if came < before || came > event.Now() {
				t.Fatalf("it waits since %d, want %d or a little later", came, before)
			}
			b.Take()
			again(b)
			if got := b.Stats().Oldest; got != came {
				t.Errorf("it waits since %d with a worker, want %d", got, came)
			}
		})
	}
}

// The rest of a first list is as old as the list, a mark behind the buffer as the first end that it
// stands for, and what is only on disk as its first event.
func TestOldestBehindTheBuffer(t *testing.T) {
	b := New(Config{Capacity: 1})
	b.Join(&Origin{}, []*object.Object{obj("a", "1", 1), obj("b", "1", 1), obj("c", "1", 1)})
	since := b.Stats().Oldest
	for range 3 {
		if got := b.Stats().Oldest; got != since {
			t.Errorf("the rest of the list waits since %d, want %d", got, since)
		}
		e, _ := b.Take()
		b.Done(e.Object.Key())
	}
	b.Offer(waits("full", 20))
	gone := ev(event.Delete, obj("a", "1", 1))
	gone.Since = 10
	b.Offer(gone)
	b.Offer(waits("a", 11))
	if got := b.Stats().Oldest; got != 10 {
		t.Errorf("the mark waits since %d, want 10", got)
	}

	b = New(Config{Capacity: 1, Overflow: Spill, SpillDir: t.TempDir(), SpillBytes: 1 << 20})
	defer b.CloseSpill()
	b.Offer(waits("full", 5))
	for at, name := range []string{"a", "b", "a"} {
		b.Offer(waits(name, event.Instant(10+at)))
	}
	b.useDisk() // writes
	e, _ := b.Take()
	b.Done(e.Object.Key())
	if got := b.Stats().Oldest; got != 10 {
		t.Errorf("what is on disk waits since %d, want 10", got)
	}
	for _, want := range []event.Instant{10, 11, 12, 0} {
		b.useDisk()
		if got := b.Stats().Oldest; got != want {
			t.Errorf("what came back waits since %d, want %d", got, want)
		}
		if e, ok := b.Take(); ok {
			b.Done(e.Object.Key())
		}
	}
}

// What is lost with the spill file is as old as the first event that was in it.
func TestWhatIsLostIsAsOldAsItWas(t *testing.T) {
	var s summary
	s.pushed(waits("a", 10))
	s.pushed(waits("a", 20))
	if rest := s.rest(); len(rest) != 1 || rest[0].Since != 10 {
		t.Errorf("%+v", rest)
	}
	s.popped(waits("a", 10))
	if rest := s.rest(); len(rest) != 1 || rest[0].Since != 20 {
		t.Errorf("%+v", rest)
	}
}

// A mark is as old as the first of the events that were merged into it.
func TestAMarkHasArrivedWithItsFirstEvent(t *testing.T) {
	b := New(Config{Capacity: 1})
	b.Offer(waits("listed", 5))
	for _, at := range []event.Instant{0, 20, 30, 0} {
		b.Offer(came("a", at))
	}
	if got := b.Stats().Oldest; got != 5 {
		t.Errorf("the oldest came at %d, want 5", got)
	}
	e, _ := b.Take()
	b.Done(e.Object.Key())
	if got := b.Stats().Oldest; got != 20 {
		t.Errorf("the mark came at %d, want 20", got)
	}
	if e, _ = b.Take(); e.Arrived != 20 || e.Missed != 3 {
		t.Errorf("%+v", e)
	}
	b.Done(e.Object.Key())
	if got := b.Stats().Oldest; got != 0 || !b.Empty() {
		t.Errorf("the oldest came at %d, of nothing", got)
	}
}
