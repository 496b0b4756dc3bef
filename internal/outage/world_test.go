package outage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/webhook"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

const objects = 30

// change is an event of the model.
type change struct {
	name, uid string
	version   int
	op        event.Op
	violates  bool
	at        time.Time // when the listeners were offered it
	faulty    bool      // during the fault
}

// model is a random history of objects. Odd ones are violated by the rule at times.
type model struct {
	random  *rand.Rand
	version int
	live    map[string]*object.Object
	all     []change
}

func (m *model) init(r *rand.Rand) { m.random, m.live = r, map[string]*object.Object{} }

// next makes the next event.
func (m *model) next() (change, event.Event, error) {
	m.version++
	i := m.random.IntN(objects)
	c := change{name: fmt.Sprint("o", i), version: m.version}
	old := m.live[c.name]
	c.uid = "u" + strconv.Itoa(m.version)
	c.op = event.Add
	if old != nil {
		c.uid, c.op = old.UID(), event.Update
		if m.random.IntN(6) == 0 {
			c.op = event.Delete
		}
	}
	c.violates = i%2 == 1 && m.random.IntN(2) == 0 && c.op != event.Delete
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": c.name, "namespace": "shop", "uid": c.uid,
			"resourceVersion": strconv.Itoa(c.version)},
		"spec": map[string]any{"bad": c.violates}})
	if err != nil {
		return c, event.Event{}, err
	}
	o, err := (&object.Parser{}).Parse(text)
	if err != nil {
		return c, event.Event{}, err
	}
	e := event.Event{Op: c.op, Object: o, Old: old}
	switch c.op {
	case event.Delete:
		e.Old = nil
		delete(m.live, c.name)
	default:
		m.live[c.name] = o
	}
	return c, e, nil
}

// output is one of a listener, with what its receiver and the store of dead letters took.
type output struct {
	name string
	*receiver
}

// listener is a route, and its outputs.
type listener struct {
	name     string
	overflow informer.Overflow
	outputs  []output
	route    *route.Route
	events   *informer.Subscription
}

// Put implements delivery.Letters: a letter is in the ledger of its output.
func (l *listener) Put(_ context.Context, letter deadletter.Letter) (string, error) {
	for _, o := range l.outputs {
		if o.name == letter.Output {
			o.take(letter.Message, true)
		}
	}
	return "letter", nil
}

// plan is what a run draws.
type plan struct {
	fault    fault
	overflow informer.Overflow
	capacity int
	workers  int
	mode     webhook.Mode
	slowly   bool
	from, to int // the events during which there is the fault
}

const events = 200

func draw(r *rand.Rand, f fault) plan {
	p := plan{fault: f, capacity: []int{8, 32, 512}[r.IntN(3)], workers: 1 + r.IntN(3),
		slowly: r.IntN(2) == 0, overflow: informer.OverflowLatest,
		mode: []webhook.Mode{webhook.Structured, webhook.Batch, webhook.Batch}[r.IntN(3)],
		from: 60 + r.IntN(20)}
	p.to = p.from + 60 + r.IntN(40)
	if r.IntN(4) == 0 {
		p.overflow = informer.OverflowDrop
	}
	return p
}

// world is one run.
type world struct {
	plan
	model     model
	listeners []*listener
}

func (w *world) open(t *testing.T, certs certificates) {
	deny, err := rules.Compile(rules.Definition{Name: "bad", Deny: filters.Expression{
		Text: `object.spec.bad == true`}})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*listener{
		{name: "both", overflow: w.overflow, outputs: []output{
			{"faulty", receive(t, w.fault, certs, w.slowly)},
			{"healthy", receive(t, none, certs, false)}}},
		{name: "other", outputs: []output{{"healthy", receive(t, none, certs, false)}}},
	} {
		w.listeners = append(w.listeners, l)
		if l.events, err = informer.NewSubscription(informer.SubscriptionConfig{Name: l.name,
			Capacity: 2 * events}); err != nil {
			t.Fatal(err)
		}
		p := &route.Pipeline{Rules: rules.NewBook([]*rules.Rule{deny}, len(l.outputs))}
		if p.Messages, err = cloudevent.NewBuilder(
			sink.Origin{Cluster: "c", Listener: l.name, Resource: "pods"}); err != nil {
			t.Fatal(err)
		}
		for _, o := range l.outputs {
			s, err := webhook.New(webhook.Config{URL: secret.Literal(o.url), Mode: w.mode,
				Timeout: o.kind.timeout(), TLS: certs.files})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close(context.Background()) })
			p.Outputs = append(p.Outputs, route.Output{
				To: delivery.NewOutput(o.name, s, slog.New(slog.DiscardHandler))})
		}
		if l.route, err = route.New(route.Config{Name: l.name, Subscription: l.events, Pipeline: p,
			Retry: route.Retry{Attempts: 3, MinBackoff: 5 * time.Millisecond,
				MaxBackoff: 50 * time.Millisecond}, Workers: w.workers, Letters: l,
			Buffer: route.Buffer{Capacity: w.capacity, Overflow: l.overflow},
			Log:    slog.New(slog.NewTextHandler(io.Discard, nil))}); err != nil {
			t.Fatal(err)
		}
	}
}

// run has everything happen, and returns when all is quiet.
func (w *world) run(t *testing.T) {
	var group sync.WaitGroup
	defer group.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	for _, l := range w.listeners {
		group.Go(func() {
			if err := l.route.Run(ctx); err != nil {
				t.Errorf("%s: %v", l.name, err)
			}
		})
	}
	bad := w.listeners[0].outputs[0].receiver
	for i := range events {
		if i == w.from {
			bad.fail(t, true)
		}
		if i == w.to {
			bad.fail(t, false)
		}
		c, e, err := w.model.next()
		if err != nil {
			t.Fatal(err)
		}
		c.at, c.faulty = time.Now(), i >= w.from && i < w.to
		w.model.all = append(w.model.all, c)
		for _, l := range w.listeners {
			if _, err := l.events.Offer(e, nil); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Duration(w.model.random.IntN(11)) * time.Millisecond)
	}
	for _, l := range w.listeners {
		if err := l.route.Drain(ctx); err != nil {
			t.Errorf("%s is not delivered after a minute: %+v", l.name, l.route.Stats().Outputs)
		}
	}
}
