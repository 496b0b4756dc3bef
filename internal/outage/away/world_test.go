package away

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// workers is how many each listener has. They may have some events that the outboxes do not have.
const (
	workers     = 2
	withWorkers = workers * 32
)

// capacity is how many events a listener's buffer and each of its outboxes have room for.
const capacity = 1024

// listener is a route, and where it gets its events.
type listener struct {
	name   string
	events *informer.Subscription
	route  *route.Route
	// ledgers are those of its outputs' receivers, in their order.
	ledgers []*ledger
	ended   chan error
}

// world is the objects and the listeners that get their events.
type world struct {
	random    *rand.Rand
	objects   []*object.Object // the last state of each; nil: it is gone
	versions  []int            // of that, or of its delete
	violates  []bool
	offered   []time.Time // by version
	version   int
	listeners []*listener
	lines     atomic.Int64 // of the log
}

func newWorld(objects, events int) *world {
	return &world{random: rand.New(rand.NewPCG(15, 0)), objects: make([]*object.Object, objects),
		versions: make([]int, objects), violates: make([]bool, objects),
		offered: make([]time.Time, objects+events+1)}
}

// Put implements delivery.Letters: there are no dead letters.
func (w *world) Put(context.Context, deadletter.Letter) (string, error) {
	panic("a dead letter")
}

// lines counts the lines of a log.
type lines struct {
	slog.Handler
	n *atomic.Int64
}

func (l lines) Enabled(context.Context, slog.Level) bool { return true }

func (l lines) Handle(context.Context, slog.Record) error {
	l.n.Add(1)
	return nil
}

// receive returns an output and its receiver.
func (w *world) receive(name string) (*delivery.Output, *receiver) {
	r := &receiver{ledgers: map[string]*ledger{}}
	return delivery.NewOutput(name, r, slog.New(lines{slog.DiscardHandler, &w.lines})), r
}

// listen begins a listener with a rule.
func (w *world) listen(t *testing.T, name string, outputs ...*delivery.Output) *listener {
	l := &listener{name: name, ended: make(chan error, 1)}
	deny, err := rules.Compile(rules.Definition{Name: "bad",
		Deny: filters.Expression{Text: `object.spec.bad == true`}})
	if err != nil {
		t.Fatal(err)
	}
	if l.events, err = informer.NewSubscription(informer.SubscriptionConfig{Name: name,
		Capacity: capacity}); err != nil {
		t.Fatal(err)
	}
	p := &route.Pipeline{Rules: rules.NewBook([]*rules.Rule{deny}, len(outputs))}
	if p.Messages, err = cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: name, Resource: "things"}); err != nil {
		t.Fatal(err)
	}
	for _, out := range outputs {
		p.Outputs = append(p.Outputs, route.Output{To: out})
		own := &ledger{offered: w.offered, known: make([]known, len(w.objects))}
		out.Sink.(*receiver).ledgers[name] = own
		l.ledgers = append(l.ledgers, own)
	}
	if l.route, err = route.New(route.Config{Name: name, Subscription: l.events, Pipeline: p,
		Retry:   route.Retry{Attempts: 5, MinBackoff: time.Second, MaxBackoff: time.Minute},
		Workers: workers, Letters: w, Buffer: route.Buffer{Capacity: capacity},
		Log: slog.New(lines{slog.DiscardHandler, &w.lines})}); err != nil {
		t.Fatal(err)
	}
	go func() { l.ended <- l.route.Run(t.Context()) }()
	w.listeners = append(w.listeners, l)
	return l
}

// change changes an object, and offers the event to all listeners. Odd objects are violated at
// times.
func (w *world) change(t *testing.T, i int) {
	w.version++
	old := w.objects[i]
	op, uid := event.Add, fmt.Sprint("u", w.version)
	if old != nil {
		op, uid = event.Update, old.UID()
		if w.random.IntN(20) == 0 {
			op = event.Delete
		}
	}
	w.violates[i] = i%2 == 1 && op != event.Delete && w.random.IntN(2) == 0
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Thing",`+
		`"metadata":{"name":"o%d","namespace":"shop","uid":"%s","resourceVersion":"%d"},`+
		`"spec":{"bad":%t,"text":"%0*d"}}`, i, uid, w.version, w.violates[i], text, w.version))
	if err != nil {
		t.Fatal(err)
	}
	e := event.Event{Op: op, Object: o}
	w.objects[i], w.versions[i], w.offered[w.version] = o, w.version, time.Now()
	switch op {
	case event.Update:
		e.Old = old
	case event.Delete:
		w.objects[i] = nil
	}
	for _, l := range w.listeners {
		if _, err := l.events.Offer(e, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// text is how long the text of each object is.
const text = 400

// heap returns the bytes in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
