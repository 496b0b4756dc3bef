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
	"sync"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	sinks "github.com/informerd/informerd/internal/outputs"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/plugins"
)

// runtime owns what lives longer than one event, and as a whole longer than a plan: the host of
// handlers, the outputs, and the listeners with their subscriptions and routes. Close it.
type runtime struct {
	log       *slog.Logger
	host      *plugins.Host
	persist   bool         // it is a daemon's, which keeps state
	digestKey []byte       // of the digests of Secrets; nil: one of the process's own
	maker     *sinks.Maker // nil in a runtime that does not run
	running   bool         // listeners may have begun
	letters   *deadletter.Store

	mu        sync.Mutex // guards what follows
	plan      *plan
	outputs   outputs
	listeners []*listener // of the plan, in its order
}

// stopGrace is how long closing a runtime may take when building it is stopped.
const stopGrace = time.Second

// BuildOptions are what a runtime needs besides the configuration.
type BuildOptions struct {
	Log     *slog.Logger
	Stdout  io.Writer // of the stdout output; nil: nowhere
	Schemas Schemas   // what fields expressions may read; nil: any
	// Warned receives what is legal and suspicious. Nil: it is logged.
	Warned func(config.Error)

	// running: the runtime is a daemon's. Commands that only look at a configuration leave the
	// state alone, since a running daemon may have it open.
	running bool
	// kubeconfig: the configuration's kubeconfig is used, so it has to exist.
	kubeconfig bool
}

// Schemas know the fields that the objects of resources have.
type Schemas interface {
	// Schema returns that of a resource, by the name it has in the configuration; nil if nothing is
	// known of it.
	Schema(resource string) *filters.Schema
}

// Check builds everything a configuration asks for, except what needs the API server, and closes it
// again. The error is a config.Errors if the configuration is to blame.
func Check(ctx context.Context, cfg *config.Config, opts BuildOptions) error {
	opts.kubeconfig = true
	return check(ctx, cfg, opts)
}

func check(ctx context.Context, cfg *config.Config, opts BuildOptions) error {
	r, err := build(ctx, cfg, opts)
	if err != nil {
		return err
	}
	return r.close(ctx)
}

// build compiles a configuration and makes a runtime that has its plan, or reports every mistake
// there is.
func build(ctx context.Context, cfg *config.Config, opts BuildOptions) (*runtime, error) {
	r, err := open(ctx, cfg, opts)
	if err != nil {
		return nil, err
	}
	opts.warn(cfg.Warnings())
	var mistakes config.Errors
	if opts.kubeconfig {
		mistakes = kubeconfigMistakes(cfg)
	}
	p, wrong := compile(cfg, opts.Schemas)
	for _, l := range p.listeners {
		opts.report(cfg, l)
	}
	for _, name := range slices.Sorted(maps.Keys(p.outputs)) {
		o := p.outputs[name]
		opts.suspicious(o.field, o.expressions, opts.Log.With("output", name))
	}
	missing, err := r.apply(ctx, p)
	if err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		defer cancel()
		return nil, errors.Join(err, r.close(closing))
	}
	if mistakes = slices.Concat(mistakes, wrong, missing); len(mistakes) > 0 {
		return nil, errors.Join(notLoaded(cfg, mistakes), r.close(ctx))
	}
	if r.maker != nil {
		if err := r.outputs.open(ctx, p, r.maker, r.log); err != nil {
			return nil, errors.Join(err, r.close(ctx))
		}
	}
	opts.warn(p.unused())
	return r, nil
}

// open makes a runtime without a plan.
func open(ctx context.Context, cfg *config.Config, opts BuildOptions) (*runtime, error) {
	r := &runtime{log: opts.Log, persist: opts.running}
	if opts.Stdout == nil {
		opts.Stdout = io.Discard
	}
	if opts.running {
		host := plugins.HostConfig{Log: opts.Log, Compiler: plugins.SelfCompiler()}
		err := keepState(cfg, &host)
		if err == nil {
			r.digestKey, err = digestKey(cfg)
		}
		if err != nil {
			return nil, err
		}
		r.host = plugins.NewHost(host)
		r.maker = &sinks.Maker{Stdout: opts.Stdout}
		r.maker.API, err = sinks.NewAPI(opts.Log)
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
	if r.letters, err = openLetters(cfg, opts.running); err != nil {
		return nil, errors.Join(err, r.close(ctx))
	}
	return r, nil
}

// apply makes the listeners of a plan, without starting them. It reads modules and the values of
// headers, and returns the mistakes that it finds there. The error is ctx's: then the mistakes mean
// nothing.
func (r *runtime) apply(ctx context.Context, p *plan) (config.Errors, error) {
	r.plan, r.outputs = p, newOutputs(p, nil)
	mistakes := r.outputs.check(p.config)
	for _, planned := range p.listeners {
		l, wrong := r.newListener(ctx, p.config, planned)
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
	if r.letters != nil {
		errs = append(errs, r.letters.Close())
	}
	return errors.Join(errs...)
}

// report passes on, or logs, what is suspicious in a listener's expressions, and logs what is
// decided before its buffer.
func (o BuildOptions) report(cfg *config.Config, l *listenerPlan) {
	log := o.Log.With("listener", l.cfg.Name)
	o.suspicious(l.field, l.expressions, log)
	if o.Warned != nil && l.before.never {
		o.Warned(cfg.ErrorAt(l.field, fmt.Sprintf("listener %q: no event can match: %s",
			l.cfg.Name, l.before.why(l.asked)), ""))
		return
	}
	l.before.log(l.asked, log)
}

// suspicious passes on, or logs, what is suspicious in the expressions of a listener or an output.
func (o BuildOptions) suspicious(field string, expressions []compiledExpression,
	log *slog.Logger) {
	for _, x := range expressions {
		for _, w := range x.Warnings() {
			if o.Warned != nil {
				o.Warned(placed(field+x.below, w))
				continue
			}
			at := fmt.Sprintf("%s:%d:%d", w.Expression.File, w.Line, w.Column)
			log.Warn("suspicious expression", "at", at, "reason", w.Message)
		}
	}
}

// warn passes warnings on, or logs them.
func (o BuildOptions) warn(warnings config.Errors) {
	for _, w := range warnings {
		if o.Warned != nil {
			o.Warned(w)
			continue
		}
		o.Log.Warn("suspicious setting", "at", fmt.Sprintf("%s:%d:%d", w.File, w.Line, w.Column),
			"reason", w.Message+"; "+w.Hint)
	}
}

func notLoaded(cfg *config.Config, mistakes config.Errors) config.Errors {
	return cfg.NotLoaded(inOrder(cfg, mistakes))
}

// inOrder sorts mistakes in the order in which loading a configuration reports its own.
func inOrder(cfg *config.Config, mistakes config.Errors) config.Errors {
	files := map[string]int{cfg.File(): -1}
	for i, l := range cfg.ListenersInOrder() {
		if l.Policy != "" {
			files[l.Policy] = i
		}
	}
	slices.SortStableFunc(mistakes, func(a, b config.Error) int {
		return cmp.Or(cmp.Compare(files[a.File], files[b.File]), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column))
	})
	return mistakes
}
