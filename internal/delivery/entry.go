package delivery

import (
	"errors"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Entry is what came of an event for one output. The worker that makes it sets its fields, and
// does not touch it after Offer.
type Entry struct {
	// Reports are what rules report. They are sent before the rest.
	Reports []Report
	// Wanted: something of the event itself is sent, and not only what rules report.
	Wanted bool
	// Messages are what a handler or an expression made. If there are none and the entry is wanted,
	// the event is sent as it is, by Builder.
	Messages []sink.Message
	Builder  *cloudevent.Builder
	Observed time.Time // when the event was taken
	// Failed is why an expression of the output has no answer for the messages: then they are dead
	// letters.
	Failed error

	// Replay is the dead letter that the entry comes of, nil if it comes of an event.
	Replay *Replay

	outbox  *Outbox
	offered time.Time
	// event is what the messages are about, if the entry is wanted: several, if entries were
	// merged.
	event   event.Event
	reports int   // how many of them have been sent, or refused
	sent    int   // the same of the messages, where the event as it is counts as one
	refused error // why a message is a dead letter
	// before: the messages are of an earlier event than the reports, and are sent before them.
	before bool
	// superseded: it is a replay of what the output need not take any more.
	superseded bool
	// released: reports of entries that were merged into this one have been released. They may be
	// owed again, and nothing else brings them.
	released bool
}

// Report is a message of a rule, and who has to know how it ended.
type Report struct {
	Message sink.Message
	Settler Settler // never nil
	Failed  error   // as in Entry
}

// Settler has to know how a rule's report ended.
type Settler interface {
	// Owed reports whether the report is still to be sent.
	Owed() bool
	// Took notes that the output has taken the report.
	Took(now time.Time)
	// Refused notes that the output will never take it.
	Refused(now time.Time)
	// Release notes that it was not sent after all.
	Release()
}

// Owed returns an entry for what rules owe to the output when it is sent.
func Owed() *Entry { return &Entry{released: true} }

// size returns the bytes that handlers and expressions made.
func (e *Entry) size() (bytes int64) {
	for i := range e.Messages {
		bytes += int64(len(e.Messages[i].Data))
	}
	return bytes
}

// release releases what was not sent of rules' reports, and reports whether there was any.
func (e *Entry) release() (any bool) {
	for _, r := range e.Reports[e.reports:] {
		r.Settler.Release()
		any = true
	}
	return any
}

// MergedInto implements the subscription's hook: the entry is merged into a later one of its
// object, which keeps what has to be sent all the same. It is called with the outbox locked.
func (e *Entry) MergedInto(later any) {
	l := later.(*Entry)
	if e.Replay != nil {
		e.Replay.End(Superseded, nil)
	}
	l.released = e.release() || e.released || l.released
	switch {
	case !e.Wanted:
		return
	case l.Wanted:
		l.event = merged(e.event, l.event)
		e.outbox.made.Add(-e.size())
		e.outbox.stats.merged.Add(1)
	default:
		// The later event itself is for rules alone.
		l.Wanted, l.event, l.before = true, e.event, true
		l.Messages, l.Builder, l.Observed, l.Failed = e.Messages, e.Builder, e.Observed, e.Failed
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
	return later
}

// Forgotten implements the subscription's hook: the entry is dropped.
func (e *Entry) Forgotten() {
	e.release()
	e.outbox.made.Add(-e.size())
	if e.Replay != nil {
		e.Replay.End(Failed, errDropped)
	}
	if e.Wanted {
		e.outbox.stats.dropped.Add(1)
	}
}

// errDropped is the error of a replay that was dropped.
var errDropped = errors.New("too much was waiting for the output, so it was dropped")
