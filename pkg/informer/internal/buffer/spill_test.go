package buffer

import (
	"errors"
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/informertest"
	"github.com/informerd/informerd/pkg/informer/object"
)

// spilling returns a buffer of one entry that spills to a disk in memory with these faults.
func spilling(f *informertest.Faults, maxBytes int64) *Buffer {
	return New(Config{
		Capacity: 1, Overflow: Spill, SpillBytes: maxBytes,
		CreateFile: func(string) (File, error) { return f.File() },
	})
}

// useDisk does what is to be done to the spill file.
func (b *Buffer) useDisk() {
	for j := b.BeginDiskJob(); j != nil; j = b.BeginDiskJob() {
		j.Run()
		b.FinishDiskJob(j)
	}
}

// What was written before the disk was full comes back as it was, every state of it, and what was
// to be written then, too. What comes later is marked.
func TestAFullDiskLosesNothing(t *testing.T) {
	for name, fail := range map[string]func(*informertest.Faults){
		"not a byte":  func(f *informertest.Faults) { f.Write = true },
		"half a text": func(f *informertest.Faults) { f.Write, f.Written = true, 60 },
		"all of it":   func(f *informertest.Faults) { f.Write, f.Written = true, 1<<20 },
	} {
		t.Run(name, func(t *testing.T) {
			var f informertest.Faults
			b := spilling(&f, 1<<20)
			file := b.spill.file
			initial := func(o *object.Object) Entry {
				e := ev(event.Add, o)
				e.Initial, e.Initials = true, 1
				return e
			}
			x := func(uid string, v int) *object.Object { return obj("x", uid, v) }
			b.Offer(initial(obj("a", "1", 1)))
			b.Offer(initial(x("1", 2)))
			b.Offer(ev(event.Update, x("1", 3), x("1", 2)))
			b.Offer(ev(event.Delete, x("1", 4)))
			b.useDisk()
			fail(&f)
			b.Offer(initial(x("2", 5)))
			b.Offer(ev(event.Delete, x("2", 6)))
			b.useDisk() // neither is written
			if !errors.Is(b.spillErr, informertest.ErrDisk) || b.spill.records != 3 ||
				b.spill.unwritten.Len() != 2 {
				t.Errorf("%v, %d records, %d not written", b.spillErr, b.spill.records,
					b.spill.unwritten.Len())
			}
			f.Write = false // room again, which is not tried
			b.Offer(ev(event.Add, x("3", 7)))
			b.Offer(ev(event.Update, x("3", 8), x("3", 7)))
			b.useDisk()
			got, initials := []string(nil), 0
			for e, ok := b.Take(); ok; e, ok = b.Take() {
				got, initials = append(got, story(e.Event)), initials+int(e.Initials)
				b.Done(e.Object.Key())
				b.useDisk()
			}
			expect(t, got, "add a/1 1*", "add x/1 2*", "update x/1 3 was 2", "delete x/1 4",
				"add x/2 5*", "delete x/2 6", "add x/3 8~1")
			if initials != 3 || !b.Empty() || b.mistakes > 0 || b.spilled != 3 ||
				len(file.segments) > 0 {
				t.Errorf("%d initial adds are accounted for, %+v", initials, b)
			}
		})
	}
}

// An event that cannot be written joins what its object has in the file, and takes nothing's place,
// also if that cannot be read either.
func TestAFailedSpillWriteLosesNothing(t *testing.T) {
	var f informertest.Faults
	b := spilling(&f, 1<<20)
	b.Offer(ev(event.Add, obj("a", "1", 1)))
	b.Offer(ev(event.Delete, obj("x", "1", 2)))
	b.useDisk()
	f.Write, f.Read = true, true
	e := ev(event.Add, obj("x", "2", 3))
	e.Initial, e.Initials = true, 1
	b.Offer(e)
	b.useDisk()
	if b.spillErr == nil {
		t.Error("the write did not fail")
	}
	expect(t, drain(b), "add a/1 1", "delete x/1 2", "add x/2 3*")
	if !b.Empty() || b.mistakes > 0 {
		t.Errorf("%+v", b)
	}
}

// A mark in the order of marks that no object has is a defect, but not one that ends the process.
func TestAnOrderWithoutItsMarkIsCounted(t *testing.T) {
	b := New(Config{Capacity: 1})
	for _, name := range []string{"a", "b", "c"} {
		b.Offer(ev(event.Add, obj(name, "1", 1)))
	}
	delete(b.marks, obj("b", "1", 1).Key())
	expect(t, drain(b), "add a/1 1", "add c/1 1")
	if b.mistakes != 1 || !b.Empty() {
		t.Errorf("%d mistakes, %+v", b.mistakes, b)
	}
}

// A file that has reached its limit is written again as soon as something of it has been read.
func TestASpillFileAtItsLimitIsWrittenAgain(t *testing.T) {
	b := spilling(&informertest.Faults{}, 500)
	var want []string
	for i := range 6 {
		e := ev(event.Add, obj(fmt.Sprint("x", i), "1", i))
		want = append(want, story(e.Event))
		b.Offer(e)
	}
	b.useDisk()
	written := b.spill.records
	if !b.spill.limited || written == 0 || b.spill.unwritten.Len() != 5-written {
		t.Fatalf("%+v", b.spill)
	}
	e, _ := b.Take()
	b.Done(e.Object.Key())
	b.useDisk()
	if int(b.spilled) == written || b.spill.records == 0 {
		t.Errorf("%d are written: %+v", b.spilled, b.spill)
	}
	expect(t, append([]string{story(e.Event)}, drain(b)...), want...)
}

// An event that is longer than the file may be goes through memory, and shorter ones go to the file
// afterwards.
func TestAnEventThatIsLongerThanTheSpillFile(t *testing.T) {
	b := spilling(&informertest.Faults{}, 250)
	b.Offer(ev(event.Add, obj("a", "1", 1)))
	b.Offer(ev(event.Update, obj("x", "1", 3), obj("x", "1", 2)))
	b.useDisk()
	if !b.spill.limited || b.spilled > 0 {
		t.Fatalf("%+v", b.spill)
	}
	expect(t, drain(b), "add a/1 1", "update x/1 3 was 2")
	b.Offer(ev(event.Add, obj("a", "1", 4)))
	b.Offer(ev(event.Add, obj("y", "1", 5)))
	b.useDisk()
	if b.spilled != 1 {
		t.Errorf("%d are written: %+v", b.spilled, b.spill)
	}
	expect(t, drain(b), "add a/1 4", "add y/1 5")
}

// What was read before a record that is damaged comes as it was, and only the rest as if it had
// been marked.
func TestWhatIsInFrontOfADamagedRecordComes(t *testing.T) {
	b := spilling(&informertest.Faults{}, 1<<20)
	x := func(v int) *object.Object { return obj("x", "1", v) }
	for _, e := range []Entry{ev(event.Add, obj("a", "1", 1)), ev(event.Add, x(2)),
		ev(event.Update, x(3), x(2)), ev(event.Update, x(4), x(3))} {
		b.Offer(e)
	}
	b.useDisk()
	last := b.spill.file.segments[0]
	last.file.(*informertest.File).Data[last.writeAt-5] = '#'
	b.Offer(ev(event.Update, x(5), x(4)))
	b.useDisk()
	expect(t, drain(b), "add a/1 1", "add x/1 2", "update x/1 3 was 2", "update x/1 5~1 was 3")
	if !errors.Is(b.spillErr, errSpillCorrupt) || b.spill != nil || b.closing != nil || !b.Empty() {
		t.Errorf("%v, %+v", b.spillErr, b)
	}
}

// An object whose place in the backlog comes has a mark, and earlier events in the spill: those go
// before the mark.
func TestAMarkDoesNotOvertakeTheSpill(t *testing.T) {
	b := spilling(&informertest.Faults{}, 1<<20)
	from := &Origin{}
	update := func(v int) Entry {
		return Entry{Event: ev(event.Update, obj("x", "x", v), obj("x", "x", v-1)).Event,
			From: from}
	}
	b.Join(from, []*object.Object{obj("a", "a", 1), obj("x", "x", 2)})
	b.Offer(update(3))
	b.useDisk()
	b.spill.limited = true // no room in the file for the next one
	b.Offer(update(4))
	if len(b.summaries) != 1 || len(b.marks) != 1 {
		t.Fatalf("%d objects in the spill, %d marked", len(b.summaries), len(b.marks))
	}
	expect(t, drain(b), "add a/a 1*", "add x/x 2*", "update x/x 3 was 2", "update x/x 4 was 3")
}
