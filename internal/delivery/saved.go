package delivery

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Backlog is what an outbox had not sent. The zero value is empty.
type Backlog struct {
	entries map[uint64]*kept
}

// ReadBacklog returns the backlog of which an outbox has written the records.
func ReadBacklog(records map[event.Key]record.Record) (*Backlog, error) {
	l, counted := &Backlog{entries: make(map[uint64]*kept, len(records))}, 0
	for key, r := range records {
		if key.Namespace != "" {
			counted++
			continue
		}
		number, err := strconv.ParseUint(key.Name, 36, 64)
		var e *kept
		if err == nil {
			e, err = readEntry(r)
		}
		if counts, has := records[countsKey(key)]; has && err == nil {
			counted--
			err = e.readCounts(counts)
		}
		if err != nil {
			return nil, fmt.Errorf("the unsent messages are damaged: %w: %w", record.ErrDamaged, err)
		}
		e.number, e.recorded = number, true
		l.entries[number] = e
	}
	if counted != 0 {
		return nil, fmt.Errorf("the unsent messages are damaged: %w: one is missing", record.ErrDamaged)
	}
	return l, nil
}

// countsKey is the key of an entry's counts. Those of entries have no namespace.
func countsKey(entry event.Key) event.Key {
	return event.Key{Namespace: "counts", Name: entry.Name}
}

// Len returns how many entries there are.
func (l *Backlog) Len() int { return len(l.entries) }

// Events returns the events, each object's in their order. A report of a rule is none: it was offered
// before its event.
func (l *Backlog) Events() iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		for _, number := range slices.Sorted(maps.Keys(l.entries)) {
			if e := l.entries[number]; e.wanted && !yield(e.event) {
				return
			}
		}
	}
}

// Cut writes the entries that have changed since the cut before into a part, and reports whether
// there are any; without Keep there are none. The first cut has everything; that of a restored
// outbox has what has changed since. It holds senders up for a copy of what has changed, without
// texts. Do not call it twice at a time.
func (o *Outbox) Cut(to record.Writer, part string) bool {
	k := &o.keeping
	k.mu.Lock()
	if len(k.changed.all) == 0 {
		k.mu.Unlock()
		return false
	}
	changed := make([]kept, 0, len(k.changed.all))
	for _, e := range k.changed.all {
		changed = append(changed, *e)
		e.recorded, e.counted = true, e.hasCounts()
	}
	k.changed.clear()
	k.cut = k.number
	k.mu.Unlock()
	save(to, part, changed)
	return true
}

// Whole writes all entries into a part, which has none. What Cut writes stays as it was, so that
// its cuts can follow those before this one as well as this one.
func (o *Outbox) Whole(to record.Writer, part string) {
	k := &o.keeping
	k.mu.Lock()
	all := make([]kept, 0, len(k.entries.all))
	for _, e := range k.entries.all {
		all = append(all, *e)
		all[len(all)-1].recorded = false
		e.counted = e.hasCounts()
	}
	k.cut = k.number
	k.mu.Unlock()
	save(to, part, all)
}

// savedEntry is the value of an entry's record. Numbers of objects are places in the record.
type savedEntry struct {
	_              struct{} `cbor:",toarray"`
	Wanted, Report bool
	Observed       time.Time
	Offered        time.Duration
	Event          savedEvent
	Later          *savedEvent
	Failed         *string
	Messages       []savedMessage
}

// savedCounts is the value of the record of what senders change of an entry.
type savedCounts struct {
	_              struct{} `cbor:",toarray"`
	Sent, Attempts int32
	Refused        bool
}

type savedEvent struct {
	_                          struct{} `cbor:",toarray"`
	Op                         event.Op
	Initial, FinalStateUnknown bool
	Missed                     int32
	Resumed                    bool
	Object, Old                int
}

// savedMessage is a message, but for its origin, which is the present listener's.
type savedMessage struct {
	_                                   struct{} `cbor:",toarray"`
	ID, Type, Subject                   string
	Time                                time.Time
	Op                                  event.Op
	ResourceVersion, OldResourceVersion string
	UID                                 string
	Initial, FinalStateUnknown          bool
	Missed                              int
	Resumed                             bool
	Handler                             string
	Body                                sink.Body
	Data                                string
	Object, Old                         int
}

// save writes entries, each object's in their order.
func save(to record.Writer, part string, entries []kept) {
	slices.SortFunc(entries, func(a, b kept) int { return cmp.Compare(a.number, b.number) })
	w := saving{}
	for i := range entries {
		k := &entries[i]
		key := event.Key{Name: strconv.FormatUint(k.number, 36)}
		if k.ended {
			to.Delete(part, key)
			if k.counted {
				to.Delete(part, countsKey(key))
			}
			continue
		}
		if !k.recorded {
			w.objects = w.objects[:0]
			w.entry(k)
			to.Put(part, key, &w.saved, w.objects)
		}
		if k.hasCounts() {
			w.counts = savedCounts{Sent: k.sent, Attempts: k.attempts, Refused: k.refused}
			to.Put(part, countsKey(key), &w.counts, nil)
		}
	}
}

// saving makes the value of a record, and its objects.
type saving struct {
	saved   savedEntry
	counts  savedCounts
	objects []*object.Object
}

func (w *saving) entry(k *kept) {
	messages := w.saved.Messages[:0]
	w.saved = savedEntry{Wanted: k.wanted,
		Report: k.reports, Observed: k.observed, Offered: k.offered, Event: w.event(&k.event)}
	if k.later != nil {
		w.saved.Later = new(w.event(k.later))
	}
	if k.failed != nil {
		w.saved.Failed = new(k.failed.Error())
	}
	for i := range k.messages {
		m := &k.messages[i]
		messages = append(messages, savedMessage{ID: m.ID, Type: m.Type, Subject: m.Subject,
			Time: m.Time, Op: m.Op, ResourceVersion: m.ResourceVersion,
			OldResourceVersion: m.OldResourceVersion, UID: m.UID, Initial: m.Initial,
			FinalStateUnknown: m.FinalStateUnknown, Missed: m.Missed, Resumed: m.Resumed,
			Handler: m.Handler, Body: m.Body, Data: m.Data,
			Object: w.object(m.Object), Old: w.object(m.Old)})
	}
	w.saved.Messages = messages
}

func (w *saving) event(e *event.Event) savedEvent {
	return savedEvent{Op: e.Op, Initial: e.Initial, FinalStateUnknown: e.FinalStateUnknown,
		Missed: e.Missed, Resumed: e.Resumed, Object: w.object(e.Object), Old: w.object(e.Old)}
}

// object returns the number of an object, 0 for nil. Most messages have those of their event.
func (w *saving) object(o *object.Object) int {
	if o == nil {
		return 0
	}
	at := slices.Index(w.objects, o)
	if at < 0 {
		at = len(w.objects)
		w.objects = append(w.objects, o)
	}
	return at + 1
}

func readEntry(r record.Record) (*kept, error) {
	var s savedEntry
	if err := r.Decode(&s); err != nil {
		return nil, err
	}
	e := &kept{wanted: s.Wanted,
		reports: s.Report, observed: s.Observed, offered: s.Offered}
	var err error
	if e.event, err = s.Event.read(r); err != nil {
		return nil, err
	}
	if s.Later != nil {
		later, err := s.Later.read(r)
		if err != nil {
			return nil, err
		}
		e.later = &later
	}
	if s.Failed != nil {
		e.failed = errors.New(*s.Failed)
	}
	for i := range s.Messages {
		m, err := s.Messages[i].read(r)
		if err != nil {
			return nil, err
		}
		e.messages = append(e.messages, m)
	}
	return e, nil
}

// hasCounts reports whether there are counts, or cuts have some.
func (e *kept) hasCounts() bool { return e.counted || e.sent > 0 || e.attempts > 0 || e.refused }

func (e *kept) readCounts(r record.Record) error {
	var s savedCounts
	if err := r.Decode(&s); err != nil {
		return err
	}
	if s.Sent < 0 || s.Attempts < 0 {
		return record.ErrDamaged
	}
	e.sent, e.attempts, e.refused, e.counted = s.Sent, s.Attempts, s.Refused, true
	return nil
}

func (s *savedEvent) read(r record.Record) (event.Event, error) {
	o, old, err := objects(r, s.Op, s.Object, s.Old)
	return event.Event{Op: s.Op, Initial: s.Initial, FinalStateUnknown: s.FinalStateUnknown,
		Missed: s.Missed, Resumed: s.Resumed, Object: o, Old: old}, err
}

func (s *savedMessage) read(r record.Record) (sink.Message, error) {
	o, old, err := objects(r, s.Op, s.Object, s.Old)
	if s.Body != sink.BodyObject && s.Body != sink.BodyData {
		err = record.ErrDamaged
	}
	return sink.Message{ID: s.ID, Type: s.Type, Subject: s.Subject, Time: s.Time, Op: s.Op,
		ResourceVersion: s.ResourceVersion, OldResourceVersion: s.OldResourceVersion, UID: s.UID,
		Initial: s.Initial, FinalStateUnknown: s.FinalStateUnknown, Missed: s.Missed,
		Resumed: s.Resumed, Handler: s.Handler, Body: s.Body, Data: s.Data,
		Object: o, Old: old}, err
}

// objects returns the object and the state before of what has an operation.
func objects(r record.Record, op event.Op, object, old int) (is, was *object.Object, err error) {
	is, err = r.Object(object)
	if err == nil {
		was, err = r.Object(old)
	}
	if err == nil && (is == nil || !slices.Contains(event.Ops, op)) {
		err = record.ErrDamaged
	}
	return is, was, err
}
