package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
)

// subscription is the end from which a route takes its events. It never has two events of one
// object out at the same time. An *informer.Subscription is one.
type subscription interface {
	// Next waits for an event. Its error is ctx's, or informer.ErrStopped when no more will come.
	Next(ctx context.Context) (informer.Delivery, error)
	// More appends further events that are ready, without waiting: at most n, and no more than the
	// share of one of that many workers.
	More(got []informer.Delivery, n, workers int) []informer.Delivery
	// Stopped returns a channel that is closed when no new events come in. Some may be waiting.
	Stopped() <-chan struct{}
	// Stop makes no new events come in.
	Stop()
}

// Config is what a route keeps for its whole life.
type Config struct {
	Name         string // of the listener
	Subscription subscription
	// Rewound, with Keep, reports whether versions have gone back; nil: they never do.
	Rewound func() bool
	// Pipeline may be nil; then call Use before Run.
	Pipeline *Pipeline
	Retry    Retry
	// PauseAfter is how many crashes of the handler in a row, of all workers, make the workers
	// pause; 0: they never do.
	PauseAfter int
	Workers    int // 0 means 1
	Buffer     Buffer
	Letters    delivery.Letters
	// Notes are the listener's in the store of dead letters. May be nil.
	Notes *deadletter.Listener
	Log   *slog.Logger
	// Keep has the route keep what a restart needs, for Cut and Whole.
	Keep bool
	// Await returns once what rules knew when it was called is on disk. Reports are sent after
	// that: if the process then dies, and the object has been mended or broken again when the next
	// one begins, the outputs still learn of it. With an error it is tried again. Nil: nothing
	// waits.
	Await func(ctx context.Context) error
	// Tracer makes traces of some events; nil: of none. Resource is what they name as the resource.
	Tracer   *tracing.Tracer
	Resource string
}

// Retry says how often and when what failed is tried again.
type Retry struct {
	// Attempts is how often an event is handled in all, at least 1. It does not count for outputs.
	Attempts               int
	MinBackoff, MaxBackoff time.Duration // the delay doubles from the one to the other
	// GiveUpAfter is how long an output is tried with a message; 0: without end.
	GiveUpAfter time.Duration
}

// Buffer is what may wait for each output, if there are several. Events for the only output wait in
// the subscription.
type Buffer struct {
	Capacity int // events; 0 means 1,024
	Overflow informer.Overflow
}

// Route is one listener's way from its subscription to its outputs. Make one with New.
type Route struct {
	name         string
	subscription subscription
	letters      delivery.Letters
	notes        *deadletter.Listener
	log          *delivery.FailureLog
	keep         bool
	await        func(context.Context) error
	rewound      func() bool
	tracer       *tracing.Tracer
	resource     string
	recent       tracing.Recorder

	pipeline atomic.Pointer[Pipeline]
	retry    atomic.Pointer[Retry]
	buffer   atomic.Pointer[Buffer]
	outboxes outboxes
	workers  int
	runs     runs
	pausing  pausing
	draining atomic.Bool
	leaving  atomic.Bool // Leave was called
	gaveUp   atomic.Bool // see giveUp
	busy     busy
	stats    stats
	breaker  backoff.Breaker
	members  members
	cutting  cutting
}

// pauses is the range of the pauses of a handler.
var pauses = backoff.Backoff{Min: time.Second, Max: time.Minute}

// New returns a route that does nothing until Run is called.
func New(cfg Config) (*Route, error) {
	switch {
	case cfg.Subscription == nil:
		return nil, fmt.Errorf("route %q has no subscription", cfg.Name)
	case cfg.Letters == nil:
		return nil, fmt.Errorf("route %q has no place for dead letters", cfg.Name)
	case cfg.Log == nil:
		return nil, fmt.Errorf("route %q has no log", cfg.Name)
	case cfg.Workers < 0 || cfg.PauseAfter < 0:
		return nil, fmt.Errorf(
			"route %q: workers (%d) and crashes before a pause (%d) must not be negative",
			cfg.Name, cfg.Workers, cfg.PauseAfter)
	}
	r := &Route{
		name: cfg.Name, subscription: cfg.Subscription, letters: cfg.Letters, notes: cfg.Notes,
		log: &delivery.FailureLog{Logger: cfg.Log}, keep: cfg.Keep, await: cfg.Await, rewound: cfg.Rewound,
		breaker: backoff.Breaker{Pauses: pauses}, tracer: cfg.Tracer, resource: cfg.Resource,
		outboxes: outboxes{keep: cfg.Keep, retired: map[*destination]bool{}},
		members:  members{keep: cfg.Keep},
	}
	r.stats.handled.took = tracing.NewHistogram(handlerBounds)
	r.Tune(Tuning{cfg.Retry, cfg.Buffer, cfg.PauseAfter, cfg.Workers})
	if cfg.Pipeline != nil {
		if err := r.Use(cfg.Pipeline); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Use makes the pipeline the one that events go through from now on. What was made goes to the
// output of the same name; what waits for an output that the pipeline does not have is a dead
// letter. The route keeps a copy; the caller must not change what it refers to. Call it before Run,
// or between [Route.Pause] and resume.
func (r *Route) Use(p *Pipeline) error {
	own, err := p.completed()
	if err == nil {
		own.destinations, err = r.outboxes.use(r, own, *r.retry.Load())
	}
	if err != nil {
		return fmt.Errorf("route %q: %w", r.name, err)
	}
	if own.Rules != nil && own.RuleSet != nil {
		own.Rules.Use(own.RuleSet, receiversOf(own.destinations))
	}
	own.makers = make([]*delivery.Maker, len(own.destinations))
	for i := range own.makers {
		own.makers[i] = r.maker(own, i)
	}
	own.receivers = receiverNames(own.destinations)
	r.pipeline.Store(own)
	r.outboxes.room.freed()
	return nil
}

// Tuning is what can be changed without a new pipeline, as in Config.
type Tuning struct {
	Retry      Retry
	Buffer     Buffer
	PauseAfter int
	Workers    int
}

// Tune changes how the route works. Call it when Use may be called; the outboxes learn of it with
// that.
func (r *Route) Tune(t Tuning) {
	t.Buffer.Capacity = cmp.Or(t.Buffer.Capacity, soleCapacity)
	r.retry.Store(&t.Retry)
	r.buffer.Store(&t.Buffer)
	r.breaker.SetAfter(t.PauseAfter)
	r.workers = cmp.Or(t.Workers, 1)
}

// receiversOf returns the numbers of destinations.
func receiversOf(destinations []*destination) (all rules.Receivers) {
	for _, w := range destinations {
		all = all.With(w.receiver)
	}
	return all
}

// receiverNames returns the names of destinations by their numbers, for a cut of a book.
func receiverNames(destinations []*destination) (names []string) {
	for _, w := range destinations {
		for len(names) <= w.receiver {
			names = append(names, "")
		}
		names[w.receiver] = w.Name()
	}
	return names
}

// Run works on events until the subscription has stopped and is empty (then the result is nil), or
// ctx is done. If instances of the handler cannot be started, it fails, its events are back in the
// subscription, and it may be called again. Do not call it otherwise.
func (r *Route) Run(ctx context.Context) error {
	if r.pipeline.Load() == nil {
		return fmt.Errorf("route %q has no pipeline", r.name)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer r.runs.begin(cancel)()
	stop, wait := func() {}, func() {}
	send := sync.OnceFunc(func() { stop, wait = r.outboxes.begin(ctx) })
	err := errPaused
	for errors.Is(err, errPaused) {
		err = r.work(ctx, cancel, send)
	}
	if err == nil {
		stop()
	} else {
		cancel()
	}
	wait()
	return cmp.Or(err, ctx.Err())
}

// work has workers work until the route is paused, when the error is errPaused. It calls send once
// they can.
func (r *Route) work(ctx context.Context, cancel, send func()) error {
	waiting, ended, err := r.pausing.begin(ctx)
	if err != nil {
		return err
	}
	defer ended()
	var workers []*worker
	defer func() {
		for _, w := range workers {
			r.busy.remove(w)
			w.close()
		}
	}()
	for range r.workers {
		w := &worker{route: r, waiting: waiting}
		workers = append(workers, w)
		r.busy.add(w)
		if err := w.open(ctx, r.pipeline.Load()); err != nil {
			return err
		}
	}
	send()
	errs := make([]error, len(workers))
	var wg sync.WaitGroup
	for i, w := range workers {
		wg.Go(func() {
			if errs[i] = w.run(ctx, len(workers)); errs[i] != nil {
				cancel() // without one worker, the others do not go on
			}
		})
	}
	wg.Wait()
	err = errors.Join(errs...)
	if err == nil && waiting.Err() != nil && ctx.Err() == nil {
		return errPaused
	}
	return err
}
