package daemon

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/rights"
	"github.com/informerd/informerd/pkg/informer"
)

// supervisor runs a runtime. It owns what all shards have in common: the endpoints, which report on
// them until they have ended, reloads, and the definitions of resources.
type supervisor struct {
	*runtime
	home            *cluster // that informerd belongs to; nil if there are several and nothing needs it
	options         Options
	fleet           *members // nil if there is one cluster
	reloading       reloading
	once            *oneRun        // nil: it runs until it is stopped
	intake, closing sync.WaitGroup // the latter: of outputs
}

// run starts the runtime's plan and stops it when ctx is done.
func (r *runtime) run(ctx context.Context, home *cluster, o Options) error {
	log, cfg := r.log, r.plan.Config
	if cfg.Fleet() && o.Once != nil {
		return config.Errors{cfg.ErrorAt("clusters", "a run with --once works in one cluster", "")}
	}
	socket, err := commands(cfg, log)
	if err != nil {
		return err
	}
	s := &supervisor{runtime: r, home: home, options: o}
	s.reloading.set(true)
	if o.Once != nil {
		ctx, s.once = o.Once.begin(ctx)
		defer s.once.end()
	}
	if cfg.Fleet() {
		s.fleet = newMembers(s)
	} else {
		s.connectOutputs(home)
		if cfg.Sharding == nil {
			one := s.newShard(home, informer.Shard{}, home.factory)
			one.keeper, one.listeners = r.keeper, r.listeners
			r.shards = []*shard{one}
		}
	}
	answering, err := s.endpoints(cfg)
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	started := []any{"config", cfg.File(), "listeners", len(r.listeners)}
	if s.fleet == nil {
		started = append(started, "cluster", home.name, "server", home.Resolver.Server())
	}
	log.Info("started", started...)
	if hasHandlers(cfg) {
		logEngine(ctx, log, r.host)
	}
	var answers sync.WaitGroup
	answer, stopAnswering := context.WithCancel(context.WithoutCancel(ctx))
	defer answers.Wait()
	defer stopAnswering()
	for _, s := range answering {
		answers.Go(func() {
			if err := s.Serve(answer); err != nil {
				log.Error("the endpoint has stopped answering", "error", err)
			}
		})
	}
	answers.Go(func() { r.stalls.Run(answer) })
	r.outputs.hold(nil)
	s.acceptCommands(ctx)
	s.serveCommands(answer, socket, &answers)
	switch {
	case cfg.Sharding != nil:
		return s.share(ctx, o)
	case s.fleet != nil:
		return s.workOnFleet(ctx, o)
	}
	return s.workOnAll(ctx, o)
}

// workOnAll works on all objects until ctx is done, once no other replica does.
func (s *supervisor) workOnAll(ctx context.Context, o Options) error {
	one := s.shards[0]
	if err := one.standBy(); err != nil {
		return err
	}
	ctx, err := one.lead(ctx)
	if err != nil {
		err = cmp.Or(s.resign(), unlessDone(ctx, err))
		if err == nil && s.once != nil {
			err = s.once.result(nil, nil)
		}
		return err
	}
	ctx, kept := one.keep(ctx)
	s.intake.Go(func() { s.follow(ctx, s.home) })
	one.begin(ctx)
	if o.Progress != nil {
		s.intake.Go(func() { o.Progress(ctx, one.factory.Status) })
	}
	s.reloads(ctx, o)
	if s.once != nil {
		s.intake.Go(func() { s.once.wait(ctx, s.notThrough) })
	}
	s.intake.Wait() // until ctx is done
	all, unfinished := one.end(ctx)
	s.closing.Wait()
	err = cmp.Or(kept(), s.resign())
	if s.once != nil {
		err = cmp.Or(err, s.once.result(all, unfinished))
	}
	return err
}

// connectOutputs has outputs write to a cluster.
func (s *supervisor) connectOutputs(c *cluster) {
	s.maker.API.Connect(c.name, rights.Guard(c.writer, c.Asker))
}

// unlessDone returns an error, nil if it is the context's.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// logResults logs what each listener has done, and returns how much it leaves unfinished. Counters
// that are 0 are left out.
func logResults(log *slog.Logger, all []*listener) (rest []int) {
	subscriptions := make([]*informer.Subscription, len(all))
	for i, l := range all {
		subscriptions[i] = l.subscription
	}
	for i, unfinished := range informer.DiscardAll(subscriptions) {
		l, level := all[i], slog.LevelInfo
		done, s := l.route.Stats(), l.subscription.Stats()
		attrs := []any{"listener", l.name, "events", done}
		for _, out := range done.Outputs {
			if out.Queued > 0 {
				unfinished += out.Queued
				attrs = append(attrs, slog.Group("waiting", slog.Int(out.Output, out.Queued)))
			}
		}
		if done.Leaving > 0 {
			unfinished += done.Leaving
			attrs = append(attrs, "waitingForRemovedOutputs", done.Leaving)
		}
		if rest = append(rest, unfinished); unfinished > 0 {
			level = slog.LevelWarn
		}
		for _, counter := range []slog.Attr{
			slog.Uint64("refusedBeforeBuffer", s.Refused), slog.Uint64("coalesced", s.Coalesced),
			slog.Uint64("dropped", s.Dropped),
			slog.Uint64("spilled", s.Spilled), slog.Uint64("blocked", s.Blocked),
			slog.Uint64("resyncsSkipped", s.ResyncsSkipped),
			slog.Uint64("mistakes", s.Mistakes), slog.Uint64("unfinished", uint64(unfinished)),
		} {
			if counter.Value.Uint64() > 0 {
				attrs = append(attrs, counter)
			}
		}
		if s.SpillError != nil {
			level = slog.LevelWarn
			attrs = append(attrs, "spillError", s.SpillError)
		}
		log.Log(context.Background(), level, "listener stopped", attrs...)
	}
	return rest
}

// current returns the listeners that there are.
func (r *runtime) current() (all []*listener) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.shards {
		all = append(all, s.listeners...)
	}
	return all
}

// working returns the shards that are worked on.
func (r *runtime) working() []*shard {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.shards)
}

// clusters returns those that are watched.
func (s *supervisor) clusters() []*cluster {
	if s.fleet != nil {
		return s.fleet.current()
	}
	return []*cluster{s.home}
}

// workingIn returns the shards of a cluster that are worked on.
func (r *runtime) workingIn(c *cluster) []*shard {
	return slices.DeleteFunc(r.working(), func(s *shard) bool { return s.cluster != c })
}

// config returns the configuration that runs.
func (r *runtime) config() *config.Config {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.plan.Config
}

// grace returns how long listeners may take to finish what they have.
func (r *runtime) grace() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.plan.Config.Shutdown.Drain.Duration
}

// closeGrace returns how long closing an output may take.
func (r *runtime) closeGrace() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.plan.Config.Shutdown.Close.Duration
}
