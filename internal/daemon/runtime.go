package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/endpoints"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube/lease"
	sinks "github.com/informerd/informerd/internal/outputs"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/replica"
	"github.com/informerd/informerd/internal/sharedstate"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/plugins"
)

// runtime owns what lives longer than one event, and as a whole longer than a plan: the host of
// handlers, the outputs, and the listeners with their subscriptions and routes. Close it.
type runtime struct {
	log       *slog.Logger
	host      *plugins.Host
	persist   bool         // it is a daemon's, which keeps state
	dryRun    bool         // nothing has effects outside of it
	digestKey []byte       // for setups; belongs to whoever makes them
	maker     *sinks.Maker // nil in a runtime that does not run
	letters   *deadletter.Store
	keeper    *keeper.Keeper // of the folder; nil if no listener goes on there
	// replica is nil unless one of several replicas works, shares unless each has shards, and fence if
	// there is one process only.
	replica  atomic.Pointer[replica.Replica]
	shares   atomic.Pointer[lease.Shares]
	inCommon *sharedstate.State // nil: replicas have nothing in common
	fence    *sink.Fence        // of all outputs
	tracer   *tracing.Tracer
	status   func() *status.Status // once it runs
	stalls   endpoints.StallWatch  // once it runs

	replaying sync.Mutex // held while letters are replayed

	listeners []*listener // that were made first, of the plan in its order

	// mu guards what follows. A listener's mu may be held by who locks it, never the other way round.
	// Workers lock it for what other clusters have, so nobody waits for a worker meanwhile.
	mu      sync.Mutex
	plan    *plan.Plan
	outputs outputs
	shards  []*shard                     // that are worked on
	holds   map[string]*sharedstate.Hold // of what replicas have in common, by the Lease of the shard
}

// stopGrace is how long closing a runtime may take when building it is stopped.
const stopGrace = time.Second

// Check builds everything a configuration asks for, except what needs the API server, and closes it
// again. The error is a config.Errors if the configuration is to blame.
func Check(ctx context.Context, cfg *config.Config, opts Options) error {
	r, err := build(ctx, cfg, opts)
	if err != nil {
		return err
	}
	return r.close(ctx)
}

// build compiles a configuration and makes a runtime that has its plan, or reports every mistake
// there is.
func build(ctx context.Context, cfg *config.Config, opts Options) (*runtime, error) {
	r, err := open(ctx, cfg, opts)
	if err != nil {
		return nil, err
	}
	opts.warn(cfg.Warnings())
	var mistakes config.Errors
	if opts.Kubeconfig == "" {
		mistakes = plan.KubeconfigMistakes(cfg)
	}
	p, wrong := plan.Compile(cfg, opts.Schemas)
	for _, l := range p.Listeners {
		opts.report(cfg, l)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Outputs)) {
		o := p.Outputs[name]
		opts.suspicious(o.Field, o.Expressions, opts.Log.With("output", name))
	}
	missing, err := r.apply(ctx, p)
	// Secrets and files need not be there where a configuration is only looked at.
	values := slices.Concat(r.outputs.check(cfg), sinks.CheckTracing(cfg), sinks.CheckState(cfg),
		endpoints.Mistakes(cfg))
	if opts.running {
		missing = append(missing, values...)
	} else {
		opts.warn(values)
		opts.warn(p.LookupNotes())
	}
	if err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		defer cancel()
		return nil, errors.Join(err, r.close(closing))
	}
	if mistakes = slices.Concat(mistakes, wrong, missing); len(mistakes) > 0 {
		return nil, errors.Join(plan.NotLoaded(cfg, mistakes), r.close(ctx))
	}
	if r.maker != nil {
		if err := r.outputs.open(ctx, p, r); err != nil {
			return nil, errors.Join(err, r.close(ctx))
		}
	}
	opts.warn(p.Warnings())
	return r, nil
}

// open makes a runtime without a plan.
func open(ctx context.Context, cfg *config.Config, opts Options) (*runtime, error) {
	r := &runtime{log: opts.Log, persist: opts.running, dryRun: opts.DryRun != nil}
	if opts.running {
		host := plugins.HostConfig{Log: opts.Log, Compiler: plugins.SelfCompiler()}
		err := statefolder.Prepare(cfg, &host)
		if err == nil {
			r.digestKey, err = statefolder.DigestKey(cfg)
		}
		if err != nil {
			return nil, err
		}
		r.host = plugins.NewHost(host)
		if cfg.LeaderElection != nil {
			r.fence = sink.NewFence(r.mayWrite)
		}
		r.maker = &sinks.Maker{Stdout: cmp.Or(opts.Stdout, io.Discard), Fence: r.fence,
			DryRun: opts.DryRun}
		r.maker.API, err = sinks.NewAPI(opts.Log)
		if err == nil && len(sinks.CheckTracing(cfg)) == 0 { // else build says why
			r.tracer, err = sinks.NewTracer(cfg, opts.Version, opts.Log)
		}
		if err == nil {
			err = openHost(ctx, cfg, r.host)
		}
		if err != nil {
			return nil, errors.Join(err, r.close(ctx))
		}
	} else {
		r.host = CompilingHost(ctx, opts.Log)
	}
	var err error
	r.letters, err = statefolder.OpenLetters(cfg, opts.running, partOf(cfg), mirror{r}, opts.Log)
	if err == nil && opts.running && !cfg.Fleet() {
		r.keeper, err = statefolder.OpenKeeper(cfg, "", opts.Forget, opts.Log)
	}
	if err != nil {
		return nil, errors.Join(err, r.close(ctx))
	}
	return r, nil
}

// apply makes the listeners of a plan, without starting them. It reads modules and the values of
// headers, and returns the mistakes that it finds there. The error is ctx's: then the mistakes mean
// nothing.
func (r *runtime) apply(ctx context.Context, p *plan.Plan) (config.Errors, error) {
	r.plan, r.outputs = p, newOutputs(p, nil)
	var mistakes config.Errors
	for _, planned := range p.Listeners {
		l, wrong := r.newListener(ctx, p.Config, planned)
		if err := ctx.Err(); err != nil { // a handler that was cut short is not a mistake
			return nil, fmt.Errorf("stopped before all was checked: %w", err)
		}
		r.listeners = append(r.listeners, l)
		mistakes = append(mistakes, wrong...)
	}
	return mistakes, nil
}

// close closes the handlers first, then the outputs.
func (r *runtime) close(ctx context.Context) error {
	errs := []error{r.host.Close(ctx), r.outputs.close(ctx)}
	if r.maker != nil && r.maker.API != nil {
		errs = append(errs, r.maker.API.Close(ctx))
	}
	errs = append(errs, r.tracer.Close(ctx))
	if r.letters != nil {
		errs = append(errs, statefolder.CloseLetters(r.letters, r.log))
	}
	if r.keeper != nil {
		errs = append(errs, r.keeper.Close())
	}
	return errors.Join(errs...)
}

// report passes on, or logs, what is suspicious in a listener's expressions, and logs what is
// decided before its buffer.
func (o Options) report(cfg *config.Config, l *plan.Listener) {
	log := o.Log.With("listener", l.Config.Name)
	o.suspicious(l.Field, l.Expressions, log)
	if o.Warned != nil && l.Before.Never {
		o.Warned(cfg.ErrorAt(l.Field, fmt.Sprintf("listener %q: no event can match: %s",
			l.Config.Name, l.NeverReason()), ""))
		return
	}
	l.LogBefore(log)
}

// suspicious passes on, or logs, what is suspicious in the expressions of a listener or an output.
func (o Options) suspicious(field string, expressions []plan.Expression,
	log *slog.Logger) {
	for _, x := range expressions {
		for _, w := range x.Warnings() {
			if o.Warned != nil {
				o.Warned(plan.Placed(field+x.Below, w))
				continue
			}
			log.Warn("suspicious expression", "at",
				fmt.Sprintf("%s:%d:%d", w.Expression.File, w.Line, w.Column), "reason", w.Message)
		}
	}
}

// warn passes warnings on, or logs them.
func (o Options) warn(warnings config.Errors) {
	for _, w := range warnings {
		if o.Noted != nil && w.Absent {
			o.Noted(w)
			continue
		}
		if o.Warned != nil {
			o.Warned(w)
			continue
		}
		o.Log.Warn("suspicious setting", "at", fmt.Sprintf("%s:%d:%d", w.File, w.Line, w.Column),
			"reason", strings.TrimSuffix(w.Message+"; "+w.Hint, "; "))
	}
}
