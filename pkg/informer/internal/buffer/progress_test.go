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
	// forgotten and settled count. until is how many there were when it was forgotten.
	forgotten, settled, until int
}

func (p *progress) Forgotten() {
	p.forgotten++
	p.until = len(p.of.all)
}

func (ps *progresses) offer(name string) any {
	if !ps.used {
		return nil
	}
	p := &progress{of: ps, name: name, at: len(ps.all)}
	ps.all = append(ps.all, p)
	return p
}

// taken checks an entry that a worker got. If its progress is there, nothing before it in its
// object's line was forgotten since it was offered.
func (ps *progresses) taken(t *rapid.T, e *Entry) {
	p, ok := e.Progress.(*progress)
	if !ok {
		return
	}
	if p.forgotten+p.settled > 0 || p.name != e.Object.Name() || e.Missed > 0 {
		t.Fatalf("%s has progress %+v", story(e.Event), p)
	}
	for _, before := range ps.all[:p.at] {
		if before.name == p.name && before.forgotten > 0 && before.until > p.at {
			t.Fatalf("%s has progress %d, and %d was forgotten meanwhile", story(e.Event), p.at,
				before.at)
		}
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

// What is merged behind a parked event ends its object's line: what the ring and the marks have of
// the object loses its progress as well.
func TestProgressIsForgottenToTheEndOfTheLine(t *testing.T) {
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
	if behind.forgotten+single.forgotten > 0 {
		t.Error("an event that moved was forgotten")
	}
	inRing, inMark, other := offer("a", 4), offer("a", 5), offer("b", 6)
	taken, _ := b.Take() // which merges what the ring has, and then the mark
	if taken.Progress != other || first.forgotten+behind.forgotten+other.forgotten > 0 {
		t.Errorf("%+v", taken)
	}
	if single.forgotten != 1 || inRing.forgotten != 1 || inMark.forgotten != 1 {
		t.Errorf("forgotten %d, %d and %d times", single.forgotten, inRing.forgotten,
			inMark.forgotten)
	}
	b.Unpark(out.Object.Key())
	if again, _ := b.Take(); again.Progress != first {
		t.Errorf("%+v", again)
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
