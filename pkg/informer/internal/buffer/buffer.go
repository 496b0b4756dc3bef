package buffer

import (
	"github.com/informerd/informerd/pkg/informer/internal/fifo"
	"github.com/informerd/informerd/pkg/informer/internal/lanes"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Overflow is what happens to an event for which a buffer has no room.
type Overflow uint8

const (
	// Latest marks the event's object, which is delivered later, once, in its current state.
	Latest Overflow = iota
	// Block refuses the event, which has to be offered again.
	Block
	// Drop gives up the event. The first list is never dropped.
	Drop
	// Spill has the event written to a file. When that is full, or the disk too slow, it is as
	// Latest.
	Spill
)

// Config is what a buffer is made with.
type Config struct {
	Capacity int
	Overflow Overflow
	// SpillDir is the folder of the spill file, "" for the system's folder for temporary files.
	// SpillBytes bounds the file.
	SpillDir   string
	SpillBytes int64
	// MaxUnwritten is how many entries may wait to be written, and MaxUnwrittenBytes how long their
	// texts may be. What exceeds that is marked, so that a disk that is slow or hangs costs no more
	// memory than that. 0 means 4,096 and 16 MiB.
	MaxUnwritten      int
	MaxUnwrittenBytes int64
	// CreateFile makes a segment of the spill file. Default: a file without a name.
	CreateFile func(dir string) (File, error)
}

// Buffer holds the events of one subscription: at most Capacity of them, in order, and behind them
// what did not fit.
type Buffer struct {
	capacity int
	overflow Overflow

	ring  fifo.Queue[Entry]
	lanes lanes.Lanes[Entry] // of the objects with an entry at a worker, or parked for a retry
	// othersNext: it is the turn of an object that has no lane.
	othersNext bool
	// folded are marks of what exceeds the room behind parked entries, by object.
	folded map[object.Key]*mark
	// recalled are entries that workers have asked for. Their objects are older than what the ring
	// has of them, so they go first.
	recalled fifo.Queue[Entry]
	// roomFreed: fewer entries have counted against the capacity since RoomFreed was last called.
	roomFreed bool

	backlog   []backlog
	spill     *spill     // nil unless the overflow is Spill, or once its file cannot be read
	closing   *spillFile // to be closed by a job
	summaries map[object.Key]*summary
	spillErr  error // why the spill file is not written, or not there, any more
	marks     map[object.Key]*mark
	// markOrder has all marks, and those that have moved up with their object's place in the
	// backlog, which are empty.
	markOrder fifo.Queue[*mark]

	coalesced uint64 // events that were merged into a mark and will never be seen on their own
	dropped   uint64 // events given up by Drop
	spilled   uint64 // events that were written to the spill file
	mistakes  uint64
}

// New makes a buffer. It takes no memory for its capacity before there are entries.
func New(cfg Config) *Buffer {
	b := &Buffer{capacity: cfg.Capacity, overflow: cfg.Overflow}
	b.lanes.MaxBehind = cfg.Capacity
	if cfg.Overflow == Spill {
		b.spill = newSpill(cfg)
	}
	return b
}

// held returns how many entries count against the capacity: those in the ring and in lanes, those
// with workers included, but neither parked ones nor those behind them.
func (b *Buffer) held() int { return b.ring.Len() + b.lanes.Held() }

// Offer takes an event. It refuses one only with Block; that has to be offered again.
func (b *Buffer) Offer(e Entry) (taken bool) {
	e.begin()
	// Once something waits behind the ring, everything goes behind that, or it could wait
	// indefinitely while others pass.
	if b.Idle() {
		b.ring.Push(e)
		return true
	}
	key := e.Object.Key()
	switch {
	case b.overflow == Block:
		return false
	case b.marks[key] != nil:
		b.mark(e)
		return true
	case b.overflow == Drop && !e.Initial:
		b.dropped++
		e.Forget()
		return true
	}
	b.putBehind(key, e)
	return true
}

// Dropped returns how many events were given up by Drop, the overflow policy.
func (b *Buffer) Dropped() uint64 { return b.dropped }

// Put takes an event whatever the policy is: if there is no room it is marked or spilled, and
// neither refused nor dropped.
func (b *Buffer) Put(e Entry) {
	e.begin()
	if b.Idle() {
		b.ring.Push(e)
		return
	}
	b.putBehind(e.Object.Key(), e)
}

// putBehind puts an entry behind the ring.
func (b *Buffer) putBehind(key object.Key, e Entry) {
	if b.overflow != Spill || b.spill == nil || len(b.marks) > 0 || !b.spillOver(key, e) {
		b.mark(e)
	}
}

// Behind reports whether an event of the object is marked or spilled, so that what joins would
// overtake it.
func (b *Buffer) Behind(key object.Key) bool {
	return b.marks[key] != nil || b.summaries[key] != nil
}

// waiting reports whether anything waits behind the ring.
func (b *Buffer) waiting() bool {
	return len(b.marks) > 0 || len(b.backlog) > 0 || b.spill.len() > 0
}

// Take returns the next entry that a worker may have. The worker's owner calls Done or Park for it.
// What comes from lanes, such as retries, takes turns with the rest, so that neither keeps the
// other waiting, however many there are.
func (b *Buffer) Take() (Entry, bool) {
	if !b.othersNext {
		if e, ok := b.nextInLane(); ok {
			b.othersNext = true
			return e, true
		}
	}
	e, ok := b.takeOther()
	if !ok {
		return b.nextInLane()
	}
	b.othersNext = false
	return e, true
}

// takeOther returns the next entry of an object that has no lane.
func (b *Buffer) takeOther() (Entry, bool) {
	for e, ok := b.recalled.Pop(); ok; e, ok = b.recalled.Pop() {
		if key := e.Object.Key(); b.lanes.Lane(key) == nil {
			b.lanes.Begin(key, int64(e.Since))
			return e, true
		}
		// Else a worker has the object now: what it does with it is newer.
	}
	for {
		e, ok := b.ring.Pop()
		if !ok {
			if b.promote(); b.ring.Len() > 0 { // lanes have left room
				continue
			}
			return Entry{}, false
		}
		key := e.Object.Key()
		if lane := b.lanes.Lane(key); lane != nil {
			b.lineUp(key, lane, e)
			continue
		}
		b.lanes.Begin(key, int64(e.Since))
		return e, true
	}
}

// nextInLane returns an entry whose turn has come in its object's lane.
func (b *Buffer) nextInLane() (Entry, bool) {
	e, ok := b.lanes.Next()
	if ok {
		b.lanes.Since(e.Object.Key(), int64(e.Since))
	}
	return e, ok
}

// Done frees the place of an object's entry that a worker had, and lets the next one go.
func (b *Buffer) Done(key object.Key) {
	lane := b.lanes.Lane(key)
	b.unfold(key, lane)
	b.lanes.Done(key, lane)
	b.promote()
}

// promote moves what waits behind the ring into the room there is. What is on disk comes when it
// has been read.
func (b *Buffer) promote() {
	for b.held() < b.capacity {
		switch {
		case len(b.backlog) > 0:
			b.enterInitial(b.nextOfBacklog())
		case b.spill.len() > 0:
			if waits := b.unspill(); waits {
				return
			}
		default:
			m, ok := b.markOrder.Pop()
			if !ok {
				return
			}
			if !m.empty() {
				b.enterMark(m)
			}
		}
	}
}

// Available returns how many entries Take may find, and never less than it finds.
func (b *Buffer) Available() int { return b.lanes.Ready() + b.recalled.Len() + b.ring.Len() }

// Empty reports whether nothing is left to do, entries at workers and parked ones included.
func (b *Buffer) Empty() bool {
	return b.held() == 0 && b.lanes.Parked() == 0 && b.recalled.Len() == 0 && !b.waiting()
}

// Room returns how many events there is room for before one is merged, spilled, dropped or refused.
func (b *Buffer) Room() int {
	if b.waiting() {
		return 0
	}
	return max(b.capacity-b.held(), 0)
}

// Idle reports whether there is room and nothing waits for it.
func (b *Buffer) Idle() bool { return b.Room() > 0 }

// Busy reports whether a worker has an entry of the object, or one is parked or ready.
func (b *Buffer) Busy(key object.Key) bool { return b.lanes.Lane(key) != nil }

// HandOut counts an entry that did not come from the buffer, of an object that is not Busy, as
// taken by a worker.
func (b *Buffer) HandOut(e *Entry) {
	e.begin()
	b.lanes.Begin(e.Object.Key(), int64(e.Since))
}

// RoomFreed reports whether Take has made room for another offer since this was last called.
func (b *Buffer) RoomFreed() bool {
	freed := b.roomFreed
	b.roomFreed = false
	return freed
}
