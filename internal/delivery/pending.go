package delivery

import (
	"errors"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Pending is what came of an event for one output, from the worker that makes it to the sender that
// ends it. There is one for each event and output that wait, so what few have is apart. It is the
// outbox's once it was offered.
type Pending struct {
	// By makes what is made when it is sent. May be nil if there are Messages, and no rules.
	By       *Maker
	Observed time.Time // when the event was taken
	*Extra             // nil: nothing of it

	outbox *Outbox
	kept   *kept // what cuts have of it; nil: nothing. The outbox's keeping guards it.
	// event is what the messages are about, if it is wanted: several, if some were merged.
	event    event.Event
	offered  time.Duration      // after Observed
	delivery *informer.Delivery // while a sender has it

	sent int32 // messages that have been sent, or refused, where the event as it is counts as one
	// Wanted: something of the event itself is sent, and not only what rules report.
	Wanted bool
	// reporting: the current message is a report.
	reporting bool
	// before: the messages are of an earlier event than the reports, and are sent before them.
	before bool
	// released: reports of what was merged into this one have been released, or one was settled
	// that others, which were released, have waited for. They may be due, and nothing else brings
	// them.
	released bool
}

// Extra is what few have.
type Extra struct {
	// Reports are what rules report. They are sent before the rest.
	Reports []Report
	// Messages are what a handler or an expression made. If there are none and the event is wanted,
	// it is sent as it is.
	Messages []sink.Message
	// Failed is why an expression of the output has no answer for the messages: then they are dead
	// letters.
	Failed error
	// Trace is that of the event, nil if it is not traced.
	Trace *tracing.Trace
	// Replay is the dead letter that it comes of, nil if it comes of an event.
	Replay *Replay

	known    time.Time     // when rules had noted all reports at the latest
	settled  int           // reports that have been sent, or refused
	reported bool          // the output has taken one of them
	refused  error         // why a message is a dead letter
	try      *tracing.Send // of the current message; nil if that is not traced
	// superseded: it is a replay of what the output need not take any more.
	superseded bool
	// earlier makes the message of the earlier event, if the messages are of one. By still makes
	// what is due.
	earlier *Maker
	// later is the event that the reports are of if the messages are of an earlier one.
	later *event.Event
}

// Maker makes messages when they are sent, as the configuration wanted them that the event was
// handled by. Events share it.
type Maker struct {
	// Builder makes the message of an event that is sent as it is.
	Builder *cloudevent.Builder
	// DueReports returns the reports of rules about the event's object that the output is due and
	// that are not on their way. It is asked when some were merged away. Nil if there are no rules.
	DueReports func(event.Event) []Report
}

// Report is a message of a rule, and who has to know how it ended.
type Report struct {
	Message sink.Message
	Settler Settler // never nil
	Failed  error   // as in Extra
}

// Settler has to know how a rule's report ended.
type Settler interface {
	// Confirm reports whether the report is still to be sent. If not, it is released.
	Confirm() bool
	// Took notes that the output has taken the report.
	Took(now time.Time)
	// Refused notes that the output will never take it.
	Refused(now time.Time)
	// Release notes that it was not sent after all.
	Release()
}

// DueReports returns what asks for the reports that rules owe to the output when it is sent.
func DueReports(by *Maker) *Pending { return &Pending{By: by, released: true} }

// SetTrace has the sends be part of a trace.
func (p *Pending) SetTrace(t *tracing.Trace) { p.own().Trace = t }

// Of returns the entry of an event that an outbox takes. p is the outbox's from here on.
func (p *Pending) Of(e event.Event) informer.Entry {
	p.event = e
	if p.Observed.IsZero() {
		p.Observed = time.Now()
	}
	if p.Extra != nil && p.Reports != nil {
		p.known = time.Now()
	}
	return informer.Entry{Event: e, Progress: p}
}

// nothing is what most have. Nobody changes it.
var nothing Extra

// extra returns what is to be read of what few have.
func (p *Pending) extra() *Extra {
	if p.Extra == nil {
		return &nothing
	}
	return p.Extra
}

// own returns the same, to be changed.
func (p *Pending) own() *Extra {
	if p.Extra == nil {
		p.Extra = &Extra{}
	}
	return p.Extra
}

// offeredAt returns when it was offered.
func (p *Pending) offeredAt() time.Time { return p.Observed.Add(p.offered) }

// size returns the bytes that handlers and expressions made.
func (p *Pending) size() (bytes int64) {
	for i := range p.extra().Messages {
		bytes += int64(len(p.Messages[i].Data))
	}
	return bytes
}

// next sets m, which is zero, to the next message that is still to be sent, and returns why it
// cannot be. A sender has it.
func (p *Pending) next(m *sink.Message) (failed error, ok bool) {
	p.reporting = false
	if replay := p.extra().Replay; replay != nil && replay.Superseded() {
		p.superseded = true
		p.release()
		return nil, false
	}
	if p.before && p.nextMessage(m) {
		return p.Failed, true
	}
	if failed, ok = p.nextReport(m); ok {
		return failed, true
	}
	// What was merged away, or may not be sent yet, may be due now.
	if p.released && p.By != nil && p.By.DueReports != nil {
		p.released = false
		if due := p.By.DueReports(p.delivery.Event); len(due) > 0 {
			p.own().Reports = append(p.own().Reports, due...)
			p.known = time.Now()
		}
		if failed, ok = p.nextReport(m); ok {
			return failed, true
		}
	}
	return p.extra().Failed, p.nextMessage(m)
}

// nextReport sets m to the next report that is still to be sent.
func (p *Pending) nextReport(m *sink.Message) (failed error, ok bool) {
	if p.Extra == nil {
		return nil, false
	}
	for ; p.settled < len(p.Reports); p.settled++ {
		r := &p.Reports[p.settled]
		// To the receiver of a retired outbox the rules owe nothing any more: what waited is a
		// letter, also of a sender that has begun before.
		due := r.Settler.Confirm()
		if due || p.outbox.retired.Load() {
			p.reporting = true
			*m = r.Message
			if !due {
				return errRemoved, true
			}
			return r.Failed, true
		}
		p.released = true
	}
	return nil, false
}

// nextMessage sets m to the next message that is not a report.
func (p *Pending) nextMessage(m *sink.Message) (ok bool) {
	messages := p.extra().Messages
	switch {
	case !p.Wanted:
		return false
	case int(p.sent) < len(messages):
		*m = messages[p.sent]
		m.Missed, m.Resumed = int(p.event.Missed), p.event.Resumed
		return true
	case p.sent == 0:
		p.maker().Builder.SetEvent(m, p.event, p.Observed)
		return true
	}
	return false
}

// maker returns what makes the message of the event.
func (p *Pending) maker() *Maker {
	if p.before {
		return p.earlier
	}
	return p.By
}

// settler returns whom the end of the current message concerns, nil if it is not a report.
func (p *Pending) settler() Settler {
	if !p.reporting {
		return nil
	}
	return p.Reports[p.settled].Settler
}

// pass notes that the current message was sent, or refused.
func (p *Pending) pass() {
	if p.reporting {
		p.released = true
		p.settled++
		return
	}
	p.sent++
	p.outbox.keeping.sent(p)
}

// release releases what was not sent of rules' reports, and reports whether there was any.
func (p *Pending) release() (any bool) {
	if p.Extra == nil {
		return false
	}
	for ; p.settled < len(p.Reports); p.settled++ {
		p.Reports[p.settled].Settler.Release()
		any = true
	}
	return any
}

// MergedInto implements informer.Progress: it is merged into a later one of its object, which keeps
// what has to be sent all the same. It is called with the outbox locked.
func (p *Pending) MergedInto(later informer.Progress) {
	l := later.(*Pending)
	p.mergeInto(l)
	p.outbox.keeping.merged(p, l)
}

func (p *Pending) mergeInto(l *Pending) {
	replay := p.extra().Replay
	if replay != nil {
		replay.End(Superseded, nil)
	}
	l.released = p.release() || p.released || l.released
	switch {
	case !p.Wanted:
		l.event.Arrived = l.event.Arrived.Earlier(p.event.Arrived) // of its reports, which l sends
		return
	case l.Wanted || replay != nil:
		if replay == nil { // else the output has had the event, or its letter
			l.event = merged(p.event, l.event)
		}
		p.outbox.made.Add(-p.size())
		p.outbox.stats.merged.Add(1)
	default:
		// The later event itself is for rules alone.
		offered, later := l.offeredAt(), l.event
		l.own().later = &later
		l.Wanted, l.event, l.before = true, p.event, true
		l.event.Arrived = p.event.Arrived.Earlier(later.Arrived)
		l.Observed, l.offered = p.Observed, offered.Sub(p.Observed)
		l.earlier = p.maker()
		if x := p.extra(); x.Messages != nil || x.Failed != nil {
			l.Messages, l.Failed = x.Messages, x.Failed
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

// Forgotten implements informer.Progress: the event is dropped.
func (p *Pending) Forgotten() {
	p.release()
	p.outbox.keeping.end(p)
	p.outbox.made.Add(-p.size())
	if replay := p.extra().Replay; replay != nil {
		replay.End(Failed, errDropped)
	}
	if p.Wanted {
		p.outbox.stats.dropped.Add(1)
	}
}

// errDropped is the error of a replay that was dropped.
var errDropped = errors.New("too much was waiting for the output, so it was dropped")
