package delivery

import (
	"sync"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// keeping notes what an outbox has not sent, for its cuts. It has copies: an entry belongs to the
// queue or to a sender, who change it without a lock.
type keeping struct {
	on bool // else nothing is kept

	mu      sync.Mutex // guards what follows
	number  uint64     // of the last entry
	cut     uint64     // entries up to this number may be in cuts
	entries map[*Pending]*kept
	changed map[uint64]*kept // since the last cut, by number
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
	reports  bool // there were some: they may be owed
	// What cuts have: all but the counts, and the counts, which are what a sender changes.
	recorded, counted bool
	ended             bool
}

// newKept returns a copy of an entry that nobody else has.
func newKept(p *Pending, number uint64) *kept {
	has := p.extra()
	return &kept{number: number, event: p.event, later: has.later, messages: has.Messages,
		failed: has.Failed, observed: p.Observed, offered: p.offered, sent: p.sent,
		refused: has.refused != nil, wanted: p.Wanted,
		reports: p.released || len(has.Reports) > 0}
}

// begin keeps what is being offered. Replays are kept by their letters.
func (k *keeping) begin(offered []informer.Entry) {
	if !k.on {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range offered {
		p := offered[i].Progress.(*Pending)
		if p.extra().Replay == nil && k.entries[p] == nil {
			k.number++
			k.put(p, k.number, 0, false)
		}
	}
}

// put notes an entry as it is now, how many attempts have failed, and whether cuts have counts of
// its number. The caller holds mu.
func (k *keeping) put(p *Pending, number uint64, attempts int32, counted bool) {
	e := newKept(p, number)
	e.attempts, e.counted = attempts, counted
	k.entries[p], k.changed[number] = e, e
}

// end forgets an entry that has ended, or was not taken.
func (k *keeping) end(p *Pending) {
	if !k.on {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.remove(p)
}

// remove is end for a caller that holds mu.
func (k *keeping) remove(p *Pending) {
	e := k.entries[p]
	switch {
	case e == nil:
		return
	case e.number <= k.cut:
		e.ended, k.changed[e.number] = true, e
	default:
		delete(k.changed, e.number)
	}
	delete(k.entries, p)
}

// merged notes that an entry was merged into a later one, which takes its place if it is not kept
// itself. Neither is with a sender.
func (k *keeping) merged(from, into *Pending) {
	if !k.on {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	f, i := k.entries[from], k.entries[into]
	switch {
	case i != nil:
		k.remove(from)
		k.put(into, i.number, i.attempts, i.counted)
	case f != nil:
		delete(k.entries, from)
		k.put(into, f.number, 0, f.counted)
	}
}

// sent notes how many messages of a sender's entry have been sent.
func (k *keeping) sent(p *Pending) {
	k.goesOn(p, func(e *kept) { e.sent, e.refused = p.sent, p.extra().refused != nil })
}

// tried notes how many attempts to send a sender's entry have failed.
func (k *keeping) tried(p *Pending, attempts int) {
	k.goesOn(p, func(e *kept) { e.attempts = int32(attempts) })
}

func (k *keeping) goesOn(p *Pending, how func(*kept)) {
	if !k.on {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.entries[p]; e != nil {
		how(e)
		k.changed[e.number] = e
	}
}
