package route

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// held is an output whose writes last until a time, unless their context ends.
type held struct {
	*output
	until time.Time
}

func (h held) Write(ctx context.Context, messages []sink.Message) []error {
	select {
	case <-time.After(time.Until(h.until)):
		return h.output.Write(ctx, messages)
	case <-ctx.Done():
		return sinktest.Each(ctx, messages, func(context.Context, sink.Message) error {
			return ctx.Err()
		})
	}
}

// fed is a route whose events come from a subscription of package informer, by hand, and whose
// outputs can be away.
type fed struct {
	*handled
	queue *informer.Subscription
	outs  []*output
	last  map[string]*object.Object
	ended chan error
	// arrived is when events arrive, 0 if they do not.
	arrived event.Instant
}

// newFed returns a route to outputs called out0, out1 and so on, that is not running.
func newFed(t *testing.T, outputs int, b Buffer) *fed {
	t.Helper()
	queue, err := informer.NewSubscription(informer.SubscriptionConfig{Name: "l",
		Capacity: 1000})
	if err != nil {
		t.Fatal(err)
	}
	f := &fed{handled: newHandled(t, ""), queue: queue, last: map[string]*object.Object{},
		ended: make(chan error, 1)}
	f.newGuest, f.Subscription, f.Buffer, f.Outputs = nil, queue, b, nil
	for i := range outputs {
		f.outs = append(f.outs, &output{})
		f.Outputs = append(f.Outputs, to(fmt.Sprint("out", i), f.outs[i]))
	}
	return f
}

func (f *fed) start(t *testing.T) {
	t.Helper()
	go func() { f.ended <- f.Run(t.Context()) }()
	synctest.Wait()
}

// finish ends the route when all is delivered, and checks that each event has ended once.
func (f *fed) finish(t *testing.T) {
	t.Helper()
	f.queue.Stop()
	if err := <-f.ended; err != nil {
		t.Error(err)
	}
	s := f.Stats()
	for _, o := range s.Outputs {
		if s.Matched != o.Offered+o.Unwanted || o.Waiting != 0 ||
			o.Offered != o.Delivered+o.DeadLettered+o.Dropped+o.Merged {
			t.Errorf("of %d events: %+v\n%s", s.Matched, o, &f.log)
		}
	}
}

// hold makes the writes of an output last until the time is over.
func (f *fed) hold(n int, d time.Duration) {
	f.Outputs[n] = to(fmt.Sprint("out", n), held{f.outs[n], time.Now().Add(d)})
}

// away makes an output fail until the time is over.
func (f *fed) away(n int, d time.Duration) {
	f.outs[n].mu.Lock()
	defer f.outs[n].mu.Unlock()
	f.outs[n].fail = away(d)
}

// change offers the next version of objects, each of which is an add or an update.
func (f *fed) change(t *testing.T, version int, phase string, names ...string) {
	t.Helper()
	for _, name := range names {
		text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop",`+
			`"uid":"u","resourceVersion":"%d"},"status":{"phase":%q}}`, name, version, phase)
		o, err := (&object.Parser{}).Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		e := event.Event{Op: event.Add, Object: o, Old: f.last[name], Arrived: f.arrived}
		if e.Old != nil {
			e.Op = event.Update
		}
		f.last[name] = o
		if err := f.queue.OfferWait(t.Context(), informer.Entry{Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Wait()
}

// got returns what an output has received, as name@version, sorted by name.
func (f *fed) got(n int) (all []string) {
	f.outs[n].mu.Lock()
	defer f.outs[n].mu.Unlock()
	for _, m := range f.outs[n].messages {
		text := strings.TrimPrefix(m.Subject, "pods/shop/") + "@" + m.ResourceVersion
		if m.Report != nil {
			text = m.Report.Rule + " " + strings.TrimPrefix(m.Type, "dev.informerd.rule.")
		}
		if m.Missed > 0 {
			text += fmt.Sprint(" missed ", m.Missed)
		}
		all = append(all, text)
	}
	return all
}

func (f *fed) expect(t *testing.T, n int, want ...string) {
	t.Helper()
	got := f.got(n)
	slices.Sort(got)
	slices.Sort(want)
	expectAll(t, fmt.Sprint("out", n), got, want...)
}

// An output that is away fills its own outbox alone. When that is full, it merges, and the other
// output does not notice.
func TestAFullOutboxMerges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 2, Buffer{Capacity: 2})
		f.hold(0, time.Hour)
		f.start(t)
		f.change(t, 1, "Pending", "a", "b", "c")
		f.change(t, 2, "Running", "a", "b", "c")
		f.change(t, 3, "Failed", "a", "b", "c")
		f.expect(t, 0)
		f.expect(t, 1, "a@1", "b@1", "c@1", "a@2", "b@2", "c@2", "a@3", "b@3", "c@3")
		if n := f.queue.Waiting(); n != 0 {
			t.Errorf("%d events wait for an output that is away", n)
		}
		time.Sleep(3 * time.Hour)
		f.finish(t)
		last := map[string]string{}
		events := 0
		for _, text := range f.got(0) {
			name, version, _ := strings.Cut(text, "@")
			version, missed, _ := strings.Cut(version, " missed ")
			if version <= last[name] {
				t.Errorf("%s came after %s", text, last[name])
			}
			last[name] = version
			n := 0
			if missed != "" {
				if _, err := fmt.Sscan(missed, &n); err != nil {
					t.Error(err)
				}
			}
			events += 1 + n
		}
		if len(last) != 3 || last["a"] != "3" || last["b"] != "3" || last["c"] != "3" ||
			events != 9 {
			t.Errorf("the other one got %q", f.got(0))
		}
	})
}

// With overflow block a full outbox waits, and the rest of the listener with it.
func TestAFullOutboxWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 2, Buffer{Capacity: 2, Overflow: informer.OverflowBlock})
		f.hold(0, time.Hour)
		f.start(t)
		f.change(t, 1, "Pending", "a", "b", "c", "d", "e", "f")
		if n := len(f.got(1)); n >= 6 || f.queue.Waiting() == 0 {
			t.Errorf("the other one got %d, and %d events wait", n, f.queue.Waiting())
		}
		time.Sleep(3 * time.Hour)
		f.finish(t)
		want := []string{"a@1", "b@1", "c@1", "d@1", "e@1", "f@1"}
		f.expect(t, 0, want...)
		f.expect(t, 1, want...)
	})
}

// With overflow drop a full outbox drops, and counts that; the other output gets everything.
func TestAFullOutboxDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 2, Buffer{Capacity: 2, Overflow: informer.OverflowDrop})
		f.hold(0, time.Hour)
		f.start(t)
		f.change(t, 1, "Pending", "a")
		f.change(t, 1, "Pending", "b")
		f.change(t, 1, "Pending", "c")
		f.change(t, 1, "Pending", "d")
		f.expect(t, 1, "a@1", "b@1", "c@1", "d@1")
		time.Sleep(3 * time.Hour)
		f.finish(t)
		f.expect(t, 0, "a@1", "b@1")
		if s := f.Stats().Outputs[0]; s.Dropped != 2 {
			t.Errorf("%+v", s)
		}
	})
}

// If all outboxes are full, the workers wait: events stay in the subscription, where the handler
// has not seen them.
func TestWorkersWaitIfAllOutboxesAreFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 2, Buffer{Capacity: 2})
		f.hold(0, time.Hour)
		f.hold(1, 2*time.Hour)
		f.start(t)
		for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			f.change(t, 1, "Pending", name)
		}
		before := f.queue.Waiting()
		if before < 4 || f.Stats().Matched > 4 {
			t.Errorf("%d events wait, %d have matched", before, f.Stats().Matched)
		}
		time.Sleep(90 * time.Minute) // one of them is back
		synctest.Wait()
		if n := len(f.got(0)); n != 8 || f.queue.Waiting() != 0 {
			t.Errorf("got %q, and %d events wait", f.got(0), f.queue.Waiting())
		}
		time.Sleep(2 * time.Hour)
		f.finish(t)
		if n := len(f.got(1)); n != 8 {
			t.Errorf("the other one got %q", f.got(1))
		}
	})
}

// What expressions made for one output is bounded in bytes, too: beyond that the workers wait, and
// events stay in the subscription.
func TestWorkersWaitIfTooMuchWasMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 2, Buffer{Capacity: 1000})
		f.hold(0, time.Hour)
		f.Outputs[0].Data = expressionOf(t, filters.KindData, `{"all": object}`)
		f.start(t)
		const objects = 100
		for i := range objects {
			f.change(t, 1, strings.Repeat("x", 900_000), fmt.Sprint("p", i))
		}
		s := f.Stats().Outputs[0]
		if most := int64(delivery.MaxMade + 2*maxPassed*1_000_000); s.Made > most ||
			s.Made < delivery.MaxMade || f.queue.Waiting() == 0 {
			t.Errorf("%d bytes are made, %d events wait: %+v\n%.500s", s.Made, f.queue.Waiting(), s,
				&f.log)
		}
		time.Sleep(3 * time.Hour)
		f.finish(t)
		if a, b := len(f.got(0)), len(f.got(1)); a != objects || b != objects {
			t.Errorf("got %d and %d", a, b)
		}
	})
}

// A report whose entry is merged away is offered again: the output receives the violation and its
// end in turn, although its outbox has room for one entry only.
func TestAReportThatIsMergedAwayComesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 2, Buffer{Capacity: 1})
		f.Rules, f.Quiet = book(t, pending(0)), true
		f.hold(0, time.Hour)
		f.start(t)
		for version, phase := range []string{"Running", "Pending", "Running", "Pending", "Running",
			"Pending"} {
			f.change(t, version+1, phase, "a", "b", "c")
		}
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		for n := range f.outs {
			got := f.got(n)
			if len(got) == 0 {
				t.Errorf("out%d got nothing", n)
			}
			open := map[string]bool{}
			for _, m := range f.outs[n].messages {
				if m.Report.Violated == open[m.Subject] {
					t.Errorf("out%d: %s has violated=%t twice: %q", n, m.Subject,
						m.Report.Violated, got)
				}
				open[m.Subject] = m.Report.Violated
			}
			if len(open) != 3 || !open["pods/shop/a"] || !open["pods/shop/b"] ||
				!open["pods/shop/c"] {
				t.Errorf("out%d has %v, and all three are violated", n, open)
			}
		}
		f.change(t, 7, "Running", "a", "b", "c")
		time.Sleep(time.Hour)
		f.queue.Stop()
		if err := <-f.ended; err != nil {
			t.Error(err)
		}
		for n := range f.outs {
			if text := f.got(n); len(text)%2 != 0 {
				t.Errorf("out%d: %q", n, text)
			}
		}
	})
}

// Neither the handler nor the filter sees an event again because an output failed.
func TestTheHandlerSeesAnEventOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 3, Buffer{Capacity: 8})
		f.newGuest = func(context.Context) (guest, error) { return f.puppet, nil }
		f.set("a", "emit")
		f.away(0, time.Hour)
		f.away(1, time.Hour)
		refused := errors.New("no such topic")
		f.outs[2].fail = func(int, sink.Message) error { return sink.Permanent(refused) }
		f.start(t)
		f.change(t, 1, "Pending", "a", "b")
		time.Sleep(3 * time.Hour)
		f.finish(t)
		calls := strings.NewReplacer("[", "", "]", "").Replace(strings.Join(f.called(), " "))
		if fields := strings.Fields(calls); len(fields) != 2 {
			t.Errorf("calls: %q", calls)
		}
		s := f.Stats()
		if len(f.got(0)) != 2 || len(f.got(1)) != 2 || s.Outputs[2].DeadLettered != 2 {
			t.Errorf("%q, %q, %+v", f.got(0), f.got(1), s.Outputs[2])
		}
	})
}

// An event goes to the outputs of the pipeline that it began with, as that one's expressions made
// it, although another pipeline takes over while the handler has it.
func TestAnEventEndsAsItBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 2, Buffer{Capacity: 8})
		f.newGuest = func(context.Context) (guest, error) { return f.puppet, nil }
		f.lasts = time.Minute
		f.Outputs[0].Data = expressionOf(t, filters.KindData, `"old"`)
		f.start(t)
		f.change(t, 1, "Pending", "a")
		next := f.Pipeline
		next.Outputs = slices.Clone(f.Outputs)
		next.Outputs[0].Data = expressionOf(t, filters.KindData, `"new"`)
		extra := &output{}
		next.Outputs = append(next.Outputs, to("extra", extra))
		if err := f.exchange(&next); err != nil {
			t.Fatal(err)
		}
		f.change(t, 1, "Pending", "b")
		time.Sleep(time.Hour)
		f.queue.Stop()
		if err := <-f.ended; err != nil {
			t.Error(err)
		}
		var made []string
		for _, m := range f.outs[0].messages {
			made = append(made, m.Subject+" "+m.Data)
		}
		expectAll(t, "made", made, `pods/shop/a "old"`, `pods/shop/b "new"`)
		f.outs = append(f.outs, extra)
		f.expect(t, 1, "a@1", "b@1")
		f.expect(t, 2, "b@1")
	})
}

// A route that is stopped while an event is in some outboxes and not in others loses nothing, and
// hands over nothing twice: the event goes on where it was, with the route's next run.
func TestStoppedInTheMiddleOfAHandover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 3, Buffer{Capacity: 1, Overflow: informer.OverflowBlock})
		f.hold(1, time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { f.ended <- f.Run(ctx) }()
		synctest.Wait()
		for _, name := range []string{"a", "b", "c", "d"} {
			f.change(t, 1, "Pending", name)
		}
		if f.queue.Waiting() == 0 {
			t.Error("nobody waits for room")
		}
		cancel()
		if err := <-f.ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		f.change(t, 2, "Running", "a", "b", "c", "d")
		f.start(t)
		time.Sleep(3 * time.Hour)
		f.finish(t)
		for n := range f.outs {
			f.expect(t, n, "a@1", "b@1", "c@1", "d@1", "a@2", "b@2", "c@2", "d@2")
			got := f.got(n)
			for _, name := range []string{"a", "b", "c", "d"} {
				if slices.Index(got, name+"@1") > slices.Index(got, name+"@2") {
					t.Errorf("out%d: %q", n, got)
				}
			}
		}
	})
}
