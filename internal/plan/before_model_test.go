package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/condition/conditiontest"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// What is decided before the buffer refuses nothing that a listener's route would make something
// of, whatever select, filter, rules and ops it has; and where it says that nothing is left to
// decide, the route refuses nothing either. The rules have seen the state before the event.
func TestNothingWantedIsRefusedBeforeTheBuffer(t *testing.T) {
	refused, wantedOnes, completeOnes, ruled := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := asked{}
		var judged []*rules.Rule
		for i := range rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2, 3}).Draw(t, "rules") {
			text := expression(t, "deny", ofObject, rapid.IntRange(0, 2).Draw(t, "depth"))
			rule, err := rules.Compile(rules.Definition{Name: fmt.Sprint("r", i),
				Deny: filters.Expression{Text: text}})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			judged, a.denies = append(judged, rule), append(a.denies, rule.Deny())
		}
		if a.on = condition.EveryOp; rapid.Bool().Draw(t, "some ops") {
			a.on = 0
			for _, op := range rapid.SliceOfNDistinct(rapid.SampledFrom(event.Ops[:]), 1, 4,
				rapid.ID[event.Op]).Draw(t, "on") {
				a.on = a.on.With(op)
			}
		}
		if rapid.Bool().Draw(t, "has select") {
			a.selects = drawn(t, filters.KindSelect,
				expression(t, "select", ofObject, rapid.IntRange(0, 2).Draw(t, "depth")))
		}
		if rapid.Bool().Draw(t, "has filter") {
			a.filter = drawn(t, filters.KindFilter,
				expression(t, "filter", slices.Concat(ofObject, ofEvent),
					rapid.IntRange(0, 2).Draw(t, "depth")))
		}
		a.quiet = len(judged) > 0 && rapid.Bool().Draw(t, "quiet")
		b, deliveries := a.decide(), rapid.SliceOfN(rapid.Custom(drawDelivery), 1, 8).Draw(t,
			"events")
		for i := range deliveries {
			d := &deliveries[i]
			// Each on its own, as they do not follow from each other: nothing is to be remembered
			// of the one before.
			wanted := a.outcome(t, d, judged)
			wantedOnes += wanted.times
			switch allowed := b.allows(d); {
			case !allowed && wanted.times > 0:
				t.Fatalf("%s refuses %s, which is wanted", said(b), describe(d))
			case !allowed && len(judged) > 0:
				ruled++
			case !allowed:
				refused++
			case b.Never:
				t.Fatalf("%s lets %s in", said(b), describe(d))
			case b.Complete && wanted.times == 0 && !wanted.odd:
				t.Fatalf("%s lets %s in, which is not wanted", said(b), describe(d))
			case b.Complete:
				completeOnes++
			}
		}
	})
	if !testing.Short() && (refused == 0 || wantedOnes == 0 || completeOnes == 0 || ruled == 0) {
		t.Errorf("%d refused, %d of rules, %d wanted, %d complete: this test says nothing", refused,
			ruled, wantedOnes, completeOnes)
	}
}

var (
	ofObject = []string{
		`label("a") == "x"`, `label("a") != "x"`, `label("a") in ["x", "y"]`,
		`label("a") not in ["x", ""]`, `label("a") == nil`, `label("b") != nil`,
		`object.metadata.labels.b == "x"`, `"b" in object.metadata.labels`,
		`object.metadata.namespace == "shop"`, `object.metadata.namespace != ""`,
		`object.metadata.name in ["p", "q"]`, `object.metadata.name != "p"`,
		`object.status.phase == "Running"`, `object.status.phase != "Running"`,
		`object.status.phase in ["Pending", ""]`, `object.spec.n > 1`, `object.spec.n == nil`,
		`object.spec.hostname != "h"`, `true`, `false`,
		// The same, written in other ways.
		`"x" == label("a")`, `object["metadata"]?.labels?.["a"] == "x"`,
		`(object.metadata).labels["a"] != "x"`, `(object?.metadata?.labels)["b"] in ["x", nil]`,
		`(label("a") ?? "x") == "x"`, `(label("a") == "x") == true`, `(label("a") == "x") != true`,
		`"a" not in object["metadata"]?.labels`, `"labels" in object.metadata`,
		`label("a") == label("b")`, `label("a") startsWith "x"`, `label("a") matches "^x"`,
		`object.metadata["name"] == "p"`, `"shop" != object.metadata["namespace"]`,
		`object["status"]["phase"] == "Running"`, `nil == object.metadata.labels.a`,
		// What is known of texts, numbers and lists.
		`object.metadata.name startsWith "p"`, `!(object.spec.hostname endsWith "h")`,
		`object.status.phase contains "n"`, `object.spec.n <= 1`, `!(object.spec.n > 1)`,
		`object.spec.n != 1`, `object.spec.n in [1, "text"]`,
		`object.spec.hostname != nil`, `any(object.spec.list, .k == "x")`,
		`none(object.spec.list, .k startsWith "x" && label("a") == "x")`,
		`all(object.spec.list, .k == "x" || object.spec.n > 1)`, `"hostname" in object.spec`,
		`(object.spec.n == nil ? label("a") == "x" : object.metadata.name == "p")`,
		`condition("Ready").status != "True"`, `condition("Ready").status == "True"`,
		`(let l = object.metadata.labels; l.a == "x")`, `findLast([label("a")], true) == "x"`,
		`label("a") in ["é", "x"]`,
	}
	ofEvent = []string{
		`op == "add"`, `op != "delete"`, `op in ["update", "resync"]`, `changed("metadata.labels")`,
		`changed("status.phase")`, `became(label("a") == "x")`,
		`became(object.status.phase == "Running")`, `old.metadata.labels.a == "x"`, `initial`, `resumed`,
		`changed("spec")`, `changed("spec.n", "status")`, `object.spec.n != old.spec.n`,
		`old.spec.n > 1`, `old.spec.n == nil`, `became(object.spec.n > 1)`,
		`became(any(object.spec.list, .k == "x"))`,
		`op == "delete" || changed("status.phase")`, `op == "add" && object.spec.n == 1`,
		`object.metadata.labels.a == old.metadata.labels.a`,
	}
)

// expression combines atoms.
func expression(t *rapid.T, what string, atoms []string, depth int) string {
	kind := "atom"
	if depth > 0 {
		kind = rapid.SampledFrom([]string{"atom", "atom", "and", "or", "not", "choice"}).Draw(t,
			what+" form")
	}
	below := func() string { return expression(t, what, atoms, depth-1) }
	switch kind {
	case "and":
		return "(" + below() + " && " + below() + ")"
	case "or":
		return "(" + below() + " || " + below() + ")"
	case "not":
		return "!(" + below() + ")"
	case "choice":
		return "((" + below() + ") ? (" + below() + ") : (" + below() + "))"
	}
	return rapid.SampledFrom(atoms).Draw(t, what)
}

func drawn(t *rapid.T, kind filters.Kind, text string) *filters.Filter {
	f, err := filters.Compile(filters.Expression{Text: text, Kind: kind})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

// object is one of few, so that they meet what expressions ask for.
func newObject(t *rapid.T, namespace, name, version string) *object.Object {
	one := func(what string, values ...string) string {
		return rapid.SampledFrom(values).Draw(t, what)
	}
	var labels []string
	for _, key := range []string{"a", "b"} {
		if value := one(key, "", `"x"`, `"y"`, "", `"x"`, `"\u0078"`, `"y"`, `""`, "3", "null",
			`"é"`, `"\u00e9"`, "{}"); value != "" {
			labels = append(labels, strings.Replace(fmt.Sprintf("%q:%s", key, value), `"a":`,
				one("key", `"a":`, `"a" : `, `"\u0061":`), 1))
		}
	}
	all := "{" + strings.Join(labels, ",") + "}"
	text := fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q,"resourceVersion":%q,"labels":%s},"spec":%s,"status":%s}`, namespace, name, version,
		one("labels", all, all, all, all, "null", "[]"), one("spec", `{}`, `{"n":1}`,
			`{"n":2,"hostname":"h"}`, `{"n":"text"}`, `{"hostname":"i"}`,
			`{"n":2,"list":[{"k":"x"}]}`, `{"n":1,"list":[{"k":"xy"},{"k":"x"}]}`, `{"list":[]}`,
			`{"list":"x"}`),
		one("status", `{}`, `null`, `{"phase":"Running"}`, `{"phase":"Pending"}`, `{"phase":""}`,
			`{"phase":7}`, `{"conditions":[{"type":"Ready","status":"True"}]}`,
			`{"conditions":[{"type":"Ready","status":"False"},{"type":"Ready","status":"True"}]}`))
	o, err := (&object.Parser{APIVersion: "v1", Kind: "Pod"}).Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "packed") {
		return o.Stored()
	}
	return o
}

// drawDelivery returns an event as a listener with transitions delivers it.
func drawDelivery(t *rapid.T) informer.Delivery {
	namespace, name := rapid.SampledFrom([]string{"shop", "pay"}).Draw(t, "namespace"),
		rapid.SampledFrom([]string{"p", "q", "r"}).Draw(t, "name")
	e := event.Event{Op: rapid.SampledFrom(event.Ops[:]).Draw(t, "op"),
		Object: newObject(t, namespace, name, "2")}
	var before *object.Object
	switch e.Op {
	case event.Update:
		e.Old = newObject(t, namespace, name, "1")
	case event.Add:
		e.Initial = rapid.Bool().Draw(t, "initial")
	case event.Delete:
		if rapid.Bool().Draw(t, "has before") {
			before = newObject(t, namespace, name, "1")
		}
	}
	e.Resumed = rapid.Bool().Draw(t, "resumed")
	d := informer.NewDelivery(informer.Entry{Event: e, Attempt: 1}, nobody{})
	d.Before = before
	return d
}

func describe(d *informer.Delivery) string {
	text := fmt.Sprintf("%s of %s", d.Op, d.Object.JSON())
	for _, o := range []*object.Object{d.Old, d.Before} {
		if o != nil {
			text += ", before " + o.JSON()
		}
	}
	return text
}

// allows is what a listener with this configuration promises in informer.SubscriptionConfig and
// package condition.
func (b before) allows(d *informer.Delivery) bool {
	e := condition.Event{Op: d.Op, Object: d.Object, Old: d.Old, Before: stateBefore(d)}
	return b.On.Has(d.Op) && conditiontest.Hold(b.Conditions, b.Transitions, e)
}

// nobody takes no answers: nothing is retried.
type nobody struct{}

func (nobody) Done(*informer.Delivery)                 {}
func (nobody) Retry(*informer.Delivery, time.Duration) {}
func (nobody) Again(*informer.Delivery, time.Duration) {}

// wanted is what a route made of an event.
type wanted struct {
	times int  // messages, and failures of rules
	odd   bool // a label or labels that no API server sends
}

// outcome runs a route over an event, and before that, if it has rules, over the state that they
// remember.
func (a asked) outcome(t *rapid.T, d *informer.Delivery, judged []*rules.Rule) wanted {
	messages, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{}
	p := &route.Pipeline{On: a.on, Select: a.selects, Filter: a.filter, Quiet: a.quiet,
		Messages: messages, Outputs: []route.Output{outputTo("out", w)}}
	if len(judged) > 0 {
		p.Rules = rules.NewBook(judged, 1)
		if o := stateBefore(d); o != nil {
			w.deliveries = append(w.deliveries,
				informer.NewDelivery(informer.Entry{Event: event.Event{Op: event.Add, Object: o}, Attempt: 1}, nobody{}))
		}
	}
	w.deliveries = append(w.deliveries, *d)
	w.route, err = route.New(route.Config{Name: "l", Letters: noLetters{}, Subscription: w,
		Pipeline: p,
		Retry:    route.Retry{Attempts: 1}, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.route.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	outcome := wanted{times: int(w.messages.Load())}
	for _, o := range []*object.Object{d.Object, d.Old, d.Before} {
		outcome.odd = outcome.odd || o != nil && isOdd(o)
	}
	if !outcome.odd {
		outcome.times += int(w.route.Stats().RuleErrors - w.errors)
	}
	return outcome
}

// stateBefore is the one that a listener has taken before an event, nil if there is none.
func stateBefore(d *informer.Delivery) *object.Object {
	switch d.Op {
	case event.Update:
		return d.Old
	case event.Resync:
		return d.Object
	}
	return d.Before
}

// watched is the source and the sink of a route. It counts what comes of the last delivery.
type watched struct {
	route      *route.Route
	deliveries []informer.Delivery
	next       int
	messages   atomic.Int64
	errors     uint64 // of rules, before that
}

func (w *watched) Stop() {}

func (w *watched) Next(context.Context) (informer.Delivery, error) {
	if w.next == len(w.deliveries) {
		return informer.Delivery{}, informer.ErrStopped
	}
	for w.route.Stats().Outputs[0].Queued > 0 { // what came of the delivery before
		time.Sleep(time.Microsecond)
	}
	w.messages.Store(0)
	w.errors = w.route.Stats().RuleErrors
	w.next++
	return w.deliveries[w.next-1], nil
}

func (w *watched) More(got []informer.Delivery, _, _ int) []informer.Delivery { return got }

func (w *watched) Stopped() <-chan struct{} { return nil }

func (w *watched) Pace() sink.Pace { return sink.Pace{} }

func (w *watched) Write(ctx context.Context, messages []sink.Message) []error {
	return sinktest.Each(ctx, messages, w.take)
}

func (w *watched) take(context.Context, sink.Message) error {
	w.messages.Add(1)
	return nil
}

func (w *watched) Close(context.Context) error { return nil }

func isOdd(o *object.Object) bool {
	labels := object.MustCompilePath("metadata.labels").Lookup(o)
	odd := labels.Exists() && labels.Kind() != object.ObjectKind
	for _, key := range []string{"a", "b"} {
		v := labels.Get(key)
		odd = odd || v.Exists() && v.Kind() != object.String
	}
	phase := object.MustCompilePath("status.phase").Lookup(o)
	return odd || phase.Exists() && phase.Kind() != object.String
}
