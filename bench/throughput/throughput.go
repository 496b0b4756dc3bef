package throughput

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/informerd/informerd/bench/handlers"
	"github.com/informerd/informerd/bench/measure"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
)

// Way is what events pass.
type Way struct {
	Name    string
	Handler bool
	Outputs int  // that take everything
	Webhook bool // instead of those
	Least   int  // required events a second; 0 if there is no requirement
}

// Ways returns the ways that are measured.
func Ways() []Way {
	return []Way{
		{Name: "filter, 1 output", Outputs: 1},
		{Name: "filter, 2 outputs", Outputs: 2},
		{Name: "filter and handler, 1 output", Handler: true, Outputs: 1, Least: 100_000},
		{Name: "filter and handler, 2 outputs", Handler: true, Outputs: 2},
		{Name: "filter, webhook in batches", Webhook: true, Least: 20_000},
	}
}

// Result is what a way reaches.
type Result struct {
	Events      int           // in each round
	Rate, Bound float64       // events a second
	CPU         time.Duration // of an event
}

// bench is what all rounds share.
type bench struct {
	way      Way
	events   []event.Event
	filter   *filters.Filter
	handler  *plugins.Handler // nil if there is none
	messages *cloudevent.Builder
	outputs  []route.Output
	close    []func() error
}

// filter passes all events.
const filter = `object.status.phase in ["Pending", "Running", "Failed"] && ` +
	`object.metadata.namespace != "none"`

// Measure passes so many events in each of so many rounds.
func Measure(ctx context.Context, way Way, events, rounds int) (r Result, err error) {
	b, err := open(ctx, way, events)
	defer func() { err = errors.Join(err, b.closeAll()) }()
	if err != nil {
		return Result{}, fmt.Errorf("cannot measure throughput: %w", err)
	}
	var rates, bounds []float64
	var costs []time.Duration
	for round := range rounds + 1 {
		took, cpu, err := b.measured(ctx, b.route)
		if err != nil {
			return Result{}, fmt.Errorf("cannot measure %s: %w", way.Name, err)
		}
		bound, _, err := b.measured(ctx, b.bound)
		if err != nil {
			return Result{}, fmt.Errorf("cannot measure the bound of %s: %w", way.Name, err)
		}
		if round > 0 { // the first one is a warm-up
			rates = append(rates, float64(events)/took.Seconds())
			bounds = append(bounds, float64(events)/bound.Seconds())
			costs = append(costs, cpu/time.Duration(events))
		}
	}
	return Result{Events: events, Rate: median(rates), Bound: median(bounds),
		CPU: median(costs)}, nil
}

func median[T float64 | time.Duration](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}

func open(ctx context.Context, way Way, events int) (b *bench, err error) {
	b = &bench{way: way}
	if b.filter, err = filters.Compile(filters.Expression{Text: filter,
		Listener: "throughput"}); err != nil {
		return b, err
	}
	if b.messages, err = cloudevent.NewBuilder(
		sink.Origin{Cluster: "bench", Listener: "throughput", Resource: "pods"}); err != nil {
		return b, err
	}
	if b.events, err = adds(events); err != nil {
		return b, err
	}
	if way.Handler {
		host := plugins.NewHost(plugins.HostConfig{Log: slog.New(slog.DiscardHandler)})
		b.close = append(b.close, func() error { return host.Close(context.Background()) })
		if b.handler, err = host.Load(ctx, plugins.Spec{Listener: "throughput",
			Wasm: handlers.ReadsTwoFields()}); err != nil {
			return b, err
		}
	}
	return b, b.openOutputs()
}

func (b *bench) closeAll() (err error) {
	for _, f := range slices.Backward(b.close) {
		err = errors.Join(err, f())
	}
	return err
}

// measured fills a subscription, and returns how long f takes to empty it and its CPU time.
func (b *bench) measured(ctx context.Context,
	f func(context.Context, *informer.Subscription) error) (took, cpu time.Duration, err error) {
	s, err := informer.NewSubscription(informer.SubscriptionConfig{Name: "throughput",
		Capacity: len(b.events)})
	if err != nil {
		return 0, 0, err
	}
	for _, e := range b.events {
		if _, err := s.Offer(e, nil); err != nil {
			return 0, 0, err
		}
	}
	s.Stop()
	measure.Collect()
	before, err := measure.Self().CPU()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := f(ctx, s); err != nil {
		return 0, 0, err
	}
	took = time.Since(began)
	after, err := measure.Self().CPU()
	if done := s.Stats().Done; err == nil && done != uint64(len(b.events)) {
		err = fmt.Errorf("of %d events, %d are done", len(b.events), done)
	}
	return took, after - before, err
}

// route passes the events through a route.
func (b *bench) route(ctx context.Context, s *informer.Subscription) error {
	r, err := route.New(route.Config{
		Name: "throughput", Subscription: s, Retry: route.Retry{Attempts: 1},
		Letters: noLetters{}, Log: slog.New(slog.DiscardHandler),
		Workers: runtime.GOMAXPROCS(0), Buffer: route.Buffer{Capacity: len(b.events)},
		Pipeline: &route.Pipeline{Filter: b.filter, Handler: b.handler, Messages: b.messages,
			Outputs: b.outputs},
	})
	if err != nil {
		return err
	}
	if err := r.Run(ctx); err != nil {
		return err
	}
	if n, want := r.Stats().Written, len(b.events)*len(b.outputs); n != uint64(want) {
		return fmt.Errorf("%d messages were written, want %d", n, want)
	}
	return nil
}

// bound takes, filters and acknowledges the events.
func (b *bench) bound(ctx context.Context, s *informer.Subscription) error {
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = b.take(ctx, s, len(errs)) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (b *bench) take(ctx context.Context, s *informer.Subscription, workers int) error {
	const turn = 32
	matcher := b.filter.Evaluator()
	var taken []informer.Delivery
	for {
		d, err := s.Next(ctx)
		if errors.Is(err, informer.ErrStopped) {
			return nil
		}
		if err != nil {
			return err
		}
		taken = s.More(append(taken[:0], d), turn-1, workers)
		for i := range taken {
			if _, err := matcher.Match(taken[i].Event); err != nil {
				return err
			}
			taken[i].Done()
		}
	}
}

// noLetters fails when something is given up.
type noLetters struct{}

func (noLetters) Put(_ context.Context, l deadletter.Letter) (string, error) {
	return "", fmt.Errorf("%s was given up: %s", l.Name, l.Error)
}

// newOutput returns an output to a sink.
func newOutput(name string, s sink.Sink) route.Output {
	return route.Output{To: delivery.NewOutput(name, s, slog.New(slog.DiscardHandler))}
}
