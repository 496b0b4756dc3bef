package daemon

import (
	"context"
	"log/slog"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/plugins"
)

// listener is what a runtime has of one listener of its plan.
type listener struct {
	*listenerPlan
	subscription *informer.Subscription
	route        *route.Route
	book         *rules.Book // nil without rules
	outputs      []route.Output
	caches       caches              // empty until the listener is bound
	messages     *cloudevent.Builder // nil until then
	spec         *plugins.Spec       // of a handler that is not loaded yet
	handler      *plugins.Handler    // nil without one, or until it is loaded
	loaded       chan struct{}       // closed when it is loaded, or there is none
	health       health
}

var overflows = map[string]informer.Overflow{
	config.OverflowLatest: informer.OverflowLatest, config.OverflowBlock: informer.OverflowBlock,
	config.OverflowDrop: informer.OverflowDrop, config.OverflowSpill: informer.OverflowSpill,
}

// prepare makes a listener of its plan, without starting it, and collects the mistakes.
func (r *runtime) prepare(ctx context.Context, cfg *config.Config, p *listenerPlan) (*listener,
	config.Errors) {
	s := sectionOf(cfg, p.cfg)
	l := &listener{listenerPlan: p, caches: caches{}, loaded: make(chan struct{})}
	if len(p.rules) > 0 {
		l.book = rules.NewBook(p.rules, len(p.cfg.Outputs))
	}
	for _, name := range p.cfg.Outputs {
		l.outputs = append(l.outputs, route.Output{Name: name, Sink: r.sinks[name]})
	}
	if p.cfg.Handler != nil {
		reader := &handlerReader{section: s, persist: r.persist, caches: l.caches}
		err := r.prepareHandler(ctx, l, reader)
		s = reader.section
		if err != nil {
			s.mistake(".handler.wasm", err)
		}
	}
	var err error
	if l.subscription, err = informer.NewSubscription(p.subscription(cfg)); err != nil {
		s.mistake("", err)
		return l, s.mistakes
	}
	if l.route, err = route.New(l.routeConfig(r.log)); err != nil {
		s.mistake("", err)
	}
	return l, s.mistakes
}

// prepareHandler reads and checks a listener's module. In a daemon it is loaded later, when other
// listeners do not wait for it; else it is loaded at once.
func (r *runtime) prepareHandler(ctx context.Context, l *listener, reader *handlerReader) error {
	spec, err := reader.spec()
	switch {
	case spec == nil:
		return err
	case r.persist:
		l.spec = spec
		return r.host.Check(*spec)
	}
	l.handler, err = r.host.Load(ctx, *spec)
	return err
}

// subscription returns the configuration of the listener's buffer.
func (p *listenerPlan) subscription(cfg *config.Config) informer.SubscriptionConfig {
	c := informer.SubscriptionConfig{
		Name: p.cfg.Name, Capacity: p.cfg.Buffer.Capacity,
		Overflow: overflows[p.cfg.Buffer.Overflow], Resync: p.cfg.Resync.Duration,
		On: p.before.on, Conditions: p.before.conditions, Transitions: p.before.transitions,
	}
	if spill := p.cfg.Buffer.Spill; spill != nil {
		c.SpillBytes = int64(spill.Bytes)
		if spill.Dir != "" {
			c.SpillDir = cfg.Path(spill.Dir)
		}
	}
	return c
}

// routeConfig returns the configuration of the listener's route, without a pipeline.
func (l *listener) routeConfig(log *slog.Logger) route.Config {
	retry := l.cfg.Retry
	c := route.Config{
		Name: l.cfg.Name, Subscription: l.subscription, Workers: l.cfg.Workers,
		Log: log.With("listener", l.cfg.Name),
		Retry: route.Retry{Attempts: retry.Attempts, MinBackoff: retry.MinBackoff.Duration,
			MaxBackoff: retry.MaxBackoff.Duration},
	}
	if l.cfg.Handler != nil {
		c.PauseAfter = l.cfg.Handler.PauseAfter
	}
	return c
}

// pipeline returns what becomes of the listener's events, once it is bound and its handler loaded.
func (l *listener) pipeline() *route.Pipeline {
	p := &route.Pipeline{
		Select: l.selects, On: l.cfg.Ops(), Filter: l.filter, Rules: l.book, Quiet: l.quiet,
		Handler: l.handler, Caches: l.caches, Messages: l.messages, Outputs: l.outputs,
	}
	if l.cfg.Handler != nil {
		p.Batch = l.cfg.Handler.Batch
	}
	return p
}

// start waits until what the listener needs is there, and runs its route until that is drained.
// When ctx ends before, it does not run.
func (l *listener) start(ctx context.Context, r *runtime) {
	if !l.hasHandler(ctx) {
		return
	}
	// An empty cache would be an answer to a lookup, too.
	if err := informer.WaitForSync(ctx, l.caches.registrations()...); err != nil {
		return
	}
	working := context.WithoutCancel(ctx) // draining the route ends it
	_ = l.untilItWorks(ctx, r.log, func() error {
		if err := l.route.Use(l.pipeline()); err != nil {
			return err
		}
		return l.route.Run(working)
	})
}

// lookups returns the names of the informers in which the listener's expressions and its handler
// look objects up.
func (p *listenerPlan) lookups() []string {
	names := append(lookups(p.filters()), grantedInformers(p.cfg)...)
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// lookedUpBy returns which part of the listener looks objects up in an informer.
func (p *listenerPlan) lookedUpBy(name string) string {
	if slices.Contains(lookups(p.filters()), name) {
		return "its expressions look"
	}
	return "its handler looks"
}
