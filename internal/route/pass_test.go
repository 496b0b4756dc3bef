package route

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// together is an output that takes several messages at once.
type together struct {
	output
	sizes []int // of the calls
}

func (o *together) Pace() sink.Pace { return sink.Pace{Batch: 32} }

func (o *together) Write(ctx context.Context, messages []sink.Message) []error {
	o.mu.Lock()
	o.sizes = append(o.sizes, len(messages))
	o.mu.Unlock()
	return o.output.Write(ctx, messages)
}

// passed is a route without a handler and with one output.
func passed(t *testing.T, source *script, out sink.Sink) *draft {
	t.Helper()
	messages, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	filter, err := filters.Compile(
		filters.Expression{Text: `not (object.metadata.name startsWith "no")`})
	if err != nil {
		t.Fatal(err)
	}
	return &draft{
		Config: Config{Name: "l", Subscription: source, Retry: patient,
			Log: slog.New(slog.DiscardHandler)},
		Pipeline: Pipeline{Filter: filter, Messages: messages,
			Outputs: []Output{to("out", out)}},
	}
}

func adds(names ...string) (events []event.Event) {
	for _, name := range names {
		events = append(events, add(name))
	}
	return events
}

func TestAnOutputThatTakesSeveralGetsWhatIsReady(t *testing.T) {
	out := &together{}
	var names, want []string
	for i := range 2*maxPassed + 3 {
		names = append(names, fmt.Sprint("p", i))
		want = append(want, fmt.Sprint("added pods/shop/p", i))
	}
	source := newScript(adds(slices.Insert(names, 1, "no")...)...)
	r := passed(t, source, out)
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, size := range out.sizes {
		if size > maxPassed {
			t.Errorf("calls with %v messages", out.sizes)
		}
	}
	if len(out.sizes) > len(want)/8 {
		t.Errorf("%d calls for %d messages", len(out.sizes), len(want))
	}
	if !slices.Equal(out.got, want) {
		t.Errorf("got %v", out.got)
	}
	if s := r.Stats(); s.Written != uint64(len(want)) || s.Filtered != 1 ||
		len(source.log) != len(want)+1 {
		t.Errorf("%+v, acknowledged %v", s, source.log)
	}
}

// Whatever fails, it makes no difference to the events whether the output takes several at once.
func TestEventsPassedOnTogetherFareAsAlone(t *testing.T) {
	type outcome struct {
		acks, got []string
		stats     string
	}
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(200) {
			random := rand.New(rand.NewPCG(seed, 0))
			fails := map[string]error{} // until there is an attempt more than times
			times := map[string]int{}
			var names []string
			for i := range 1 + random.IntN(3*maxPassed) {
				name := fmt.Sprint([]string{"p", "no"}[random.IntN(8)/7], i)
				names = append(names, name)
				if random.IntN(4) == 0 {
					times[name], fails[name] = 1+random.IntN(3), errors.New("not now")
					if random.IntN(3) == 0 {
						fails[name] = sink.Permanent(errors.New("never"))
					}
				}
			}
			workers := 1 + random.IntN(3)
			perform := func(out sink.Sink, o *output) outcome {
				tried := map[string]int{}
				o.fail = func(_ int, m sink.Message) error {
					name := m.Subject[strings.LastIndexByte(m.Subject, '/')+1:]
					if tried[name]++; tried[name] <= times[name] {
						return fails[name]
					}
					return nil
				}
				source := newScript(adds(names...)...)
				r := passed(t, source, out)
				r.Workers = workers
				if err := r.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				slices.Sort(source.log)
				slices.Sort(o.got)
				stats := r.Stats()
				return outcome{source.log, o.got, fmt.Sprint(stats.Written, stats.DeadLetters,
					stats.Retried, stats.Filtered)}
			}
			alone, several := &output{}, &together{}
			want, got := perform(alone, alone), perform(several, &several.output)
			if !slices.Equal(got.acks, want.acks) || !slices.Equal(got.got, want.got) ||
				got.stats != want.stats {
				t.Fatalf("seed %d\n got %v\nwant %v", seed, got, want)
			}
		}
	})
}

// What an output did not take when the route is stopped waits in its outbox, and goes on when the
// route runs again.
func TestBeingStoppedKeepsWhatWasNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		out := &together{}
		out.fail = func(n int, _ sink.Message) error {
			if n == 2 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		source := newScript(adds("a", "b", "c")...)
		r := passed(t, source, out)
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		s := r.Stats()
		if s.DeadLetters != 0 || s.Retried != 0 || s.Written != 1 || s.Outputs[0].Waiting != 2 {
			t.Errorf("%+v", s)
		}
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		slices.Sort(out.got)
		if want := []string{"added pods/shop/a", "added pods/shop/b",
			"added pods/shop/c"}; !slices.Equal(out.got, want) {
			t.Errorf("got %v", out.got)
		}
	})
}

func TestWithoutAHandlerObjectsGoOutAsTheyAreStored(t *testing.T) {
	var p object.Parser
	var packed *object.Object
	for i := range 4 {
		o, err := p.Parse(fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","uid":"u","resourceVersion":"%d"},"spec":{"env":[%s{}]}}`, i, strings.Repeat(`{"name":"a","value":"b"},`, 100)))
		if err != nil {
			t.Fatal(err)
		}
		packed = o.Stored()
	}
	if packed.Plain() == packed {
		t.Fatal("the object is not packed")
	}
	for _, out := range []interface {
		sink.Sink
		written() []sink.Message
	}{&output{}, &together{}} {
		r := passed(t, newScript(event.Event{Op: event.Update, Object: packed, Old: packed}), out)
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if m := out.written(); len(m) != 1 || m[0].Object != packed || m[0].Old != packed {
			t.Errorf("%T: the message has copies", out)
		}
	}
}

func (o *output) written() []sink.Message { return o.messages }
