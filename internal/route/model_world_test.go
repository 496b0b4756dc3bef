package route

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// modelEvent is an event of the model. Its object's resource version is its number, from 1 on.
type modelEvent struct {
	event    event.Event
	in, does string
	// The versions of the pipeline that may have it are these two and all between.
	from, until int
	settled     bool // no later version has it
	handledBy   int  // the last version whose handler had it
	letter      bool // it came to no output
	replayed    bool
}

// modelHeard is a message that an output took, or that is a dead letter of it.
type modelHeard struct {
	name          string
	version, part int
	missed        int
	report        string
	letter        bool
	data          string
}

func (h modelHeard) String() string {
	text := fmt.Sprintf("%s@%d/%d", h.name, h.version, h.part)
	if h.missed > 0 {
		text += fmt.Sprintf(" missed %d", h.missed)
	}
	if h.letter {
		text += " letter"
	}
	return strings.TrimSpace(text + " " + h.report)
}

// modelOutput is an output as long as pipelines have it.
type modelOutput struct {
	to      *delivery.Output
	heard   []modelHeard
	known   map[string]bool // objects of which it knows a violation
	refused map[string]bool // objects of which a report is a letter
	whole   bool            // it is there all the time
}

// modelWorld is what is around the route, and what it has seen.
type modelWorld struct {
	mu      sync.Mutex
	wrong   []string
	moods   [3]string // of the receivers
	random  *rand.Rand
	broken  bool // the store
	lossy   bool // entries may have been dropped
	store   *deadletter.Store
	shapes  []shape // of the versions of the pipeline
	current int     // the version that has taken over last
	events  []*modelEvent
	all     []*modelOutput
	ends    map[[2]string]bool // outputs and objects whose last report is a letter and tells of an end
	replays int
	running sync.WaitGroup // replays
	cut     int            // calls of handlers that ended with Run
	workers int
	back    uint64 // at most so many events went back to the queue with a pause
}

func newModelWorld(t *testing.T) *modelWorld {
	t.Helper()
	store, err := deadletter.Open(deadletter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return &modelWorld{store: store, ends: map[[2]string]bool{}, random: rand.New(rand.NewPCG(1, 2)),
		moods: [3]string{"takes", "takes", "takes"}}
}

func (w *modelWorld) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sayLocked(format, args...)
}

func (w *modelWorld) sayLocked(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// eventOf returns the event of a version, nil if there is none.
func (w *modelWorld) eventOf(version string) *modelEvent {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.eventLocked(version)
}

func (w *modelWorld) eventLocked(version string) *modelEvent {
	n, err := strconv.Atoi(version)
	if err != nil || n < 1 || n > len(w.events) {
		return nil
	}
	return w.events[n-1]
}

// modelReceiver is a sink of an output.
type modelReceiver struct {
	*modelWorld
	out  *modelOutput
	n    int // of the output
	pace sink.Pace
}

func (r *modelReceiver) Pace() sink.Pace             { return r.pace }
func (r *modelReceiver) Close(context.Context) error { return nil }

func (r *modelReceiver) Write(ctx context.Context, messages []sink.Message) []error {
	r.mu.Lock()
	mood := r.moods[r.n]
	r.mu.Unlock()
	lasts := time.Millisecond
	if mood == "hangs" {
		lasts = 20 * time.Second
	}
	select {
	case <-time.After(lasts):
	case <-ctx.Done():
		return sink.AllFailed(len(messages), ctx.Err())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	errs := make([]error, len(messages))
	for i := range messages {
		does := mood
		if mood == "differs" {
			does = []string{"takes", "takes", "fails", "refuses"}[r.random.IntN(4)]
		}
		switch does {
		case "fails":
			errs[i] = errors.New("not now")
		case "asks":
			errs[i] = sink.RetryAfter(errors.New("later"), 5*time.Second)
		case "refuses":
			errs[i] = sink.Permanent(errors.New("never"))
		default:
			r.hear(&messages[i])
		}
	}
	return errs
}

// hear notes a message that is taken. The caller holds mu.
func (r *modelReceiver) hear(m *sink.Message) {
	h := modelHeard{name: m.Object.Name(), missed: m.Missed, data: m.Data}
	h.version, _ = strconv.Atoi(m.ResourceVersion)
	if m.Report != nil {
		h.report = "resolved"
		if m.Report.Violated {
			h.report = "violated"
		}
		refused := [2]string{r.out.to.Name, h.name}
		if again := r.ends[refused] && !m.Report.Violated; !again &&
			r.out.known[h.name] == m.Report.Violated {
			r.sayLocked("out%d: %v, and it knows that", r.n, h)
		}
		delete(r.ends, refused)
		r.out.known[h.name] = m.Report.Violated
	} else if _, err := fmt.Sscanf(m.Type, "com.example.part%d", &h.part); err != nil {
		h.part = 0
	}
	r.out.heard = append(r.out.heard, h)
}

// Put implements delivery.Letters.
func (w *modelWorld) Put(ctx context.Context, l deadletter.Letter) (string, error) {
	w.mu.Lock()
	broken := w.broken
	w.mu.Unlock()
	if broken {
		return "", errors.New("the disk is broken")
	}
	id, err := w.store.Put(ctx, l)
	if err != nil {
		return id, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.Output == "" {
		if d := w.eventLocked(l.ResourceVersion); d == nil || d.letter {
			w.sayLocked("a letter of version %q, which has one or none", l.ResourceVersion)
		} else {
			d.letter = true
		}
		return id, nil
	}
	if l.Resolved {
		w.ends[[2]string{l.Output, l.Name}] = true
	}
	h := modelHeard{name: l.Name, missed: l.Missed, letter: true}
	h.version, _ = strconv.Atoi(l.ResourceVersion)
	// if the output was removed meanwhile, the letter is the older one's
	for _, out := range w.all {
		if out.to.Name != l.Output {
			continue
		}
		if l.Rule != "" {
			out.refused[l.Name] = true
			out.known[l.Name] = out.known[l.Name] && !l.Resolved
			h.report = "report"
		}
		out.heard = append(out.heard, h)
	}
	return id, nil
}

// Delete removes letters that others replace.
func (w *modelWorld) Delete(ids ...string) (int, error) { return w.store.Delete(ids...) }

// modelGuest is an instance of the handler of a version of the pipeline.
type modelGuest struct {
	*modelWorld
	version int
}

func (g modelGuest) Close(context.Context) error { return nil }

func (g modelGuest) Handle(ctx context.Context, e event.Event) (plugins.Result, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ctx.Err() != nil {
		g.cut++
		return plugins.Result{}, ctx.Err()
	}
	d := g.eventLocked(e.Object.ResourceVersion())
	if d == nil {
		g.sayLocked("the handler got an unknown event: %+v", e)
		return plugins.Result{}, nil
	}
	if g.version < d.from || g.version < d.handledBy {
		g.sayLocked("version %d of the handler got %s@%s, which is from version %d on", g.version,
			e.Object.Name(), e.Object.ResourceVersion(), max(d.from, d.handledBy))
	}
	d.handledBy = g.version
	parts := map[string]int{"one": 1, "three": 3}[d.does]
	var result plugins.Result
	for i := range parts {
		result.Emitted = append(result.Emitted, plugins.Emission{Kind: abi.EmitEvent,
			Data: fmt.Appendf(nil, `{"type":"com.example.part%d","data":1}`, i+1)})
	}
	switch d.does {
	case "none":
		result.Verdict = plugins.Drop
	case "refuse":
		result.Verdict = plugins.Fail
	case "again":
		result.Verdict = plugins.Retry
	case "crash":
		return plugins.Result{}, errCrash
	}
	return result, nil
}

func (g modelGuest) HandleBatch(ctx context.Context, events []event.Event) (
	results []plugins.Result, err error) {
	for _, e := range events {
		result, err := g.Handle(ctx, e)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}
