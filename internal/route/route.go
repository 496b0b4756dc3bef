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
	Log        *slog.Logger
}

// Retry says how often and when a failed event is tried again.
type Retry struct {
	Attempts               int           // in all; at least 1
	MinBackoff, MaxBackoff time.Duration // the delay doubles from the one to the other
}

// delay returns how long an event waits after its attempt-th failure: random delays spread the
// retries of many objects.
func (t Retry) delay(attempt int) time.Duration {
	return backoff.Early(backoff.Backoff{Min: t.MinBackoff, Max: t.MaxBackoff}.Delay(attempt))
}

// Route is one listener's way from its subscription to its outputs. Make one with New.
type Route struct {
	name         string
	subscription Subscription
	retry        Retry
	workers      int
	log          *slog.Logger

	pipeline atomic.Pointer[Pipeline]
	runs     runs
	stats    stats
	breaker  breaker
	members  members
	retained retained
	// limiter bounds the lines about failures, however many events fail.
	limiter logLimiter
}

// New returns a route that does nothing until Run is called.
func New(cfg Config) (*Route, error) {
	switch {
	case cfg.Subscription == nil:
		return nil, fmt.Errorf("route %q has no subscription", cfg.Name)
	case cfg.Log == nil:
		return nil, fmt.Errorf("route %q has no log", cfg.Name)
	case cfg.Workers < 0 || cfg.PauseAfter < 0:
		return nil, fmt.Errorf(
			"route %q: workers (%d) and crashes before a pause (%d) must not be negative",
			cfg.Name, cfg.Workers, cfg.PauseAfter)
	}
	r := &Route{
		name: cfg.Name, subscription: cfg.Subscription, retry: cfg.Retry,
		workers: cmp.Or(cfg.Workers, 1), log: cfg.Log, breaker: breaker{after: cfg.PauseAfter},
	}
	if cfg.Pipeline != nil {
		if err := r.Use(cfg.Pipeline); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Use makes the pipeline the one that events go through from now on. An event that a worker has
// taken already, or that waits for a retry of its outputs, finishes with the one before. The route
// keeps a copy; the caller must not change what it refers to.
func (r *Route) Use(p *Pipeline) error {
	own, err := p.completed()
	if err != nil {
		return fmt.Errorf("route %q: %w", r.name, err)
	}
	r.pipeline.Store(own)
	return nil
}

// Run works on events until the subscription has stopped and is empty (then the result is nil), or
// ctx is done. If instances of the handler cannot be started, it fails, its events are back in the
// subscription, and it may be called again. Do not call it otherwise.
func (r *Route) Run(ctx context.Context) error {
	p := r.pipeline.Load()
	if p == nil {
		return fmt.Errorf("route %q has no pipeline", r.name)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer r.runs.begin(cancel)()
	workers := make([]*worker, r.workers)
	for i := range workers {
		workers[i] = &worker{route: r}
		defer workers[i].close()
		if err := workers[i].open(ctx, p); err != nil {
			return err
		}
	}
	errs := make([]error, len(workers))
	var wg sync.WaitGroup
	for i, w := range workers {
		wg.Go(func() {
			if errs[i] = w.run(ctx); errs[i] != nil {
				cancel() // without one worker, the others do not go on
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
