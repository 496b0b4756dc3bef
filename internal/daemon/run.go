package daemon

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/pkg/informer"
)

// supervisor runs a runtime. It owns all goroutines: the informers and the binder, which bring
// events in, the listeners, which bring them out, and the endpoints, which report on them until
// they have ended.
type supervisor struct {
	*runtime
	cluster           *cluster
	binder            *binder
	reloading         reloading
	once              *oneRun // nil: it runs until it is stopped
	fields            *fieldChecker
	intake, listening sync.WaitGroup
}

// run starts the runtime's plan and stops it when ctx is done.
func (r *runtime) run(ctx context.Context, c *cluster, o Options) error {
	log, cfg := r.log, r.plan.Config
	socket, err := commands(cfg, log)
	if err != nil {
		return err
	}
	s := &supervisor{runtime: r, cluster: c, fields: newFieldChecker(log, o.Schemas)}
	s.reloading.set(true)
	if o.Once != nil {
		ctx, s.once = o.Once.begin(ctx)
		defer s.once.end()
	}
	answering, err := r.endpoints(cfg, c, o.Version, log, s.reloading.last)
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	log.Info("started", "config", cfg.File(), "cluster", c.name, "server", c.Resolver.Server(),
		"listeners", len(r.listeners))
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
	s.binder = newBinder(c, log, s.bound)
	r.outputs.hold(nil)
	s.acceptCommands(ctx)
	s.serveCommands(answer, socket, &answers)
	if err := s.standBy(); err != nil {
		return err
	}
	ctx, err = s.lead(ctx)
	if err != nil {
		err = cmp.Or(s.resign(), unlessDone(ctx, err))
		if err == nil && s.once != nil {
			err = s.once.result(nil, nil)
		}
		return err
	}
	ctx, kept := s.keep(ctx)
	s.retireLeft(ctx)
	s.intake.Go(func() { _ = c.factory.Run(ctx) })
	if o.Progress != nil {
		s.intake.Go(func() { o.Progress(ctx, c.factory.Status) })
	}
	for _, l := range r.current() {
		s.start(ctx, l)
	}
	s.followDefinitions(ctx)
	s.intake.Go(func() { s.binder.run(ctx) })
	s.reloads(ctx, o)
	if s.once != nil {
		s.intake.Go(func() { s.once.wait(ctx, s.notThrough) })
	}
	s.intake.Wait() // until ctx is done
	c.Client.CloseIdleConnections()
	all, unfinished := s.drain(ctx)
	err = cmp.Or(kept(), s.resign())
	if s.once != nil {
		err = cmp.Or(err, s.once.result(all, unfinished))
	}
	return err
}

// unlessDone returns an error, nil if it is the context's.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// drain lets the listeners finish what they have, for a while. It returns them, and how many events
// and messages each leaves unfinished.
func (s *supervisor) drain(ctx context.Context) (all []*listener, unfinished []int) {
	grace := s.grace()
	if s.replica.Load() != nil {
		grace = min(grace, handOverGrace)
	}
	s.log.Info("stopping: the intake has ended, listeners finish what they have", "grace", grace)
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	if s.once != nil {
		cancel()
		draining, cancel = s.once.draining(ctx, grace)
	}
	defer cancel()
	if cause := context.Cause(ctx); cause == errCheckpoint || errors.Is(cause, lease.ErrLost) {
		cancel() // whatever ends now would come again
	}
	all = s.current()
	for _, l := range all {
		s.listening.Go(func() { _ = l.route.Drain(draining) }) // logResults reports the rest
	}
	s.listening.Wait()
	unfinished = logResults(s.log, all)
	for _, l := range all { // of outputs that the plan does not have any more
		for _, had := range l.setups() {
			s.letGo(had.outputs...)
		}
	}
	s.listening.Wait()
	return all, unfinished
}

// start loads the handler of a listener and has it bound. When that is done, it begins.
func (s *supervisor) start(ctx context.Context, l *listener) {
	l.life, l.leave = context.WithCancel(ctx)
	l.setup().hold()
	if l.after == nil {
		s.binder.add(l, l.setup())
	}
	l.tasks.Add(1)
	s.intake.Go(func() {
		defer l.tasks.Done()
		if l.after != nil {
			select {
			case <-l.after:
				s.binder.add(l, l.setup())
			case <-l.life.Done():
				return
			}
		}
		if l.load(l.life, s.host, s.log) == nil {
			close(l.loaded)
		}
	})
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
func (r *runtime) current() []*listener {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.listeners)
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
