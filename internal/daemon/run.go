package daemon

import (
	"context"
	"log/slog"
	"sync"

	"github.com/informerd/informerd/pkg/informer"
)

// run starts the runtime's plan and stops it when ctx is done. It owns all goroutines: the
// informers and the binder, which bring events in, the listeners, which bring them out, and the
// endpoints, which report on them until they have ended.
func (r *runtime) run(ctx context.Context, c *cluster, o Options) error {
	log, cfg := r.log, r.plan.config
	answering, err := r.endpoints(cfg, c, o.Version, log)
	if err != nil {
		return err
	}
	log.Info("started", "config", cfg.File(), "cluster", c.name, "server", c.resolver.Server(),
		"listeners", len(r.listeners))
	if hasHandlers(cfg) {
		logEngine(ctx, log, r.host)
	}
	var intake, listeners, answers sync.WaitGroup
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
	intake.Go(func() { _ = c.factory.Run(ctx) })
	for _, l := range r.listeners {
		intake.Go(func() {
			if l.load(ctx, r.host, log) == nil {
				close(l.loaded)
			}
		})
	}
	b := &binder{cluster: c, log: log, digestKey: r.digestKey,
		start: func(l *listener) { listeners.Go(func() { l.start(ctx, r) }) }}
	intake.Go(func() { b.run(ctx, r.listeners) })
	intake.Wait() // until ctx is done
	c.client.CloseIdleConnections()

	grace := cfg.Shutdown.Drain.Duration
	log.Info("stopping: the intake has ended, listeners finish what they have", "grace", grace)
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	for _, l := range r.listeners {
		listeners.Go(func() { _ = l.route.Drain(draining) }) // logResults reports the rest
	}
	listeners.Wait()
	r.logResults(log)
	return nil
}

// logResults logs what each listener has done, and how many events it leaves unfinished. Counters
// that are 0 are left out.
func (r *runtime) logResults(log *slog.Logger) {
	subscriptions := make([]*informer.Subscription, len(r.listeners))
	for i, l := range r.listeners {
		subscriptions[i] = l.subscription
	}
	for i, unfinished := range informer.DiscardAll(subscriptions) {
		l := r.listeners[i]
		level := slog.LevelInfo
		if unfinished > 0 {
			level = slog.LevelWarn
		}
		s := l.subscription.Stats()
		attrs := []any{"listener", l.cfg.Name, "events", l.route.Stats()}
		for _, counter := range []slog.Attr{
			slog.Uint64("refused", s.Refused), slog.Uint64("coalesced", s.Coalesced),
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
}
