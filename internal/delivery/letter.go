package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Describe completes a letter with what it is about: where it comes from, and the event.
func Describe(l deadletter.Letter, from *sink.Origin, e event.Event) deadletter.Letter {
	o := e.Object
	l.Listener, l.Cluster, l.Resource = from.Listener, from.Cluster, from.Resource
	l.Group, l.Version, l.Plural, l.Kind = from.Group, from.Version, from.Plural, from.Kind
	l.Namespace, l.Name = o.Namespace(), o.Name()
	l.UID, l.ResourceVersion = o.UID(), o.ResourceVersion()
	if e.Op != 0 {
		l.Op = e.Op.String()
	}
	l.Initial, l.FinalStateUnknown = e.Initial, e.FinalStateUnknown
	l.Missed, l.Resumed = int(e.Missed), e.Resumed
	l.Object = textOf(o)
	if e.Old != nil {
		l.Old = textOf(e.Old)
	}
	return l
}

func textOf(o *object.Object) json.RawMessage { return o.AppendJSON(nil) }

// eventOf returns the event that a message is about.
func eventOf(m *sink.Message) event.Event {
	return event.Event{Op: m.Op, Object: m.Object, Old: m.Old, Initial: m.Initial,
		FinalStateUnknown: m.FinalStateUnknown, Missed: int32(m.Missed), Resumed: m.Resumed}
}

// withMessage adds the message that was not taken.
func withMessage(l deadletter.Letter, m sink.Message) deadletter.Letter {
	l.Message, l.Handler = cloudevent.Append(nil, m), m.Handler
	if m.Report != nil {
		l.Rule, l.Since = m.Report.Rule, m.Report.Since
		l.Resolved, l.Text = !m.Report.Violated, m.Report.Message
	}
	return l
}

// Letters is where dead letters go. A *deadletter.Store is one.
type Letters interface {
	// Put stores a letter, and returns its ID once it is safe. Without room it fails at once, with
	// deadletter.ErrDropped if the caller is not to try again.
	Put(ctx context.Context, l deadletter.Letter) (id string, err error)
}

// Store stores a letter and returns its ID. One that is larger than all of a namespace is stored
// without the texts of its event, so that it is known at least that there was one. Dropping a
// letter because the user chose that is not an error, and then there is no ID.
func Store(ctx context.Context, to Letters, l deadletter.Letter) (id string, err error) {
	id, err = to.Put(ctx, l)
	if errors.Is(err, deadletter.ErrTooLarge) && !errors.Is(err, deadletter.ErrDropped) {
		l.Object, l.Old, l.Message = nil, nil, nil
		id, err = to.Put(ctx, l)
	}
	if errors.Is(err, deadletter.ErrDropped) {
		return "", nil
	}
	return id, err
}

// Replay is a dead letter on its way to outputs again. What came of its event has one entry for
// each output.
type Replay struct {
	// Letter is the ID of the letter. What an output refuses again takes its place.
	Letter string
	// Superseded reports whether the output has taken something newer than the letter meanwhile.
	// Then the letter is not sent.
	Superseded func() bool
	// Ended is called once, when all entries have ended.
	Ended func(Result, error)

	mu      sync.Mutex // guards what follows
	pending int        // entries
	result  Result     // the worst so far
	err     error
}

// Result is what became of a replay.
type Result uint8

// The results, in the order in which the worse one counts if there are several outputs.
const (
	Delivered  Result = iota
	Filtered          // nothing of it is to be sent
	Superseded        // something newer was delivered already
	Failed            // it is a dead letter again, or still
)

// Begin notes an entry of the replay. The caller notes itself as well, so that nothing ends before
// all entries have begun.
func (r *Replay) Begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending++
}

// End notes that an entry has ended, or the caller of Begin.
func (r *Replay) End(result Result, err error) {
	r.mu.Lock()
	if result > r.result {
		r.result, r.err = result, err
	}
	r.pending--
	over := r.pending == 0
	r.mu.Unlock()
	if over {
		r.Ended(r.result, r.err)
	}
}

// replaced removes the letter from its store, since another one is in its place.
func (r *Replay) replaced(in Letters) error {
	store, ok := in.(interface {
		Delete(ids ...string) (int, error)
	})
	if r == nil || !ok {
		return nil
	}
	_, err := store.Delete(r.Letter)
	return err
}

// View sets what an output's expressions see of a message.
func View(v *filters.Message, m *sink.Message) {
	*v = filters.Message{
		Event:   eventOf(m),
		Cluster: m.Origin.Cluster, ClusterLabels: m.Origin.ClusterLabels,
		Listener: m.Origin.Listener, Resource: m.Origin.Resource,
		Namespace: m.Object.Namespace(), Name: m.Object.Name(), UID: m.UID,
		Type: m.Type, ID: m.ID, Subject: m.Subject,
	}
	if m.Body == sink.BodyData {
		v.Data = m.Data
	}
	if r := m.Report; r != nil {
		v.Rule, v.Severity, v.Message = r.Rule, r.Severity, r.Message
		v.Violated, v.Since = r.Violated, r.Since
	}
}
