package daemon

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/endpoints"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// listener is what a runtime has of one listener: what lasts for its whole life, and the setup that
// it works with.
type listener struct {
	name string
	place
	in           string // its cluster, also if that is the only one
	subscription *informer.Subscription
	route        *route.Route
	health       endpoints.Health

	// now is what the listener works with, or will once it has begun.
	now atomic.Pointer[setup]

	loaded chan struct{}   // closed when the handler is loaded, or there is none
	life   context.Context // ends when the intake does, or the listener is removed
	leave  context.CancelFunc
	after  <-chan struct{} // what the listener waits for before it begins; nil: nothing
	ended  chan struct{}   // closed when it is no longer there, nor what it waited for
	tasks  sync.WaitGroup  // its goroutines, but for that which ends it

	// of a listener that a restart has removed, before that
	had map[event.Key]*object.Object
	was informer.Resource

	works       atomic.Bool // its route has what it needs, and runs
	endedAbsent atomic.Bool // what it remembered of objects that are gone has ended

	restarting sync.Mutex // held while another setup takes over, or is waited for

	mu    sync.Mutex // guards what follows
	begun bool       // its route runs, or has run
	gone  bool       // it must not begin any more
	next  *setup     // that it is to work with once it can; nil if that is now
	// before is the select by which the listener has the objects that have not come since it was
	// exchanged; nil if it never was. beforeText is its expression.
	before     *route.Selection
	beforeText string
	// saved is what the listener had before a restart, until its route has that; nil if nothing.
	saved  *keeper.Listener
	wentOn chan struct{} // closed when its route has that; nil if there is nothing
	behind bool          // it has gone on after a restart, and its informers have not caught up
	left   []string      // namespaces of the informers that it had before a restart, and has not now
	events []*informer.Registration
}

var overflows = map[string]informer.Overflow{
	"latest": informer.OverflowLatest, "block": informer.OverflowBlock,
	config.OverflowDrop: informer.OverflowDrop, config.OverflowSpill: informer.OverflowSpill,
}

// newListener makes a listener of its plan, without starting it, and collects the mistakes.
func (r *runtime) newListener(ctx context.Context, cfg *config.Config, p *plan.Listener) (*listener,
	config.Errors) {
	s, mistakes := r.newSetup(ctx, cfg, p, making{outputs: r.outputs, later: r.persist})
	l, err := r.listenerOf(s, r.keeper, place{})
	if err != nil {
		wrong := plan.SectionOf(cfg, p.Config)
		wrong.Mistake("", err)
		mistakes = append(mistakes, wrong.Mistakes...)
	}
	return l, mistakes
}

// listenerOf makes a listener of a shard that works with a setup, without starting it. The keeper
// has what it goes on with, nil if nothing.
func (r *runtime) listenerOf(s *setup, k *keeper.Keeper, at place) (l *listener, err error) {
	l = &listener{name: s.Config.Name, place: at, in: cmp.Or(at.cluster, r.plan.Config.Cluster.Name),
		loaded: make(chan struct{}), ended: make(chan struct{})}
	l.now.Store(s)
	if s.Config.GoesOn() {
		l.resume(k, r.log)
	}
	if l.saved != nil {
		for _, o := range s.outputs {
			if err := r.maker.Sent(o.name).Restore(l.inShard(), l.saved.Records[sentPart+o.name]); err != nil {
				return l, err
			}
		}
	}
	buffered := s.subscriptionConfig()
	if l.before != nil {
		buffered = seesAll(buffered)
	}
	if l.subscription, err = informer.NewSubscription(buffered); err != nil {
		return l, err
	}
	c := l.routeConfig(r.log, r.letters)
	c.Tracer, c.Resource = r.tracer, s.Config.Informer().Resource
	if c.Keep = s.Config.GoesOn() && k != nil; c.Keep {
		c.Await = k.Await
	}
	l.route, err = route.New(c)
	return l, err
}

// inShard names the listener among those of all clusters and shards.
func (l *listener) inShard() string { return l.in + "/" + l.name + "/" + l.shard }

// setup returns what the listener works with.
func (l *listener) setup() *setup { return l.now.Load() }

// subscriptionConfig returns the configuration of the listener's buffer.
func (s *setup) subscriptionConfig() informer.SubscriptionConfig {
	c := informer.SubscriptionConfig{
		Name: s.Config.Name, Capacity: s.Config.Buffer.Capacity,
		Overflow: overflows[s.Config.Buffer.Overflow], Resync: s.Config.Resync.Duration,
		On: s.Before.On, Conditions: s.Before.Conditions, Transitions: s.Before.Transitions,
		Track: s.Config.GoesOn(),
	}
	if spill := s.Config.Buffer.Spill; spill != nil {
		c.SpillBytes = int64(spill.Bytes)
	}
	c.SpillDir = s.spillDir
	return c
}

// routeConfig returns the configuration of the listener's route, without a pipeline.
func (l *listener) routeConfig(log *slog.Logger, letters delivery.Letters) route.Config {
	t := l.setup().tuning()
	c := route.Config{
		Name: l.name, Subscription: l.subscription, Rewound: l.subscription.Rewound, Retry: t.Retry, Buffer: t.Buffer,
		PauseAfter: t.PauseAfter, Workers: t.Workers, Letters: letters,
		Log: log.With("listener", l.name),
	}
	if store, ok := letters.(*deadletter.Store); ok {
		c.Notes = store.Listener(l.name)
	}
	return c
}

// tuning returns what can be changed while the listener's route runs.
func (s *setup) tuning() route.Tuning {
	retry := s.Config.Retry
	t := route.Tuning{
		Workers: s.Config.Workers,
		Buffer: route.Buffer{Capacity: s.Config.Buffer.Capacity,
			Overflow: overflows[s.Config.Buffer.Overflow]},
		Retry: route.Retry{Attempts: retry.Attempts, MinBackoff: retry.MinBackoff.Duration,
			MaxBackoff: retry.MaxBackoff.Duration, GiveUpAfter: retry.GiveUpAfter.Duration},
	}
	if s.Config.Handler != nil {
		t.PauseAfter = s.Config.Handler.PauseAfter
	}
	return t
}

// start waits until what the listener needs is there, and runs its route until that is drained.
// When ctx ends before, it does not run.
func (l *listener) start(ctx context.Context, k *keeper.Keeper, log *slog.Logger) {
	if !l.hasHandler(ctx) {
		return
	}
	// An empty cache would be an answer to a lookup, too.
	if err := informer.WaitForSync(ctx, l.setup().caches.registrations()...); err != nil {
		return
	}
	working := context.WithoutCancel(ctx) // draining the route ends it
	_ = l.untilItWorks(ctx, log, func() error {
		if begun, err := l.use(k); err != nil || !begun {
			return err // nil: it must not begin any more
		}
		l.works.Store(true)
		return l.route.Run(working)
	})
}

// use makes the route use the listener's setup, with what the listener had before a restart, and
// notes that the listener has begun, unless it must not. All that under one lock: a reload that
// came between would exchange the setup of a route that does not have yet what there was.
func (l *listener) use(k *keeper.Keeper) (begun bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.gone && !l.begun:
		return false, nil
	case l.saved != nil:
		err = l.goOn(k)
	default:
		err = l.route.Use(l.pipeline())
	}
	l.begun = l.begun || err == nil
	return l.begun, err
}

// pipeline returns what becomes of the listener's events. The caller holds mu.
func (l *listener) pipeline() *route.Pipeline {
	p := l.setup().pipeline()
	p.Before = l.before
	return p
}

// registrations returns those that bring the listener its events, nil if it is not bound.
func (l *listener) registrations() []*informer.Registration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.events
}

// tie notes the registrations that bring the listener its events.
func (l *listener) tie(events []*informer.Registration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = events
}

// remove notes that the listener must not begin any more. It reports whether it has begun.
func (l *listener) remove() (begun bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = true
	return l.begun
}

// unbind ends the listener's registrations.
func (l *listener) unbind() {
	l.restarting.Lock()
	defer l.restarting.Unlock()
	l.mu.Lock()
	events := l.events
	l.events = nil
	l.mu.Unlock()
	removeAll(events)
}

// setup is what a listener works with: its part of a plan, and what was made for that. A reload
// exchanges it as a whole; what is the same in the next one is passed on to it. Nobody changes it
// once a listener has it, except that it is bound, once.
type setup struct {
	*plan.Listener
	whole     *config.Config // that it is a part of
	outputs   []*output
	digestKey []byte // of the digests of Secrets; nil: one of the process's own
	spillDir  string // where a full buffer writes, if it does
	// remembered is what book returns. Pages read it while a listener goes on after a restart.
	remembered atomic.Pointer[rules.Book]

	caches *caches   // empty until the setup is bound
	module *module   // nil without a handler
	own    route.Own // nil if no output changes objects

	// bound is nil until the binder, or the setup before, has provided it.
	bound atomic.Pointer[binding]

	life     context.Context // ends when the setup is no longer wanted
	unwanted context.CancelFunc
}

// making is what a setup is made with, besides its plan.
type making struct {
	outputs outputs
	before  *setup // of which it has what it can use; nil: none
	shard   *shard // that it is for; nil: none in particular
	later   bool   // its handler is loaded when other listeners do not wait for it
}

// cluster returns the name of the cluster that the setup is for.
func (m *making) cluster(cfg *config.Config) string {
	if m.shard == nil {
		return cfg.Cluster.Name
	}
	return m.shard.cluster.name
}

// newSetup makes a setup of a plan. It collects the mistakes.
func (r *runtime) newSetup(ctx context.Context, cfg *config.Config, p *plan.Listener,
	with making) (*setup, config.Errors) {
	before := with.before
	s := &setup{Listener: p, whole: cfg, digestKey: r.digestKey, caches: &caches{cluster: with.cluster(cfg),
		shard: with.shard, listener: p.Config.Name}}
	s.life, s.unwanted = context.WithCancel(context.WithoutCancel(ctx))
	if before != nil && before.looksUpAs(s) {
		s.caches = before.caches
		s.bound.Store(before.bound.Load())
	}
	if len(p.Rules) > 0 {
		s.remembered.Store(rules.NewBook(p.Rules, len(p.Config.Outputs)))
	}
	for _, name := range p.Config.Outputs {
		s.outputs = append(s.outputs, with.outputs[name])
		if cfg.Outputs[name].Patch != nil && r.maker != nil {
			s.own = r.maker.API.Own(with.cluster(cfg), p.Config.Name)
		}
	}
	section := plan.SectionOf(cfg, p.Config)
	if r.persist {
		var err error
		if s.spillDir, err = statefolder.SpillDir(cfg, p.Config); err != nil {
			section.Mistake(".buffer.overflow", err)
		}
	}
	if p.Config.Handler == nil {
		return s, section.Mistakes
	}
	reader := &handlers.Reader{Section: section, Persist: r.persist && !r.dryRun, Caches: s.caches}
	if with.shard != nil {
		reader.Shard, reader.KV = with.shard.place().String(), with.shard.kv()
	}
	if err := r.newModule(ctx, s, before, reader, with.later); err != nil {
		reader.Refused(err)
	}
	return s, reader.Mistakes
}

// book returns what the rules remember, nil if there are none. It becomes that of the setup before
// when a listener changes, and what was before a restart when it goes on.
func (s *setup) book() *rules.Book { return s.remembered.Load() }

// pipeline returns what becomes of the listener's events, once the setup is bound and its handler
// loaded.
func (s *setup) pipeline() *route.Pipeline {
	p := &route.Pipeline{
		Select: s.Select, On: s.Config.Ops(), Filter: s.Filter,
		OnError: s.Config.OnError, Rules: s.book(), Quiet: s.Quiet,
		Own: s.own, Caches: s.caches,
	}
	if to := s.bound.Load(); to != nil {
		p.Messages = to.messages
	}
	if p.Rules != nil {
		p.RuleSet = append([]*rules.Rule{}, s.Rules...) // none is not nil
	}
	for _, o := range s.outputs {
		p.Outputs = append(p.Outputs, o.route())
	}
	if s.module != nil {
		p.Handler, p.Batch = s.module.handler, s.Config.Handler.Batch
	}
	return p
}

// hold notes that a listener has the setup, and so uses its outputs.
func (s *setup) hold() {
	for _, out := range s.outputs {
		out.hold()
	}
}

// looksUpAs reports whether another setup can use the same caches, which are bound.
func (s *setup) looksUpAs(other *setup) bool {
	return s.bound.Load() != nil && plan.Digest(s.LooksUp()) == plan.Digest(other.LooksUp())
}
