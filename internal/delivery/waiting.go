package delivery

import (
	"errors"
	"time"

	"github.com/informerd/informerd/internal/ledger"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/informer/event"
)

// waiting is an entry in an outbox. There is one for each event and output that wait, so what few
// entries have is apart.
type waiting struct {
	outbox   *Outbox
	by       *Maker
	observed time.Time
	offered  time.Duration // after observed
	// event is what the messages are about, if the entry is wanted: several, if entries were
	// merged.
	event event.Event
	rare  *rare // nil: nothing of it
	mark  ledger.Mark

	sent   int32 // messages that have been sent, or refused, where the event as it is counts as one
	wanted bool
	// before: the messages are of an earlier event than the reports, and are sent before them.
	before bool
	// superseded: it is a replay of what the output need not take any more.
	superseded bool
	// released: reports of entries that were merged into this one have been released. They may be
	// owed again, and nothing else brings them.
	released bool
}

// rare is what few entries have.
type rare struct {
	reports  []Report
	known    time.Time // when rules had noted all of them at the latest
	told     int       // how many of them have been sent, or refused
	reported bool      // the output has taken one of them
	messages []sink.Message
	failed   error
	replay   *Replay
	trace    *tracing.Trace
	refused  error // why a message is a dead letter
	tried    int32 // attempts of an earlier outbox, until a sender has the entry
	// earlier makes the message of the earlier event, if the messages are of one. By still makes
	// what is owed.
	earlier *Maker
	// later is the event that the reports are of if the messages are of an earlier one.
	later *event.Event
}

// nothing is what most entries have. Nobody changes it.
var nothing rare

// has returns what the entry has of what few have.
func (w *waiting) has() *rare {
	if w.rare == nil {
		return &nothing
	}
	return w.rare
}

// own returns the same, to be changed.
func (w *waiting) own() *rare {
	if w.rare == nil {
		w.rare = &rare{}
	}
	return w.rare
}

// waiting returns the entry of an event as outboxes keep it.
func (e *Entry) waiting(about event.Event) *waiting {
	w := &waiting{by: e.By, observed: e.Observed, event: about, wanted: e.Wanted, mark: e.Mark,
		released: e.released}
	if w.observed.IsZero() {
		w.observed = time.Now()
	}
	if e.Reports != nil || e.Messages != nil || e.Failed != nil || e.Replay != nil ||
		e.Trace != nil {
		w.rare = &rare{reports: e.Reports, messages: e.Messages, failed: e.Failed,
			replay: e.Replay, trace: e.Trace}
	}
	if e.Reports != nil {
		w.rare.known = time.Now()
	}
	return w
}

// offeredAt returns when the entry was offered.
func (w *waiting) offeredAt() time.Time { return w.observed.Add(w.offered) }

// size returns the bytes that handlers and expressions made.
func (w *waiting) size() (bytes int64) {
	if w.rare == nil {
		return 0
	}
	for i := range w.rare.messages {
		bytes += int64(len(w.rare.messages[i].Data))
	}
	return bytes
}

// release releases what was not sent of rules' reports, and reports whether there was any.
func (w *waiting) release() (any bool) {
	if w.rare == nil {
		return false
	}
	for ; w.rare.told < len(w.rare.reports); w.rare.told++ {
		w.rare.reports[w.rare.told].Settler.Release()
		any = true
	}
	return any
}

// MergedInto implements the subscription's hook: the entry is merged into a later one of its
// object, which keeps what has to be sent all the same. It is called with the outbox locked.
func (w *waiting) MergedInto(later any) {
	l := later.(*waiting)
	w.mergeInto(l)
	w.outbox.keeping.merged(w, l)
}

func (w *waiting) mergeInto(l *waiting) {
	replay := w.has().replay
	if replay != nil {
		replay.End(Superseded, nil)
	}
	l.released = w.release() || w.released || l.released
	switch {
	case !w.wanted:
		l.event.Arrived = l.event.Arrived.Earlier(w.event.Arrived) // of its reports, which l sends
		return
	case l.wanted || replay != nil:
		if replay == nil { // else the output has had the event, or its letter
			l.event = merged(w.event, l.event)
		}
		w.outbox.made.Add(-w.size())
		w.outbox.stats.merged.Add(1)
	default:
		// The later event itself is for rules alone.
		offered, later := l.offeredAt(), l.event
		l.own().later = &later
		l.wanted, l.event, l.before, l.mark = true, w.event, true, w.mark
		l.event.Arrived = w.event.Arrived.Earlier(later.Arrived)
		l.observed, l.offered = w.observed, offered.Sub(w.observed)
		l.own().earlier = w.maker()
		if has := w.has(); has.messages != nil || has.failed != nil {
			l.own().messages, l.own().failed = has.messages, has.failed
		}
	}
}

// merged returns one event for two of an object, as package informer merges events.
func merged(earlier, later event.Event) event.Event {
	switch {
	case later.Op == event.Delete || earlier.Object.UID() != later.Object.UID():
	case earlier.Op == event.Add:
		later.Op, later.Old, later.Initial = event.Add, nil, earlier.Initial
	case earlier.Op == event.Update:
		later.Op, later.Old = event.Update, earlier.Old
	}
	later.Missed += earlier.Missed + 1
	later.Arrived = later.Arrived.Earlier(earlier.Arrived)
	later.Resumed = later.Resumed || earlier.Resumed
	return later
}

// Forgotten implements the subscription's hook: the entry is dropped.
func (w *waiting) Forgotten() {
	w.release()
	w.outbox.keeping.end(w)
	w.outbox.made.Add(-w.size())
	if replay := w.has().replay; replay != nil {
		replay.End(Failed, errDropped)
	}
	if w.wanted {
		w.outbox.stats.dropped.Add(1)
		w.outbox.cfg.Ledger.End(w.mark, ledger.Dropped)
	}
}

// errDropped is the error of a replay that was dropped.
var errDropped = errors.New("too much was waiting for the output, so it was dropped")
