package stress

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// ledger is the deliveries that one listener got.
type ledger struct {
	resyncs bool // the listener has asked for them

	mu     sync.Mutex
	keys   map[event.Key]*history
	epoch  int // registrations of the listener that ended
	counts counts
}

type counts struct {
	deliveries, retried, done                      uint64
	missed, initials, tombstones, deletes, resyncs uint64 // of the finished ones
}

// history is a ledger's content for one object name.
type history struct {
	records []record
	busy    bool // a worker is handling an event of it
}

// record is one delivery.
type record struct {
	op                         event.Op
	initial, finalStateUnknown bool
	missed                     int
	uid                        string
	version                    uint64
	old                        uint64 // version of Event.Old
	number                     string
	attempt                    int
	retried                    bool // the worker requested a retry
	overlaps                   bool // another delivery of the object was not yet done
	epoch                      int
	at                         time.Time
}

func newLedger(resyncs bool) *ledger {
	return &ledger{resyncs: resyncs, keys: map[event.Key]*history{}}
}

// begin records a delivery to a worker, and returns the number of deliveries so far.
func (l *ledger) begin(d *informer.Delivery, at time.Time) (nth uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.deliveries++
	if ours(d.Object.Key()) {
		h := l.keys[d.Object.Key()]
		if h == nil {
			h = &history{}
			l.keys[d.Object.Key()] = h
		}
		h.records = append(h.records, newRecord(d, l.epoch, h.busy, at))
		h.busy = true
	}
	return l.counts.deliveries
}

// end records the worker's result of a delivery, before it is returned.
func (l *ledger) end(d *informer.Delivery, retried bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.keys[d.Object.Key()]; h != nil {
		h.records[len(h.records)-1].retried = retried
		h.busy = false
	}
	if retried {
		l.counts.retried++
	} else {
		l.counts.add(d.Event)
	}
}

func (c *counts) add(e event.Event) {
	c.done++
	c.missed += uint64(e.Missed)
	if e.Initial {
		c.initials++
	}
	switch {
	case e.Op == event.Resync:
		c.resyncs++
	case e.Op == event.Delete && e.FinalStateUnknown:
		c.tombstones++
		fallthrough
	case e.Op == event.Delete:
		c.deletes++
	}
}

// renew starts a new registration, which knows nothing. No worker has an event of the previous one,
// except the caller.
func (l *ledger) renew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch++
}

func (l *ledger) snapshot() (counts, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts, l.epoch
}

func newRecord(d *informer.Delivery, epoch int, overlaps bool, at time.Time) record {
	r := record{
		op: d.Op, initial: d.Initial, finalStateUnknown: d.FinalStateUnknown, missed: int(d.Missed),
		// Cloned, so that a ledger does not keep the texts of all objects alive.
		uid: strings.Clone(d.Object.UID()), version: versionOf(d.Object),
		number:  strings.Clone(numberOf(d.Object)),
		attempt: d.Attempt, overlaps: overlaps, epoch: epoch, at: at,
	}
	if d.Old != nil {
		r.old = versionOf(d.Old)
	}
	return r
}

// versionOf returns the object's version, or 0 if it is not a number, which no API server sends.
func versionOf(o *object.Object) uint64 {
	n, err := strconv.ParseUint(o.ResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func numberOf(o *object.Object) string { return o.Value().Get("data").Get(numberField).Text() }

// known returns the objects that exist as far as the listener knows.
func (l *ledger) known() final {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := final{}
	for key, h := range l.keys {
		if last := h.records[len(h.records)-1]; last.op != event.Delete && last.epoch == l.epoch {
			f[key] = identity{last.uid, last.version}
		}
	}
	return f
}

// of returns a copy of the history of one object name.
func (l *ledger) of(key event.Key) *history {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.keys[key]; h != nil {
		return &history{records: slices.Clone(h.records)}
	}
	return &history{}
}

// check returns the first error in the deliveries of one object name. written is the true history,
// and end the final state.
func (l *ledger) check(h *history, written lives, end identity) error {
	var is identity              // the object that exists as far as the listener knows
	last := map[string]uint64{}  // the last version of each uid
	deleted := map[string]bool{} // by uid
	epoch := 0
	var failed *record // waiting for its retry
	for i := range h.records {
		r := &h.records[i]
		if r.overlaps {
			return fmt.Errorf("%s came while the previous event was being handled", r)
		}
		if r.epoch != epoch {
			epoch, is, failed = r.epoch, identity{}, nil
		}
		if failed != nil || r.attempt > 1 {
			if failed == nil || r.attempt != failed.attempt+1 || r.state() != failed.state() {
				return fmt.Errorf("%s came instead of the retry of %s", r, failed)
			}
		} else if err := l.follows(r, is, last, deleted); err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
		if err := written.real(*r); err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
		failed = nil
		if r.retried {
			failed = r
		}
		last[r.uid] = r.version
		is = identity{r.uid, r.version}
		if r.op == event.Delete {
			deleted[r.uid] = true
			is = identity{}
		}
	}
	if epoch != l.epoch {
		is, failed = identity{}, nil
	}
	if failed != nil {
		return fmt.Errorf("%s was never retried", failed)
	}
	if is != end {
		return fmt.Errorf("the listener ends with %s, but the server has %s", is, end)
	}
	return nil
}

// follows checks that r can be the next event for a listener that knows is.
func (l *ledger) follows(r *record, is identity, last map[string]uint64,
	deleted map[string]bool) error {
	switch {
	case deleted[r.uid]:
		return errors.New("the object had been deleted")
	case r.version < last[r.uid]:
		return fmt.Errorf("the object was at %d before", last[r.uid])
	case r.op != event.Update && r.old != 0:
		return errors.New("only an update has an old state")
	}
	switch r.op {
	case event.Add:
		if is != (identity{}) {
			return fmt.Errorf("there was no delete of %s", is)
		}
	case event.Update:
		switch {
		case is.uid != r.uid:
			return fmt.Errorf("the listener knew %s", is)
		case r.version == is.version:
			return errors.New("nothing has changed")
		case r.old != is.version:
			return fmt.Errorf("it starts from %d, but the listener knew %s", r.old, is)
		}
	case event.Delete:
		switch {
		case is == (identity{}) && r.missed == 0:
			return errors.New("the listener never got the object, and missed nothing")
		case is != (identity{}) && is.uid != r.uid:
			return fmt.Errorf("the listener knew %s", is)
		}
	case event.Resync:
		switch {
		case !l.resyncs:
			return errors.New("the listener did not ask for resyncs")
		case is != (identity{r.uid, r.version}):
			return fmt.Errorf("the listener knew %s", is)
		}
	}
	return nil
}

// state returns the fields that must be the same in a retry.
func (r *record) state() record {
	return record{op: r.op, initial: r.initial, finalStateUnknown: r.finalStateUnknown,
		missed: r.missed,
		uid:    r.uid, version: r.version, old: r.old, number: r.number}
}

func (r *record) String() string {
	if r == nil {
		return "nothing"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of uid %s at %d", r.op, r.uid, r.version)
	note := func(when bool, format string, args ...any) {
		if when {
			fmt.Fprintf(&b, ", "+format, args...)
		}
	}
	note(r.old != 0, "old %d", r.old)
	note(r.initial, "initial")
	note(r.finalStateUnknown, "final state unknown")
	note(r.missed > 0, "missed %d", r.missed)
	note(r.attempt > 1, "attempt %d", r.attempt)
	note(r.retried, "failed")
	note(r.epoch > 0, "registration %d", r.epoch+1)
	return b.String()
}

func (h *history) String() string {
	var b strings.Builder
	for i := max(0, len(h.records)-lastLines); i < len(h.records); i++ {
		fmt.Fprintf(&b, "  %s %s\n", h.records[i].at.Format("15:04:05.000"), &h.records[i])
	}
	return b.String()
}
