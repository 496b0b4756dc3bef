package delivery

import (
	"errors"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
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
	missed  int   // events that were merged into this one, or missed before
	sent    int   // of reports and messages: how many have been sent, or refused
	refused error // why a message is a dead letter
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
	for i := e.sent; i < len(e.Reports); i++ {
		e.Reports[i].Settler.Release()
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
		l.missed += e.missed + 1
		e.outbox.made.Add(-e.size())
		e.outbox.stats.merged.Add(1)
	default:
		l.Wanted, l.Messages, l.missed = true, e.Messages, e.missed
		l.Builder, l.Observed, l.Failed = e.Builder, e.Observed, e.Failed
	}
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
