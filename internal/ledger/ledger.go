package ledger

import (
	"cmp"
	"slices"
	"strconv"
	"sync"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Ledger is what became of the events of one listener's objects. The zero value is empty. A nil one
// notes nothing. It is safe for concurrent use.
type Ledger struct {
	mu    sync.Mutex
	table table
	// ends is how many objects are noted that are gone, since older events of them may be under way
	// to the workers.
	ends int
}

// maxEnds is how many such objects there may be before those that went first are forgotten.
const maxEnds = 16384

// Mark is an object in one of its states.
type Mark struct{ hash, version uint64 }

// MarkOf returns the mark of an object as it is.
func MarkOf(o *object.Object) Mark {
	return Mark{o.Key().Hash(), ParseVersion(o.ResourceVersion())}
}

// ParseVersion returns a version as a number, 0 if it is none: then every version counts as the
// same.
func ParseVersion(s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0
	}
	return n & versionMask
}

// Mark returns the mark of an object, as MarkOf does, and the zero mark if nothing is noted.
func (l *Ledger) Mark(o *object.Object) Mark {
	if l == nil {
		return Mark{}
	}
	return MarkOf(o)
}

// Settle notes that an event has come to an end before it was passed to outputs.
func (l *Ledger) Settle(m Mark, op event.Op, s State) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was, known := l.table.get(m.hash)
	switch {
	case known && was.bars(m), op == event.Resync && known && Reaches(was.version(), m.version):
	case op == event.Delete:
		l.remove(m.hash, was)
	default:
		l.put(m.hash, was, newNote(m.version, 0, s, false))
	}
}

// bars reports whether an event is older than what was dropped or refused before the buffer.
func (n note) bars(m Mark) bool {
	s := n.state()
	return (s == Overflown || s == Refused && n.gone()) && Reaches(n.version(), m.version)
}

// put notes something of an object. was is what was noted of it, 0 if nothing. The caller holds mu.
func (l *Ledger) put(hash uint64, was, n note) {
	if was.end() {
		l.ends--
	}
	if n.end() {
		l.ends++
	}
	l.table.put(hash, n)
}

// remove takes an object out. was is what was noted of it. The caller holds mu.
func (l *Ledger) remove(hash uint64, was note) {
	if was.end() {
		l.ends--
	}
	l.table.remove(hash)
}

// end reports whether the note is of an object that is gone, and of no event that is under way.
func (n note) end() bool { return n.gone() && n.state() != Passed }

// Pass notes that an event is about to be handed to so many outputs.
func (l *Ledger) Pass(m Mark, op event.Op, outputs int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was, known := l.table.get(m.hash)
	gone := op == event.Delete
	if known && was.bars(m) || gone && !known { // the end of what nobody has needs no note
		return
	}
	if gone && m.version == 0 {
		m.version = was.version() // it is known by its name alone
	}
	l.put(m.hash, was, newNote(m.version, outputs, Passed, gone))
}

// End notes what became of an event that was passed, at one of its outputs. It is None if the
// listener does not use the output any more.
func (l *Ledger) End(m Mark, s State) {
	if l == nil || m.hash == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was, known := l.table.get(m.hash)
	if !known || was.version() != m.version || was.end() {
		return
	}
	outputs := max(was.outputs()-1, 0)
	switch first := was.state() == Passed || was.state() == Earlier; {
	case was.gone() && outputs == 0:
		l.remove(m.hash, was)
		return
	case was.gone():
		s = Passed
	case s == None && was.state() == Passed && outputs == 0:
		s = Unwanted
	case s == None || !first:
		s = max(s, was.state())
	}
	l.put(m.hash, was, newNote(m.version, outputs, s, was.gone()))
}

// Replayed notes that a dead letter was delivered after all.
func (l *Ledger) Replayed(m Mark) {
	if l == nil || m.hash == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was, known := l.table.get(m.hash)
	if known && was.version() == m.version && was.state() == DeadLetter {
		l.table.put(m.hash, newNote(was.version(), was.outputs(), Delivered, false))
	}
}

// Known notes an object that an earlier process has finished in this state.
func (l *Ledger) Known(o *object.Object) { l.Settle(MarkOf(o), event.Update, Earlier) }

// Dropped notes a state for which the buffer had no room, or with gone, the object's delete.
func (l *Ledger) Dropped(o *object.Object, gone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := MarkOf(o)
	was, _ := l.table.get(m.hash)
	l.put(m.hash, was, newNote(m.version, 0, Overflown, gone))
	l.forgetEnds()
}

// Ended notes a delete that is refused before the buffer. With underway, older events of the object
// may come to an end after it.
func (l *Ledger) Ended(o *object.Object, underway bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := MarkOf(o)
	was, _ := l.table.get(m.hash)
	if !underway {
		l.remove(m.hash, was)
		return
	}
	l.put(m.hash, was, newNote(m.version, 0, Refused, true))
	l.forgetEnds()
}

// forgetEnds forgets half of the objects that are gone if there are too many. The caller holds mu.
func (l *Ledger) forgetEnds() {
	if l.ends <= maxEnds {
		return
	}
	ends := make([]slot, 0, l.ends)
	for _, s := range l.table.slots {
		if s.hash != 0 && s.note.end() {
			ends = append(ends, s)
		}
	}
	slices.SortFunc(ends, func(a, b slot) int {
		return cmp.Compare(a.note.version(), b.note.version())
	})
	for _, s := range ends[:len(ends)/2] {
		l.remove(s.hash, s.note)
	}
}

// Entry is what a ledger has of an object.
type Entry struct {
	Version uint64 // of the last event that was noted
	State   State
	Outputs int  // how many of them have not ended it
	Gone    bool // the event is the object's delete
}

// Reaches reports whether the entry is of a version, or of a later one.
func (e *Entry) Reaches(version uint64) bool { return Reaches(e.Version, version) }

// Get returns what is noted of an object, by the hash of its key.
func (l *Ledger) Get(hash uint64) (e Entry, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, known := l.table.get(hash)
	return Entry{n.version(), n.state(), n.outputs(), n.gone()}, known
}

// Objects returns the hashes of the keys of all objects that the listener may know.
func (l *Ledger) Objects() []uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]uint64, 0, l.table.used)
	for _, s := range l.table.slots {
		if s.hash != 0 {
			all = append(all, s.hash)
		}
	}
	return all
}
