package delivery

import (
	"time"

	"github.com/informerd/informerd/internal/ledger"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Entry is what came of an event for one output. The worker that makes it sets its fields. It is
// the worker's again after Prepare or Offer.
type Entry struct {
	// Reports are what rules report. They are sent before the rest.
	Reports []Report
	// Wanted: something of the event itself is sent, and not only what rules report.
	Wanted bool
	// Messages are what a handler or an expression made. If there are none and the entry is wanted,
	// the event is sent as it is.
	Messages []sink.Message
	// By makes what is made when the entry is sent. May be nil if there are Messages, and no rules.
	By       *Maker
	Observed time.Time // when the event was taken
	// Failed is why an expression of the output has no answer for the messages: then they are dead
	// letters.
	Failed error

	// Trace is that of the event, nil if it is not traced.
	Trace *tracing.Trace

	// Mark is that of the event in the ledger, which notes how a wanted entry ended.
	Mark ledger.Mark

	// Replay is the dead letter that the entry comes of, nil if it comes of an event.
	Replay *Replay

	released bool
}

// Maker makes messages when an entry is sent, as the configuration wanted them that the entry's
// event was handled by. Entries share it.
type Maker struct {
	// Builder makes the message of an event that is sent as it is.
	Builder *cloudevent.Builder
	// Owed returns the reports of rules about the event's object that the output is owed and that
	// are not on their way. It is asked when some were merged away. Nil if there are no rules.
	Owed func(event.Event) []Report
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
func Owed(by *Maker) *Entry { return &Entry{By: by, released: true} }
