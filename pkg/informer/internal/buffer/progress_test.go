package buffer

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/informertest"
)

// progresses are what a model offers with its events, in the order of the offers. If it is not
// used, events have none.
type progresses struct {
	used bool
	all  []*progress
}

// progress is what one event was offered with.
type progress struct {
	of   *progresses
	name string
	at   int // place among all
	// forgotten, merged included, and settled count.
	forgotten, settled int
}

func (p *progress) Forgotten() {
	p.forgotten++
}

func (p *progress) MergedInto(later Progress) {
	if l, ok := later.(*progress); ok && (l.name != p.name || l.at <= p.at) {
		panic("an event was merged into an earlier one, or into that of another object")
	}
	p.Forgotten()
}

func (ps *progresses) offer(name string) Progress {
	if !ps.used {
		return nil
	}
	p := &progress{of: ps, name: name, at: len(ps.all)}
	ps.all = append(ps.all, p)
	return p
}

// taken checks an entry that a worker got.
func (ps *progresses) taken(t *rapid.T, e *Entry) {
	if p, ok := e.Progress.(*progress); ok &&
		(p.forgotten+p.settled > 0 || p.name != e.Object.Name()) {
		t.Fatalf("%s has progress %+v", story(e.Event), p)
	}
}

func (ps *progresses) settle(e *Entry) {
	if p, ok := e.Progress.(*progress); ok {
		p.settled++
	}
}

func (ps *progresses) check(t *rapid.T) {
	for _, p := range ps.all {
		if p.forgotten+p.settled != 1 {
			t.Fatalf("progress %d of %s was settled %d and forgotten %d times", p.at, p.name,
				p.settled, p.forgotten)
		}
	}
}

// What is merged has the progress of the last event, whose object's line it ends.
func TestProgressOfWhatIsMerged(t *testing.T) {
	b, ps := New(Config{Capacity: 1}), &progresses{used: true}
	offer := func(name string, version int) *progress {
		p := ps.offer(name)
		b.Offer(Entry{From: &Origin{}, Progress: p,
			Event: event.Event{Op: event.Resync, Object: obj(name, name, version)}})
		return p.(*progress)
	}
	first := offer("a", 1)
	out, _ := b.Take()
	b.Park(out)
	behind, single := offer("a", 2), offer("a", 3)
	b.Take() // nothing: one waits in the lane, and the other behind it
	inRing, last, other := offer("a", 4), offer("a", 5), offer("b", 6)
	taken, _ := b.Take() // which merges what the ring has, and then the mark
	if taken.Progress != other || first.forgotten+behind.forgotten+other.forgotten > 0 {
		t.Errorf("%+v", taken)
	}
	if single.forgotten != 1 || inRing.forgotten != 1 || last.forgotten != 0 {
		t.Errorf("merged %d, %d and %d times", single.forgotten, inRing.forgotten, last.forgotten)
	}
	b.Unpark(out.Object.Key())
	for _, want := range []*progress{first, behind, last} {
		e, ok := b.Take()
		if !ok || e.Progress != want {
			t.Errorf("%+v, want %+v", e.Progress, want)
		}
		b.Done(e.Object.Key())
	}
}

// What is dropped by its origin, or goes to the spill file, is forgotten.
func TestProgressOfWhatIsGivenUp(t *testing.T) {
	for _, overflow := range []Overflow{Latest, Drop, Spill} {
		b, from, ps := New(Config{Capacity: 2, Overflow: overflow, SpillBytes: 1 << 20,
			CreateFile: func(string) (File, error) {
				return (&informertest.Faults{}).File()
			}}), &Origin{}, &progresses{used: true}
		for i := range 9 {
			name := string(rune('a' + i%3))
			b.Offer(Entry{From: from, Progress: ps.offer(name),
				Event: event.Event{Op: event.Resync, Object: obj(name, name, i)}})
		}
		parked, _ := b.Take()
		b.Park(parked)
		b.Drop(from)
		from.Removed = true
		for _, p := range ps.all {
			if p.forgotten != 1 {
				t.Errorf("%d: progress %d was forgotten %d times", overflow, p.at, p.forgotten)
			}
		}
	}
}
