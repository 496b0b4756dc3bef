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

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// puppet is a guest that does what its strings say, for an object by its name, and writes its calls
// down. All workers of a route have the same one.
type puppet struct {
	mu    sync.Mutex
	calls []string
	// verdicts are those that are not done; "crash" is none, and makes a whole batch fail.
	verdicts map[string]string
	single   bool          // it takes one event at a time
	lasts    time.Duration // each call, unless the context ends
	closed   int
}

func (p *puppet) set(name, verdict string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.verdicts[name] = verdict
}

func (p *puppet) called() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls := p.calls
	p.calls = nil
	return calls
}

var errCrash = errors.New("crash\n\u2028")

func (p *puppet) call(ctx context.Context, text string) error {
	p.mu.Lock()
	p.calls = append(p.calls, text)
	p.mu.Unlock()
	select {
	case <-time.After(p.lasts):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *puppet) result(e event.Event) (plugins.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.verdicts[e.Object.Name()] {
	case "":
		return plugins.Result{}, nil
	case "emit":
		text := `{"type":"com.example.seen","data":1}`
		return plugins.Result{
			Emitted: []plugins.Emission{{Kind: abi.EmitEvent, Data: []byte(text)}}}, nil
	case "drop":
		return plugins.Result{Verdict: plugins.Drop}, nil
	case "retry":
		return plugins.Result{Verdict: plugins.Retry}, nil
	case "fail":
		return plugins.Result{Verdict: plugins.Fail}, nil
	}
	return plugins.Result{}, errCrash
}

func (p *puppet) Handle(ctx context.Context, e event.Event) (plugins.Result, error) {
	if err := p.call(ctx, e.Object.Name()); err != nil {
		return plugins.Result{}, err
	}
	return p.result(e)
}

func (p *puppet) HandleBatch(ctx context.Context, events []event.Event) (results []plugins.Result,
	err error) {
	var names []string
	for _, e := range events {
		names = append(names, e.Object.Name())
	}
	if err := p.call(ctx, "["+strings.Join(names, " ")+"]"); err != nil {
		return nil, err
	}
	for _, e := range events {
		r, err := p.result(e)
		if err != nil {
			if !p.single {
				results = nil
			}
			return results, err
		}
		results = append(results, r)
	}
	return results, nil
}

func (p *puppet) Close(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed++
	return nil
}

// handled is a route with a puppet, and what is around it.
type handled struct {
	*draft
	*puppet
	source *script
	out    *output
	log    bytes.Buffer
}

func newHandled(t *testing.T, names string) *handled {
	t.Helper()
	h := &handled{puppet: &puppet{verdicts: map[string]string{}}, out: &output{}}
	var events []event.Event
	for _, name := range strings.Fields(names) {
		events = append(events, add(name))
	}
	h.source = newScript(events...)
	h.source.stopped = make(chan struct{})
	messages, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	h.draft = &draft{
		Config: Config{Name: "l", Subscription: h.source, Retry: patient,
			Log: slog.New(slog.NewTextHandler(&h.log, nil))},
		Pipeline: Pipeline{Messages: messages, Batch: 4,
			Outputs:  []Output{to("out", h.out)},
			newGuest: func(context.Context) (guest, error) { return h.puppet, nil },
			batches:  func() bool { return true }},
	}
	return h
}

func (h *handled) run(t *testing.T) {
	t.Helper()
	if err := h.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// written are the subjects that the output got, without their namespace.
func (h *handled) written() (names []string) {
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	for _, m := range h.out.messages {
		names = append(names, strings.TrimPrefix(m.Subject, "pods/shop/"))
	}
	return names
}

func expectAll(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestABatchIsWhatIsReady(t *testing.T) {
	h := newHandled(t, "a b c d e f")
	h.run(t)
	expectAll(t, "calls", h.called(), "[a b c d]", "[e f]")
	expectAll(t, "written", h.written(), "a", "b", "c", "d", "e", "f")
	expectAll(t, "acknowledged", h.source.log, "done a", "done b", "done c", "done d", "done e",
		"done f")
	if s := h.Stats(); s.HandlerCalls != 2 || s.Events[event.Add] != 6 || s.Written != 6 ||
		h.closed != 1 {
		t.Errorf("%+v, closed %d times", s, h.closed)
	}
}

// Who takes one event at a time, has a bound of one or nothing else ready gets single events.
func TestSingleEvents(t *testing.T) {
	for name, change := range map[string]func(*handled){
		"a handler of single events": func(h *handled) { h.batches = func() bool { return false } },
		"a bound of one":             func(h *handled) { h.Batch = 1 },
		"no bound":                   func(h *handled) { h.Batch = 0 },
		"nothing ready": func(h *handled) {
			h.Workers, h.source.waiting = 3, h.source.waiting[:2]
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHandled(t, "a b c")
				change(h)
				h.run(t)
				for _, call := range h.called() {
					if strings.HasPrefix(call, "[") {
						t.Errorf("called with %s", call)
					}
				}
			})
		})
	}
}

// No worker takes what the others could work on.
func TestWorkersShareWhatIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "a b c d e f g h")
		h.Workers, h.Batch, h.lasts = 2, 100, time.Second
		h.run(t)
		sizes := []int{}
		for _, call := range h.called() {
			sizes = append(sizes, len(strings.Fields(call)))
		}
		slices.Sort(sizes)
		if !slices.Equal(sizes, []int{1, 1, 2, 4}) { // half of 8, of 4, of 2, and the last
			t.Errorf("batches of %v", sizes)
		}
	})
}

// Only what passed the filter is in a batch, and nothing that its rules asked for.
func TestABatchHasWhatIsWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "a no b c")
		filter, err := filters.Compile(filters.Expression{Text: `object.metadata.name != "no"`})
		if err != nil {
			t.Fatal(err)
		}
		h.Filter = filter
		h.Rules = book(t, pending(time.Minute))
		h.source.waiting[0].Recalled, h.source.waiting[0].Op = true, event.Resync
		h.run(t)
		expectAll(t, "calls", h.called(), "[b c]")
		expectAll(t, "acknowledged", h.source.log, "done a", "done no", "done b", "done c")
		if s := h.Stats(); s.Filtered != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// Each result of a batch is dealt with as if the event had been alone.
func TestResultsOfABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "done emit drop retry fail last")
		h.Batch = 10
		for _, verdict := range []string{"emit", "drop", "retry", "fail"} {
			h.set(verdict, verdict)
		}
		h.run(t)
		expectAll(t, "calls", h.called(), "[done emit drop retry fail last]", "retry", "retry")
		expectAll(t, "written", h.written(), "done", "emit", "last")
		expectAll(t, "acknowledged", h.source.log, "done drop", "retry retry", "done fail",
			"done done", "done emit", "done last", "retry retry", "done retry")
		if got := h.out.messages[1].Type; got != "com.example.seen" {
			t.Errorf("emitted %s", got)
		}
		s := h.Stats()
		if s.Emitted != 1 || s.Dropped != 1 || s.Retried != 2 || s.DeadLetters != 2 ||
			s.HandlerCrashes != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// What an output did not take of a batch is kept: the handler is not asked again.
func TestAnOutputThatFailsWithinABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "a b c")
		h.out.fail = func(n int, m sink.Message) error {
			if n == 2 {
				return errors.New("not now")
			}
			return nil
		}
		h.run(t)
		expectAll(t, "calls", h.called(), "[a b c]")
		expectAll(t, "written", h.written(), "a", "c", "b")
		expectAll(t, "acknowledged", h.source.log, "done a", "done b", "done c")
	})
}

// When a batch crashes, its events are given one by one in the same turn, and only what crashes
// alone has failed. Then the batches grow again.
func TestABatchThatCrashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "a bad b c d e f g h i j k l m n o")
		h.set("bad", "crash")
		h.run(t)
		expectAll(t, "calls", h.called(), "[a bad b c]", "a", "bad", "b", "c", "d", "[e f]",
			"[g h i j]", "[k l m n]", "o", "bad", "bad")
		s := h.Stats()
		if s.HandlerCrashes != 4 || s.Retried != 2 || s.DeadLetters != 1 || s.Written != 15 ||
			s.HandlerPauses != 0 {
			t.Errorf("%+v", s)
		}
		for _, name := range h.source.log {
			if strings.HasPrefix(name, "retry") && name != "retry bad" {
				t.Errorf("%q was charged with it", name)
			}
		}
	})
}

// Results before a crash count, if there are any: the handler does not get those events again.
func TestResultsBeforeACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "a b bad c")
		h.single = true
		h.set("bad", "crash")
		h.run(t)
		expectAll(t, "calls", h.called(), "[a b bad c]", "bad", "c", "bad", "bad")
		expectAll(t, "written", h.written(), "a", "b", "c")
	})
}

// When the context ends, all events of the batch go back at once, and nobody has failed.
func TestABatchThatIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "a b c d e")
		h.lasts, h.PauseAfter = time.Hour, 1
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- h.Run(ctx) }()
		synctest.Wait()
		begun := time.Now()
		cancel()
		<-done
		expectAll(t, "acknowledged", h.source.log[:4], "retry a", "retry b", "retry c", "retry d")
		if s := h.Stats(); s.HandlerCrashes+s.DeadLetters+s.Retried+s.HandlerPauses != 0 ||
			h.log.Len() > 0 || time.Since(begun) > 0 {
			t.Errorf("%+v\n%s", s, h.log.String())
		}
		time.Sleep(time.Second)
	})
}

// A guest that cannot be started is the end of Run, and those that were started are closed.
func TestAGuestThatDoesNotStart(t *testing.T) {
	h := newHandled(t, "a")
	h.Workers = 2
	started := 0
	h.newGuest = func(context.Context) (guest, error) {
		if started++; started == 2 {
			return (*plugins.Instance)(nil), errors.New("no memory")
		}
		return h.puppet, nil
	}
	if err := h.Run(t.Context()); fmt.Sprint(err) != `listener "l": no memory` || h.closed != 1 {
		t.Errorf("%v, %d closed", err, h.closed)
	}
}

// The same with a guest that is none of the test's.
func TestARealGuestThatCrashesInABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("x", 200)
		h := newHandled(t, "a b "+long+" c d e")
		h.newGuest, h.batches, h.Batch = nil, nil, 10
		h.Handler = loaded(t, pullsEvents)
		h.run(t)
		expectAll(t, "written", h.written(), "a", "b", "c", "d", "e")
		// The batch, its events one by one, and the crash's two retries.
		if s := h.Stats(); s.HandlerCalls != 9 || s.HandlerCrashes != 4 || s.DeadLetters != 1 ||
			s.Retried != 2 {
			t.Errorf("%+v", s)
		}
	})
}
