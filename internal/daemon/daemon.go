package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/collector"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/pkg/informer"
)

// Options are what a daemon needs beside its configuration.
type Options struct {
	// Kubeconfig and Context, if set, win over the configuration's.
	Kubeconfig, Context string
	Version             string
	Stdout              io.Writer // of the stdout output, and nothing else
	Log                 *slog.Logger
	Schemas             Schemas // what fields expressions may read; nil: any
	// Warned receives from CheckCluster what is legal and suspicious. Nil: it is logged.
	Warned func(config.Error)
}

// Run runs a configuration until ctx is done, and stops in order. The error is a config.Errors if
// the configuration is to blame, and nil if everything was stopped because ctx was done.
func Run(ctx context.Context, cfg *config.Config, o Options) error {
	p, err := build(ctx, cfg, BuildOptions{Log: o.Log, Stdout: o.Stdout, Schemas: o.Schemas,
		running: true, kubeconfig: o.Kubeconfig == ""})
	var mistakes config.Errors
	switch {
	case err != nil && ctx.Err() != nil && !errors.As(err, &mistakes):
		return nil // stopped before it began
	case err != nil:
		return err
	}
	c, err := connect(cfg, o)
	if err == nil {
		err = p.run(ctx, c, cfg, o)
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.Shutdown.Close.Duration)
	defer cancel()
	if closeErr := p.close(closing); closeErr != nil {
		// What was left unfinished has been counted; being stopped is no failure of the daemon.
		o.Log.Warn("not everything could be closed in time", "error", closeErr)
	}
	return err
}

// cluster is the API server and the informers that watch it.
type cluster struct {
	name     string
	resolver *kube.Resolver
	client   *informer.Client
	factory  *informer.Factory
	names    names
}

func connect(cfg *config.Config, o Options) (*cluster, error) {
	opts := kube.Options{
		Kubeconfig: o.Kubeconfig, Context: cfg.Cluster.Context,
		Compression: cfg.Cluster.Compression, Version: o.Version, Logger: o.Log,
	}
	if o.Kubeconfig == "" && cfg.Cluster.Kubeconfig != "" {
		opts.Kubeconfig = cfg.Path(cfg.Cluster.Kubeconfig)
	}
	if o.Context != "" {
		opts.Context = o.Context
	}
	rest, err := kube.RESTConfig(opts)
	if err != nil {
		return nil, err
	}
	client, err := informer.NewClient(rest)
	if err != nil {
		return nil, err
	}
	resolver, err := kube.NewResolver(rest)
	if err != nil {
		return nil, err
	}
	c := &cluster{
		name: cfg.Cluster.Name, resolver: resolver, client: client,
		factory: informer.NewFactory(client, o.Log),
	}
	c.factory.Renew, c.factory.OnFreed = c.renew, collector.Freed
	return c, nil
}

// run owns all goroutines: the informers and the binder, which bring events in, the routes, which
// bring them out, and the endpoint, which tells of them until they have ended.
func (p *parts) run(ctx context.Context, c *cluster, cfg *config.Config, o Options) error {
	log := o.Log
	answering, err := p.endpoints(cfg, c, o.Version, log)
	if err != nil {
		return err
	}
	log.Info("started", "config", cfg.File(), "cluster", c.name, "server", c.resolver.Server(),
		"listeners", len(p.listeners))
	if hasHandlers(cfg) {
		logEngine(ctx, log, p.host)
	}
	working, stopWorking := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWorking()

	var intake, routes, answers sync.WaitGroup
	answer, stopAnswering := context.WithCancel(context.WithoutCancel(ctx))
	defer answers.Wait()
	defer stopAnswering()
	for _, s := range answering {
		answers.Go(func() {
			if err := s.Serve(answer); err != nil {
				log.Error("requests are not answered any more", "error", err)
			}
		})
	}
	intake.Go(func() { _ = c.factory.Run(ctx) })
	b := &binder{cluster: c, log: log, digests: p.digests, start: func(l *listener) {
		routes.Go(func() {
			if !l.hasHandler(ctx) {
				return
			}
			// What an expression or a handler looks up must be there: an empty cache would be an
			// answer, too.
			if err := informer.WaitForSync(ctx, l.caches.registrations()...); err != nil {
				return
			}
			l.run(ctx, working, log)
		})
	}}
	for _, l := range p.listeners {
		intake.Go(func() {
			if l.load(ctx, p.host, log) == nil {
				close(l.loaded)
			}
		})
	}
	intake.Go(func() { b.run(ctx, p.listeners) })
	intake.Wait() // until ctx is done
	c.client.CloseIdleConnections()

	log.Info("stopping: the intake has ended, listeners finish what they have", "grace",
		cfg.Shutdown.Drain.Duration)
	for _, l := range p.listeners {
		l.buffer.Stop()
	}
	grace := time.AfterFunc(cfg.Shutdown.Drain.Duration, stopWorking)
	defer grace.Stop()
	routes.Wait()
	p.report(log)
	return nil
}

// report says what each listener has done, and what it leaves behind. Counters that are 0 are left
// out.
func (p *parts) report(log *slog.Logger) {
	buffers := make([]*informer.Subscription, len(p.listeners))
	for i, l := range p.listeners {
		buffers[i] = l.buffer
	}
	for i, unfinished := range informer.DiscardAll(buffers) {
		l := p.listeners[i]
		level := slog.LevelInfo
		if unfinished > 0 {
			level = slog.LevelWarn
		}
		s := l.buffer.Stats()
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
