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
	"github.com/informerd/informerd/internal/breaker"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/failurelog"
	"github.com/informerd/informerd/internal/histogram"
	"github.com/informerd/informerd/internal/ledger"
	"github.com/informerd/informerd/internal/recent"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
)

// Subscription is the end from which a route takes its events. It never has two events of one
// object out at the same time. An *informer.Subscription is one.
type Subscription interface {
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
	Subscription Subscription
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
	// Ledger notes what becomes of the listener's events. May be nil.
	Ledger *ledger.Ledger
	Log    *slog.Logger
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
	subscription Subscription
	letters      delivery.Letters
	notes        *deadletter.Listener
	ledger       *ledger.Ledger
	log          *failurelog.Log
	keep         bool
	await        func(context.Context) error
	tracer       *tracing.Tracer
	resource     string
	recent       recent.Recorder

	pipeline atomic.Pointer[Pipeline]
	retry    atomic.Pointer[Retry]
	buffer   atomic.Pointer[Buffer]
	outboxes outboxes
	workers  atomic.Int32
	runs     runs
	idle     idle
	draining atomic.Bool
	leaving  atomic.Bool // Leave was called
	gaveUp   atomic.Bool // see giveUp
	busy     busy
	stats    stats
	breaker  breaker.Breaker
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
		ledger: cfg.Ledger,
		log:    &failurelog.Log{Logger: cfg.Log}, keep: cfg.Keep, await: cfg.Await,
		breaker: breaker.Breaker{Pauses: pauses}, tracer: cfg.Tracer, resource: cfg.Resource,
	}
	r.outboxes.keep, r.members.keep = cfg.Keep, cfg.Keep
	r.stats.handled.took = histogram.New(handlerBounds)
	r.Tune(Tuning{cfg.Retry, cfg.Buffer, cfg.PauseAfter, cfg.Workers})
	if cfg.Pipeline != nil {
		if err := r.Use(cfg.Pipeline); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Use makes the pipeline the one that events go through from now on. An event that a worker has
// taken already finishes with the one before. What was made goes to the output of the same name;
// what waits for an output that the pipeline does not have is a dead letter. The route keeps a
// copy; the caller must not change what it refers to.
func (r *Route) Use(p *Pipeline) error {
	own, err := p.completed()
	if err == nil {
		own.ways, err = r.outboxes.use(r, own, *r.retry.Load())
	}
	if err != nil {
		return fmt.Errorf("route %q: %w", r.name, err)
	}
	if own.Rules != nil && own.RuleSet != nil {
		own.Rules.Use(own.RuleSet, receiversOf(own.ways))
	}
	own.makers = make([]*delivery.Maker, len(own.ways))
	for i := range own.makers {
		own.makers[i] = r.maker(own, i)
	}
	own.receivers = receiverNames(own.ways)
	r.pipeline.Store(own)
	r.outboxes.room.freed()
	r.idle.wake()
	return nil
}

// Tuning is what can be changed without a new pipeline, as in Config.
type Tuning struct {
	Retry      Retry
	Buffer     Buffer
	PauseAfter int
	Workers    int
}

// Tune changes what has no effect on what is under way. The outboxes learn of it with the next Use.
func (r *Route) Tune(t Tuning) {
	t.Buffer.Capacity = cmp.Or(t.Buffer.Capacity, soleCapacity)
	r.retry.Store(&t.Retry)
	r.buffer.Store(&t.Buffer)
	r.breaker.SetAfter(t.PauseAfter)
	r.workers.Store(int32(cmp.Or(t.Workers, 1)))
	r.idle.wake()
}

// receiversOf returns the numbers of ways.
func receiversOf(ways []*way) (all rules.Receivers) {
	for _, w := range ways {
		all = all.With(w.receiver)
	}
	return all
}

// receiverNames returns the names of ways by their numbers, for a cut of a book.
func receiverNames(ways []*way) (names []string) {
	for _, w := range ways {
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
	defer r.idle.begin(ctx)()
	var err error
	stop, wait := func() {}, func() {}
	for begun := false; ; begun = true {
		workers, opened := r.open(ctx)
		if err = opened; err != nil {
			break
		}
		if !begun {
			stop, wait = r.outboxes.begin(ctx)
		}
		if err = r.work(ctx, cancel, workers); !errors.Is(err, errRegroup) {
			break
		}
	}
	if err == nil {
		stop()
	} else {
		cancel()
	}
	wait()
	return cmp.Or(err, ctx.Err())
}

// errRegroup is the error of workers of which there are to be more or fewer.
var errRegroup = errors.New("the number of workers has changed")

// open returns as many workers as there are to be, with the present pipeline.
func (r *Route) open(ctx context.Context) (workers []*worker, err error) {
	for range int(r.workers.Load()) {
		w := &worker{route: r}
		workers = append(workers, w)
		r.busy.add(w)
		if err := w.openCurrent(ctx); err != nil {
			closeAll(workers)
			return nil, err
		}
	}
	return workers, nil
}

func closeAll(workers []*worker) {
	for _, w := range workers {
		w.route.busy.remove(w)
		w.close()
	}
}

// work has the workers work, and closes them.
func (r *Route) work(ctx context.Context, cancel func(), workers []*worker) error {
	defer closeAll(workers)
	errs := make([]error, len(workers))
	var wg sync.WaitGroup
	for i, w := range workers {
		wg.Go(func() {
			if errs[i] = w.run(ctx, len(workers)); errs[i] != nil &&
				!errors.Is(errs[i], errRegroup) {
				cancel() // without one worker, the others do not go on
			}
		})
	}
	wg.Wait()
	regroup := false
	var failed []error
	for _, err := range errs {
		if errors.Is(err, errRegroup) {
			regroup = true
		} else {
			failed = append(failed, err)
		}
	}
	if err := errors.Join(failed...); err != nil || !regroup {
		return err
	}
	return errRegroup
}
