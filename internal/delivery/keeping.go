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

	mu      sync.Mutex // guards what follows, and Pending.kept
	number  uint64     // of the last entry
	cut     uint64     // entries up to this number may be in cuts
	entries keptList   // each is kept of one Pending
	changed keptList   // since the last cut
	free    []*kept    // at most maxFree, to be used again
}

// keptList has entries in no order. Each knows its place in the list, since maps take three times
// as long (BenchmarkKeep).
type keptList struct {
	all  []*kept
	kind int // which one of kept.places is of this list
}

func (l *keptList) add(e *kept) {
	if e.places[l.kind] == 0 {
		l.all = append(l.all, e)
		e.places[l.kind] = len(l.all)
	}
}

func (l *keptList) remove(e *kept) {
	place, last := e.places[l.kind], len(l.all)-1
	if place == 0 {
		return
	}
	moved := l.all[last]
	l.all[place-1], moved.places[l.kind] = moved, place
	l.all[last], e.places[l.kind] = nil, 0
	l.all = l.all[:last]
}

func (l *keptList) clear() {
	for _, e := range l.all {
		e.places[l.kind] = 0
	}
	clear(l.all)
	l.all = l.all[:0]
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
	places            [2]int // in lists, from 1; 0: in none
}

// maxFree is how many of those that have ended are used again.
const maxFree = 64

// set makes it a copy of an entry that nobody else has, but for its places.
func (e *kept) set(p *Pending, number uint64) {
	has := p.extra()
	*e = kept{places: e.places, number: number, event: p.event, later: has.later, messages: has.Messages,
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
		if p.extra().Replay == nil && p.kept == nil {
			k.number++
			p.kept = &kept{}
			if last := len(k.free) - 1; last >= 0 {
				p.kept, k.free = k.free[last], k.free[:last]
			}
			p.kept.set(p, k.number)
			k.entries.add(p.kept)
			k.changed.add(p.kept)
		}
	}
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
	e := p.kept
	if e == nil {
		return
	}
	p.kept, e.ended = nil, true
	k.entries.remove(e)
	if e.number <= k.cut {
		k.changed.add(e)
		return
	}
	k.changed.remove(e)
	if *e = (kept{}); len(k.free) < maxFree {
		k.free = append(k.free, e)
	}
}

// merged notes that an entry was merged into a later one, which takes its place if it is not kept
// itself. Neither is with a sender.
func (k *keeping) merged(from, into *Pending) {
	if !k.on {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	attempts := int32(0)
	if into.kept != nil {
		k.remove(from)
		attempts = into.kept.attempts
	} else {
		into.kept, from.kept = from.kept, nil
	}
	if e := into.kept; e != nil {
		counted := e.counted
		e.set(into, e.number)
		e.attempts, e.counted = attempts, counted
		k.changed.add(e)
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
	if e := p.kept; e != nil {
		how(e)
		k.changed.add(e)
	}
}
