package delivery

import (
	"sync"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
)

// keeping notes what an outbox has not sent, for its cuts. It has copies: an entry belongs to the
// queue or to a sender, who change it without a lock.
type keeping struct {
	on bool // else nothing is kept

	mu      sync.Mutex // guards what follows
	number  uint64     // of the last entry
	cut     uint64     // entries up to this number may be in cuts
	entries map[*waiting]*kept
	changed map[uint64]*kept // since the last cut, by number; nil: it has ended
}

// kept is an entry as cuts have it.
type kept struct {
	number   uint64 // those of an object rise
	event    event.Event
	later    *event.Event   // that reports are of, if the messages are of an earlier one; else nil
	messages []sink.Message // nobody changes them
	failed   error
	observed time.Time
	offered  time.Duration // after observed
	sent     int32
	attempts int32 // that have failed
	refused  bool  // some of it is a dead letter
	wanted   bool
	reports  bool   // there were some: they may be owed
	extent   extent // of what has changed since the last cut
}

// extent is how much of an entry has changed.
type extent uint8

const (
	extentNone  extent = iota // in a cut: the entry has ended
	extentCount               // sent, attempts and refused
	extentAll
)

// newKept returns a copy of an entry that nobody else has.
func newKept(w *waiting, number uint64) *kept {
	has := w.has()
	return &kept{number: number, event: w.event, later: has.later, messages: has.messages,
		failed: has.failed, observed: w.observed, offered: w.offered, sent: w.sent,
		attempts: has.tried, refused: has.refused != nil, wanted: w.wanted,
		reports: w.released || len(has.reports) > 0}
}

// begin keeps what is being offered. Replays are kept by their letters.
func (k *keeping) begin(offered []Offering) {
	if !k.on {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range offered {
		w := offered[i].Progress.(*waiting)
		if w.has().replay == nil && k.entries[w] == nil {
			k.number++
			k.put(w, k.number)
		}
	}
}

// put notes an entry as it is now. The caller holds mu.
func (k *keeping) put(w *waiting, number uint64) {
	e := newKept(w, number)
	e.extent = extentAll
	k.entries[w], k.changed[number] = e, e
}

// end forgets an entry that has ended, or was not taken.
func (k *keeping) end(w *waiting) {
	if !k.on {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.remove(w)
}

// remove is end for a caller that holds mu.
func (k *keeping) remove(w *waiting) {
	e := k.entries[w]
	switch {
	case e == nil:
		return
	case e.number <= k.cut:
		k.changed[e.number] = nil
	default:
		delete(k.changed, e.number)
	}
	delete(k.entries, w)
}

// merged notes that an entry was merged into a later one, which takes its place if it is not kept
// itself. Neither is with a sender.
func (k *keeping) merged(from, into *waiting) {
	if !k.on {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	f, i := k.entries[from], k.entries[into]
	switch {
	case i != nil:
		k.remove(from)
		k.put(into, i.number)
	case f != nil:
		delete(k.entries, from)
		k.put(into, f.number)
	}
}

// sent notes how many messages of a sender's entry have been sent.
func (k *keeping) sent(w *waiting) {
	k.goesOn(w, func(e *kept) { e.sent, e.refused = w.sent, w.has().refused != nil })
}

// tried notes how many attempts to send a sender's entry have failed.
func (k *keeping) tried(w *waiting, attempts int) {
	k.goesOn(w, func(e *kept) { e.attempts = int32(attempts) })
}

func (k *keeping) goesOn(w *waiting, how func(*kept)) {
	if !k.on {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.entries[w]; e != nil {
		how(e)
		e.extent = max(e.extent, extentCount)
		k.changed[e.number] = e
	}
}
