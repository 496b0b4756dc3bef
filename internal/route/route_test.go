package route

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a subscription that delivers events in order, holds an object back while it waits for
// its retry, and ends when all are done. It records the acknowledgements.
type script struct {
	mu      sync.Mutex
	waiting []informer.Delivery
	parked  int
	log     []string
	wake    chan struct{}
	deaf    bool // to wishes for an object to come again
	open    bool // there may be more
	recall  *time.Timer
	stopped chan struct{} // nil: it never is
}

func (s *script) push(e event.Event) {
	s.mu.Lock()
	if s.recall != nil && s.recall.Stop() {
		s.parked--
	}
	s.recall = nil
	s.waiting = append(s.waiting, informer.NewDelivery(informer.Entry{Event: e, Attempt: 1}, s))
	s.mu.Unlock()
	s.signal()
}

// end ends the script once everything is done; nobody waits for wishes any more.
func (s *script) end() {
	s.mu.Lock()
	s.open, s.deaf = false, true
	if s.recall != nil && s.recall.Stop() {
		s.parked--
	}
	s.mu.Unlock()
	s.signal()
}

func (s *script) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func newScript(events ...event.Event) *script {
	s := &script{wake: make(chan struct{}, 1)}
	for _, e := range events {
		s.waiting = append(s.waiting, informer.NewDelivery(informer.Entry{Event: e, Attempt: 1}, s))
	}
	return s
}

func (s *script) Next(ctx context.Context) (informer.Delivery, error) {
	for ctx.Err() == nil {
		s.mu.Lock()
		if len(s.waiting) > 0 {
			d := s.waiting[0]
			s.waiting = s.waiting[1:]
			s.mu.Unlock()
			s.signal() // for the next worker
			return d, nil
		}
		ended := s.parked == 0 && !s.open
		s.mu.Unlock()
		if ended {
			s.signal()
			return informer.Delivery{}, informer.ErrStopped
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
		}
	}
	return informer.Delivery{}, ctx.Err()
}

func (s *script) More(got []informer.Delivery, n, workers int) []informer.Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n = min(n, len(s.waiting)/workers); n > 0 && !s.has(got, s.waiting[0]); n-- {
		got = append(got, s.waiting[0])
		s.waiting = s.waiting[1:]
	}
	return got
}

// has reports whether there is an event of the same object among deliveries.
func (s *script) has(got []informer.Delivery, d informer.Delivery) bool {
	return slices.ContainsFunc(got, func(other informer.Delivery) bool {
		return other.Object.Key() == d.Object.Key()
	})
}

func (s *script) Stopped() <-chan struct{} { return s.stopped }

func (s *script) Stop() { s.end() }

func (s *script) Done(d *informer.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, "done "+d.Object.Name())
}

func (s *script) Again(d *informer.Delivery, after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf("done %s, again in %s", d.Object.Name(), after))
	if s.deaf {
		return
	}
	if s.recall != nil && s.recall.Stop() { // all tests recall one object
		s.parked--
	}
	s.parked++
	again := informer.NewDelivery(informer.Entry{Attempt: 1,
		Event: event.Event{Op: event.Resync, Object: d.Object}}, s)
	again.Recalled = true
	var timer *time.Timer
	timer = time.AfterFunc(after, func() {
		s.mu.Lock()
		s.parked--
		if s.recall == timer { // else it was forgotten while the timer went off
			s.waiting = append(s.waiting, again)
		}
		s.mu.Unlock()
		s.signal()
	})
	s.recall = timer
}

func (s *script) Retry(d *informer.Delivery, after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, "retry "+d.Object.Name())
	s.parked++
	again := informer.NewDelivery(informer.Entry{Event: d.Event, Attempt: d.Attempt + 1}, s)
	again.Recalled, again.Progress = d.Recalled, d.Progress
	time.AfterFunc(after, func() {
		s.mu.Lock()
		s.parked--
		s.waiting = append(s.waiting, again)
		s.mu.Unlock()
		s.signal()
	})
}

// output records what it takes, and fails as configured.
type output struct {
	mu  sync.Mutex
	got []string
	// messages are the same.
	messages []sink.Message

	fail func(n int, m sink.Message) error
	n    int
}

func (o *output) Pace() sink.Pace { return sink.Pace{} }

func (o *output) Write(ctx context.Context, messages []sink.Message) []error {
	return sinktest.Each(ctx, messages, o.take)
}

func (o *output) take(ctx context.Context, m sink.Message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n++
	if o.fail != nil {
		if err := o.fail(o.n, m); err != nil {
			return err
		}
	}
	o.messages = append(o.messages, m)
	o.got = append(o.got, strings.TrimPrefix(m.Type, "dev.informerd.object.")+" "+m.Subject)
	return nil
}

func (o *output) Close(context.Context) error { return nil }

func add(name string) event.Event {
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop","uid":"u","resourceVersion":"1"},"spec":{"n":1}}`, name)
	o, err := (&object.Parser{}).Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return event.Event{Op: event.Add, Object: o}
}

// run runs a route over events to outputs and returns the acknowledgements, the counters and the
// log.
func run(t *testing.T, filter string, retry Retry, events []event.Event,
	outputs ...*output) (acks []string, stats Stats, log string) {
	t.Helper()
	var buf bytes.Buffer
	source := newScript(events...)
	messages, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	r := &draft{Config: Config{Name: "l", Subscription: source, Retry: retry,
		Log: slog.New(slog.NewTextHandler(&buf, nil))}, Pipeline: Pipeline{Messages: messages}}
	if filter != "" {
		if r.Filter, err = filters.Compile(filters.Expression{Text: filter}); err != nil {
			t.Fatal(err)
		}
	}
	for i, o := range outputs {
		r.Outputs = append(r.Outputs, to(fmt.Sprint("out", i), o))
	}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return source.log, r.Stats(), buf.String()
}

// draft is a route that can be changed until it runs.
type draft struct {
	Config
	Pipeline
	*Route
}

func (d *draft) Run(ctx context.Context) error {
	if d.Route == nil {
		d.Config.Pipeline = &d.Pipeline
		if d.Letters == nil {
			d.Letters = &letters{}
		}
		r, err := New(d.Config)
		if err != nil {
			return err
		}
		d.Route = r
	}
	return d.Route.Run(ctx)
}

// to returns an output of this name.
func to(name string, s sink.Sink) Output {
	return Output{To: delivery.NewOutput(name, s, slog.New(slog.DiscardHandler))}
}

// letters are dead letters.
type letters struct {
	mu    sync.Mutex
	fails int // so many times first
	all   []deadletter.Letter
}

func (l *letters) Put(_ context.Context, letter deadletter.Letter) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fails > 0 {
		l.fails--
		return "", errors.New("no space left on device")
	}
	l.all = append(l.all, letter)
	return fmt.Sprintf("letter-%d", len(l.all)), nil
}

var patient = Retry{Attempts: 3, MinBackoff: time.Second, MaxBackoff: time.Minute}

func TestMatchingEventsReachAllOutputs(t *testing.T) {
	a, b := &output{}, &output{}
	acks, stats, _ := run(t, `object.metadata.name != "no"`, patient,
		[]event.Event{add("yes"), add("no"), add("also")}, a, b)
	want := []string{"added pods/shop/yes", "added pods/shop/also"}
	if !slices.Equal(a.got, want) || !slices.Equal(b.got, want) {
		t.Errorf("outputs got %v and %v", a.got, b.got)
	}
	slices.Sort(acks)
	if want := []string{"done also", "done no", "done yes"}; !slices.Equal(acks, want) {
		t.Errorf("acknowledged %v", acks)
	}
	if stats.Events[event.Add] != 3 || stats.Filtered != 1 || stats.Written != 4 {
		t.Errorf("%+v", stats)
	}
}

func TestAnEventOnWhichTheFilterFailsIsGivenUpAndLoggedAtALimitedRate(t *testing.T) {
	out := &output{}
	var events []event.Event
	for i := range 20 {
		events = append(events, add(fmt.Sprint("p", i)))
	}
	acks, stats, log := run(t, `object.spec.n < "x"`, patient, events, out)
	if len(out.got) != 0 || len(acks) != 20 || stats.FilterErrors != 20 {
		t.Errorf("%v, %d acknowledged, %+v", out.got, len(acks), stats)
	}
	if n := strings.Count(log, "the filter failed"); n != delivery.Burst ||
		stats.DeadLetters != 20 {
		t.Errorf("logged %d times:\n%s", n, log)
	}
	if !strings.Contains(log, `op=add object=shop/p0`) {
		t.Errorf("the log does not name the object:\n%s", log)
	}
}

// An event on which the filter fails goes no further, or goes on, as configured.
func TestWhatAFailingFilterMeans(t *testing.T) {
	for onError, want := range map[string][]string{"skip": nil, "pass": {"shop/a", "shop/b"}} {
		h := newHandled(t, "a b")
		h.newGuest = nil
		h.Filter, h.OnError = expressionOf(t, filters.KindFilter, `object.spec.n < "x"`), onError
		h.run(t)
		var got []string
		for _, name := range h.written() {
			got = append(got, "shop/"+name)
		}
		s := h.Stats()
		if slices.Sort(got); !slices.Equal(got, want) || s.DeadLetters != 0 || s.FilterErrors != 2 ||
			s.Matched != uint64(len(want)) {
			t.Errorf("%s: got %q, %+v", onError, got, s)
		}
	}
}

func TestARetryGoesOnWithTheOutputThatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := &output{}, &output{}
		second.fail = func(n int, m sink.Message) error {
			if n <= 3 && strings.HasSuffix(m.Subject, "/a") { // the second write is b's
				return errors.New("not now")
			}
			return nil
		}
		acks, stats, log := run(t, "", patient, []event.Event{add("a"), add("b")}, first, second)
		if want := []string{"added pods/shop/a", "added pods/shop/b"}; !slices.Equal(first.got,
			want) {
			t.Errorf("the output that took the event got it again: %v", first.got)
		}
		if want := []string{"added pods/shop/b", "added pods/shop/a"}; !slices.Equal(second.got,
			want) {
			t.Errorf("the failing output got %v", second.got)
		}
		if want := []string{"done a", "done b"}; !slices.Equal(acks, want) {
			t.Errorf("acknowledged %v", acks)
		}
		if stats.Retried != 2 || stats.DeadLetters != 0 || stats.Events[event.Add] != 2 {
			t.Errorf("%+v", stats)
		}
		if !strings.Contains(log,
			`msg="event failed, will try again" op=add object=shop/a output=out1 attempt=1`) ||
			!strings.Contains(log, `error="not now"`) {
			t.Error(log)
		}
	})
}

// What an output refuses for good is a dead letter at once, what it does not take when giveUpAfter
// is over.
func TestWhatFailsTooLongOrForGoodIsADeadLetter(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		reason string
		after  time.Duration
	}{
		"too long": {errors.New("down"), deadletter.Expired, time.Hour},
		"for good": {sink.Permanent(errors.New("no")), deadletter.Refused, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &output{fail: func(_ int, m sink.Message) error {
					if strings.HasSuffix(m.Subject, "/a") {
						return c.err
					}
					return nil
				}}
				retry := patient
				retry.GiveUpAfter = time.Hour
				begun := time.Now()
				_, stats, log := run(t, "", retry, []event.Event{add("a"), add("b"), add("a")}, out)
				if len(out.got) != 1 || stats.DeadLetters != 2 || stats.Outputs[0].Waiting != 0 {
					t.Errorf("%v, %+v", out.got, stats)
				}
				if d := time.Since(begun); d < c.after || d > c.after+5*time.Minute {
					t.Errorf("given up after %v", d)
				}
				if !strings.Contains(log, fmt.Sprintf(
					`msg="event given up" op=add object=shop/a output=out0 resourceVersion=1 reason=%s`,
					c.reason)) || !strings.Contains(log, " letter=letter-1 ") {
					t.Error(log)
				}
			})
		})
	}
}

func TestNamesFromTheClusterAreQuotedInTheLog(t *testing.T) {
	out := &output{fail: func(int, sink.Message) error { return sink.Permanent(errors.New("no")) }}
	_, _, log := run(t, "", patient, []event.Event{add("a\nlevel=ERROR msg=forged\u2028")}, out)
	if strings.Count(log, "\n") != 1 || strings.Contains(log, "\u2028") {
		t.Errorf("%q", log)
	}
}

func TestBeingStoppedIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		source := newScript(add("a"))
		messages, err := cloudevent.NewBuilder(
			sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
		if err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		r := &draft{
			Config: Config{Name: "l", Subscription: source, Retry: patient, Workers: 2,
				Log: slog.New(slog.NewTextHandler(&buf, nil))},
			Pipeline: Pipeline{Messages: messages,
				Outputs: []Output{to("stuck", stuck{})}},
		}
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if s := r.Stats(); s.Outputs[0].Waiting != 1 || s.DeadLetters != 0 || buf.Len() > 0 {
			t.Errorf("%v, %+v, %s", source.log, r.Stats(), buf.String())
		}
		time.Sleep(time.Second)
	})
}

// stuck takes nothing.
type stuck struct{}

func (o stuck) Pace() sink.Pace { return sink.Pace{} }

func (o stuck) Write(ctx context.Context, messages []sink.Message) []error {
	return sinktest.Each(ctx, messages, o.take)
}

func (stuck) take(ctx context.Context, _ sink.Message) error { <-ctx.Done(); return ctx.Err() }
func (stuck) Close(context.Context) error                    { return nil }

func TestDelayDoublesUpToItsBound(t *testing.T) {
	retry := Retry{Attempts: 100, MinBackoff: time.Second, MaxBackoff: 10 * time.Second}
	for attempt := 1; attempt < 100; attempt++ {
		full := min(time.Second<<min(attempt-1, 10), 10*time.Second)
		if d := retry.delay(attempt); d > full || d < full/2 {
			t.Errorf("attempt %d waits %v, want %v to %v", attempt, d, full/2, full)
		}
	}
}
