package buffer

import (
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
)

// came is an add that has arrived.
func came(name string, at event.Instant) Entry {
	e := ev(event.Add, obj(name, "1", int(at)))
	e.Arrived = at
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
			b.Offer(ev(event.Add, obj("unknown", "1", 1)))
			oldest(0)
			b.Offer(came("a", 10))
			b.Offer(came("b", 20))
			b.Offer(came("a", 30))
			oldest(10)
			first, _ := b.Take()
			b.Done(first.Object.Key()) // the unknown one
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
		})
	}
}

// A mark is as old as the first of the events that were merged into it.
func TestAMarkHasArrivedWithItsFirstEvent(t *testing.T) {
	b := New(Config{Capacity: 1})
	b.Offer(ev(event.Add, obj("unknown", "1", 1)))
	for _, at := range []event.Instant{0, 20, 30, 0} {
		b.Offer(came("a", at))
	}
	if got := b.Stats().Oldest; got != 20 {
		t.Errorf("the oldest came at %d, want 20", got)
	}
	e, _ := b.Take()
	b.Done(e.Object.Key())
	if e, _ = b.Take(); e.Arrived != 20 || e.Missed != 3 {
		t.Errorf("%+v", e)
	}
	b.Done(e.Object.Key())
	if got := b.Stats().Oldest; got != 0 || !b.Empty() {
		t.Errorf("the oldest came at %d, of nothing", got)
	}
}
