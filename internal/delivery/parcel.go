package delivery

import (
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/informer"
)

// parcel is an entry that a sender has.
type parcel struct {
	*informer.Delivery
	entry *waiting
	// report is the settler of the current message; nil if that is not a report.
	report Settler
	try    *tracing.Send // of the current message; nil if that is not traced
}

// next sets m, which is zero, to the parcel's next message that is still to be sent, and returns
// why it cannot be.
func (p *parcel) next(m *sink.Message) (failed error, ok bool) {
	e := p.entry
	if replay := e.has().replay; replay != nil && replay.Superseded() {
		e.superseded = true
		e.release()
		return nil, false
	}
	p.report = nil
	if e.before && e.nextMessage(m) {
		return e.has().failed, true
	}
	if failed, ok = p.nextReport(m); ok {
		return failed, true
	}
	// What was merged away, or may not be sent yet, may be owed now.
	if e.released && e.by != nil && e.by.Owed != nil {
		e.released = false
		if owed := e.by.Owed(p.Event); len(owed) > 0 {
			e.own().reports = append(e.own().reports, owed...)
			e.own().known = time.Now()
		}
		if failed, ok = p.nextReport(m); ok {
			return failed, true
		}
	}
	return e.has().failed, e.nextMessage(m)
}

// nextReport sets m to the next report that is still to be sent. Those that are not are released.
func (p *parcel) nextReport(m *sink.Message) (failed error, ok bool) {
	e := p.entry.rare
	if e == nil {
		return nil, false
	}
	for ; e.told < len(e.reports); e.told++ {
		r := &e.reports[e.told]
		// To the receiver of a retired outbox the rules owe nothing any more: what waited is a
		// letter, also of a sender that has begun before.
		owed := r.Settler.Owed()
		if owed || p.entry.outbox.retired.Load() {
			p.report = r.Settler
			*m = r.Message
			if !owed {
				return errRemoved, true
			}
			return r.Failed, true
		}
		r.Settler.Release()
		p.entry.released = true
	}
	return nil, false
}

// nextMessage sets m to the next message that is not a report.
func (w *waiting) nextMessage(m *sink.Message) (ok bool) {
	messages := w.has().messages
	switch {
	case !w.wanted:
		return false
	case int(w.sent) < len(messages):
		*m = messages[w.sent]
		m.Missed, m.Resumed = int(w.event.Missed), w.event.Resumed
		return true
	case w.sent == 0:
		w.maker().Builder.SetEvent(m, w.event, w.observed)
		return true
	}
	return false
}

// maker returns what makes the message of the entry's event.
func (w *waiting) maker() *Maker {
	if w.before {
		return w.rare.earlier
	}
	return w.by
}

// pass notes that the parcel's current message was sent, or refused.
func (p *parcel) pass() {
	if p.report != nil {
		p.entry.rare.told++
	} else {
		p.entry.sent++
		p.entry.outbox.keeping.sent(p.entry)
	}
}
