package informer

import (
	"errors"
	"io"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// faults are what a disk cannot do.
type faults struct {
	create, write, read bool
	written             int // bytes of a failed write that are written all the same
}

var errDisk = errors.New("no space left on device")

// spillFile makes a spill file in memory that has these faults, as they are when it is used.
func (f *faults) spillFile(maxBytes int64) *spillFile {
	s := newSpillFile("", maxBytes)
	s.create = func(string) (disk, error) {
		if f.create {
			return nil, errDisk
		}
		return &memory{faults: f}, nil
	}
	return s
}

// useDisk does what is to be done to the spill file.
func (b *buffer) useDisk() {
	for j := b.nextDiskJob(); j != nil; j = b.nextDiskJob() {
		j.run()
		b.finishDiskJob(j)
	}
}

// takeWithDisk takes an entry, wherever it is.
func (b *buffer) takeWithDisk() (e entry, ok bool) {
	for b.useDisk(); !ok; b.useDisk() {
		if e, ok = b.take(); !b.diskDue() {
			break
		}
	}
	return e, ok
}

// diskByHand lets the subscription begin no goroutine for its disk: a test without locks has the
// buffer use it.
func (l *Subscription) diskByHand() { l.disk = make(chan struct{}) }

// memory is a segment.
type memory struct {
	faults *faults
	data   []byte
	closed bool
}

func (m *memory) WriteAt(p []byte, at int64) (n int, err error) {
	if m.closed {
		return 0, errors.New("closed")
	}
	if m.faults.write {
		p, err = p[:min(len(p), m.faults.written)], errDisk
	}
	if end := int(at) + len(p); end > len(m.data) {
		m.data = append(m.data, make([]byte, end-len(m.data))...)
	}
	return copy(m.data[at:], p), err
}

func (m *memory) ReadAt(p []byte, at int64) (int, error) {
	if m.faults.read || m.closed || int(at) > len(m.data) {
		return 0, errDisk
	}
	n := copy(p, m.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (m *memory) Close() error {
	if m.closed {
		return errors.New("closed twice")
	}
	m.closed = true
	return nil
}

// What was written before the disk was full comes back as it was, every state of it, and what was
// to be written then, too. What comes later is marked.
func TestAFullDiskLosesNothing(t *testing.T) {
	for name, fail := range map[string]func(*faults){
		"not a byte":  func(f *faults) { f.write = true },
		"half a text": func(f *faults) { f.write, f.written = true, 60 },
		"all of it":   func(f *faults) { f.write, f.written = true, 1<<20 },
	} {
		t.Run(name, func(t *testing.T) {
			var f faults
			b := &buffer{capacity: 1, overflow: OverflowSpill,
				spill: newSpill(f.spillFile(1 << 20))}
			file := b.spill.file
			initial := func(o *object.Object) entry {
				e := ev(event.Add, o)
				e.Initial, e.initials = true, 1
				return e
			}
			x := func(uid string, v int) *object.Object { return obj("x", uid, v) }
			b.offer(initial(obj("a", "1", 1)))
			b.offer(initial(x("1", 2)))
			b.offer(ev(event.Update, x("1", 3), x("1", 2)))
			b.offer(ev(event.Delete, x("1", 4)))
			b.useDisk()
			fail(&f)
			b.offer(initial(x("2", 5)))
			b.offer(ev(event.Delete, x("2", 6)))
			b.useDisk() // neither is written
			if !errors.Is(b.spillErr, errDisk) || b.spill.records != 3 ||
				b.spill.unwritten.len() != 2 {
				t.Errorf("%v, %d records, %d not written", b.spillErr, b.spill.records,
					b.spill.unwritten.len())
			}
			f.write = false // room again, which is not tried
			b.offer(ev(event.Add, x("3", 7)))
			b.offer(ev(event.Update, x("3", 8), x("3", 7)))
			b.useDisk()
			got, initials := []string(nil), 0
			for e, ok := b.take(); ok; e, ok = b.take() {
				got, initials = append(got, story(e.Event)), initials+e.initials
				b.done(e.Object.Key())
				b.useDisk()
			}
			expect(t, got, "add a/1 1*", "add x/1 2*", "update x/1 3 was 2", "delete x/1 4",
				"add x/2 5*", "delete x/2 6", "add x/3 8~1")
			if initials != 3 || !b.empty() || b.mistakes > 0 || b.spills != 3 ||
				len(file.segments) > 0 {
				t.Errorf("%d initial adds are accounted for, %+v", initials, b)
			}
		})
	}
}

// An event that cannot be written joins what its object has in the file, and takes nothing's place,
// also if that cannot be read either.
func TestAFailedSpillWriteLosesNothing(t *testing.T) {
	var f faults
	b := &buffer{capacity: 1, overflow: OverflowSpill, spill: newSpill(f.spillFile(1 << 20))}
	b.offer(ev(event.Add, obj("a", "1", 1)))
	b.offer(ev(event.Delete, obj("x", "1", 2)))
	b.useDisk()
	f.write, f.read = true, true
	e := ev(event.Add, obj("x", "2", 3))
	e.Initial, e.initials = true, 1
	b.offer(e)
	b.useDisk()
	if b.spillErr == nil {
		t.Error("the write did not fail")
	}
	expect(t, drain(b), "add a/1 1", "delete x/1 2", "add x/2 3*")
	if !b.empty() || b.mistakes > 0 {
		t.Errorf("%+v", b)
	}
}

// A mark in the order of marks that no object has is a defect, but not one that ends the process.
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

// An object whose place in the backlog comes has a mark, and earlier events in the spill: those go
// before the mark.
func TestAMarkDoesNotOvertakeTheSpill(t *testing.T) {
	b := &buffer{capacity: 1, overflow: OverflowSpill,
		spill: newSpill((&faults{}).spillFile(1 << 20))}
	from := &registration{}
	update := func(v int) entry {
		return entry{Event: ev(event.Update, obj("x", "x", v), obj("x", "x", v-1)).Event,
			from: from}
	}
	b.join(from, []*object.Object{obj("a", "a", 1), obj("x", "x", 2)})
	b.offer(update(3))
	b.useDisk()
	b.spill.limited = true // no room in the file for the next one
	b.offer(update(4))
	if len(b.spilled) != 1 || len(b.marks) != 1 {
		t.Fatalf("%d objects in the spill, %d marked", len(b.spilled), len(b.marks))
	}
	expect(t, drain(b), "add a/a 1*", "add x/x 2*", "update x/x 3 was 2", "update x/x 4 was 3")
}
