package delivery

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// ErrVersion is the error of a cut that another version of informerd has made.
var ErrVersion = errors.New("this informerd cannot read the format of the unsent messages")

// ErrDamaged is the error of bytes that are not a cut.
var ErrDamaged = errors.New("the unsent messages are damaged")

// ReadObject reads what an [AppendObject] has appended, and nothing more.
type ReadObject func(text []byte) (*object.Object, error)

// Backlog is what an outbox had not sent, as its cuts have it. The zero value is empty.
type Backlog struct {
	number  uint64
	entries map[uint64]*kept
}

// Len returns how many entries there are.
func (l *Backlog) Len() int { return len(l.entries) }

// Objects returns the objects of events, in no order. A report of a rule is none: it was offered
// before its event.
func (l *Backlog) Objects() iter.Seq[*object.Object] {
	return func(yield func(*object.Object) bool) {
		for _, e := range l.entries {
			if e.wanted && !yield(e.event.Object) {
				return
			}
		}
	}
}

// Apply adds a cut. Those of an outbox are added in their order, beginning with its first one or
// one that [Outbox.Whole] has made. The error is [ErrVersion], [ErrDamaged] or that of an object;
// then the backlog is as it was.
func (l *Backlog) Apply(cut []byte, with ReadObject) error {
	r := reading{codec.NewReader(cut), with}
	if version := r.Byte(); len(cut) > 0 && version != cutVersion {
		return fmt.Errorf("%w: it has version %d, and version %d is known", ErrVersion, version,
			cutVersion)
	}
	whole, number := r.Bool(), r.Uint()
	if !whole && number < l.number {
		r.Fail(codec.ErrDamaged)
	}
	var entries []*kept
	for range r.Count() {
		e := r.entry()
		if e.number > number || e.extent == extentCount && (whole || l.entries[e.number] == nil) {
			r.Fail(codec.ErrDamaged)
		}
		if r.Err() != nil {
			break
		}
		entries = append(entries, e)
	}
	if err := r.End(); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if whole || l.entries == nil {
		l.entries = map[uint64]*kept{}
	}
	l.number = number
	for _, e := range entries {
		switch e.extent {
		case extentNone:
			delete(l.entries, e.number)
		case extentCount:
			before := l.entries[e.number]
			before.sent, before.attempts, before.refused = e.sent, e.attempts, e.refused
		default:
			e.extent = extentNone
			l.entries[e.number] = e
		}
	}
	return nil
}

// reading reads the parts of a cut.
type reading struct {
	*codec.Reader
	with ReadObject
}

func (r reading) entry() *kept {
	e := &kept{number: r.Uint(), extent: extent(r.Byte())}
	if e.number == 0 || e.extent > extentAll {
		r.Fail(codec.ErrDamaged)
	}
	if e.extent == extentNone {
		return e
	}
	e.sent, e.attempts, e.refused = int32(r.Small()), int32(r.Small()), r.Bool()
	if e.extent != extentAll {
		return e
	}
	e.wanted, e.reports = r.Bool(), r.Bool()
	e.observed, e.offered = r.Time(), time.Duration(r.Int())
	e.event = r.event()
	if before := r.Bool(); before {
		later := r.event()
		e.later = &later
	}
	if failed, text := r.Bool(), r.Text(); failed {
		e.failed = errors.New(text)
	}
	for range r.Count() {
		m := r.message(&e.event)
		if r.Err() != nil {
			break
		}
		e.messages = append(e.messages, m)
	}
	return e
}

func (r reading) event() (e event.Event) {
	e.Op, e.Initial, e.FinalStateUnknown = r.op(), r.Bool(), r.Bool()
	e.Missed, e.Resumed = int32(r.Small()), r.Bool()
	e.Object, e.Old = r.object(), r.optional()
	return e
}

func (r reading) op() event.Op {
	op := event.Op(r.Byte())
	if !slices.Contains(event.Ops, op) {
		r.Fail(codec.ErrDamaged)
	}
	return op
}

func (r reading) object() *object.Object {
	text := r.Bytes()
	if r.Err() != nil {
		return nil
	}
	o, err := r.with(text)
	if err != nil {
		r.Fail(fmt.Errorf("an object cannot be read: %w", err))
	}
	return o
}

func (r reading) optional() *object.Object {
	if !r.Bool() {
		return nil
	}
	return r.object()
}

func (r reading) message(of *event.Event) (m sink.Message) {
	for _, text := range []*string{&m.ID, &m.Type, &m.Subject, &m.ResourceVersion,
		&m.OldResourceVersion, &m.UID, &m.Handler, &m.Data} {
		*text = r.Text()
	}
	m.Time, m.Op, m.Body = r.Time(), r.op(), sink.Body(r.Byte())
	if m.Body != sink.BodyObject && m.Body != sink.BodyData {
		r.Fail(codec.ErrDamaged)
	}
	m.Initial, m.FinalStateUnknown = r.Bool(), r.Bool()
	m.Missed, m.Resumed = r.Small(), r.Bool()
	if same := r.Bool(); same {
		m.Object, m.Old = of.Object, of.Old
		return m
	}
	m.Object, m.Old = r.object(), r.optional()
	return m
}
