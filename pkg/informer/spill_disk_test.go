package informer

import (
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
)

// An event that cannot be written joins what its object has in the file, and takes nothing's place.
func TestAFailedSpillWriteLosesNothing(t *testing.T) {
	b := &buffer{capacity: 1, overflow: OverflowSpill, spill: newSpillFile(t.TempDir(), 1<<20)}
	b.offer(ev(event.Add, obj("a", "1", 1)))
	b.offer(ev(event.Delete, obj("x", "1", 2)))
	if err := b.spill.segments[0].file.Close(); err != nil {
		t.Fatal(err)
	}
	e := ev(event.Add, obj("x", "2", 3))
	e.Initial, e.initials = true, 1
	b.offer(e)
	if b.spillErr == nil {
		t.Error("the write did not fail")
	}
	expect(t, drain(b), "add a/1 1", "delete x/1 2", "add x/2 3*")
	if !b.empty() || b.mistakes > 0 {
		t.Errorf("%+v", b)
	}
}

// A key in the order of marks that has no mark is a defect, but not one that ends the process.
func TestAnOrderWithoutItsMarkIsCounted(t *testing.T) {
	b := &buffer{capacity: 1}
	for _, name := range []string{"a", "b", "c"} {
		b.offer(ev(event.Add, obj(name, "1", 1)))
	}
	delete(b.marks, obj("b", "1", 1).Key())
	expect(t, drain(b), "add a/1 1", "add c/1 1")
	if b.mistakes != 1 || !b.empty() {
		t.Errorf("%d mistakes, %+v", b.mistakes, b)
	}
}
