package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/stdout"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/plugins"
)

// parts are what a configuration becomes before anything runs.
type parts struct {
	host      *plugins.Host
	sinks     map[string]sink.Sink
	listeners []*listener
	persist   bool   // handlers keep values beyond the end of the daemon
	digests   []byte // the key of the digests of Secrets; nil: one of the process's own
}

// stopGrace is how long closing what was built may take when building is stopped.
const stopGrace = time.Second

// BuildOptions are what is needed to build what a configuration asks for, beside it.
type BuildOptions struct {
	Log     *slog.Logger
	Stdout  io.Writer // of the stdout output; nil: nowhere
	Schemas Schemas   // what fields expressions may read; nil: any
	// Warned receives what is legal and suspicious. Nil: it is logged.
	Warned func(config.Error)

	// running says that it will run. Who only looks at a configuration leaves the state alone,
	// which a running daemon may have open.
	running bool
	// kubeconfig says that the one of the configuration is used, so that it has to be there.
	kubeconfig bool
}

// Schemas know the fields that the objects of resources have.
type Schemas interface {
	// Schema gives that of a resource, by the name it has in the configuration; nil if nothing is
	// known of it.
	Schema(resource string) *filters.Schema
}

// Check builds everything a configuration asks for, except what needs the API server, and lets go
// of it again. The error is a config.Errors if the configuration is to blame.
func Check(ctx context.Context, cfg *config.Config, opts BuildOptions) error {
	opts.kubeconfig = true
	return check(ctx, cfg, opts)
}

func check(ctx context.Context, cfg *config.Config, opts BuildOptions) error {
	p, err := build(ctx, cfg, opts)
	if err != nil {
		return err
	}
	return p.close(ctx)
}

// build makes the parts, or reports every mistake there is.
func build(ctx context.Context, cfg *config.Config, opts BuildOptions) (*parts, error) {
	p := &parts{sinks: map[string]sink.Sink{}, persist: opts.running}
	if opts.running {
		host := plugins.HostConfig{Log: opts.Log, Compiler: plugins.SelfCompiler()}
		err := keepState(cfg, &host)
		if err == nil {
			p.digests, err = digestKey(cfg)
		}
		if err != nil {
			return nil, err
		}
		p.host = plugins.NewHost(host)
	} else {
		p.host = CompilingHost(ctx, opts.Log)
	}
	if opts.running {
		if err := openHost(ctx, cfg, p.host); err != nil {
			return nil, errors.Join(err, p.close(ctx))
		}
	}
	if opts.Stdout == nil {
		opts.Stdout = io.Discard
	}
	for name, o := range cfg.Outputs {
		if o.Stdout != nil {
			p.sinks[name] = stdout.New(opts.Stdout)
		}
	}
	opts.warn(cfg.Warnings())
	var mistakes config.Errors
	if opts.kubeconfig {
		mistakes = kubeconfigMistakes(cfg)
	}
	for _, l := range cfg.ListenersInOrder() {
		b := &builder{
			parts: p, config: cfg, cfg: l, schemas: opts.Schemas, log: opts.Log.With("listener",
				l.Name), field: "listeners." + l.Name,
			warned: opts.Warned, later: opts.running,
		}
		p.listeners = append(p.listeners, b.listener(ctx))
		if err := ctx.Err(); err != nil { // what was met then is no mistake
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
			defer cancel()
			return nil, errors.Join(fmt.Errorf("stopped before all was checked: %w", err),
				p.close(closing))
		}
		mistakes = append(mistakes, b.mistakes...)
	}
	if len(mistakes) > 0 {
		return nil, errors.Join(notLoaded(cfg, mistakes), p.close(ctx))
	}
	opts.warn(p.unused(cfg))
	return p, nil
}

// warn passes warnings on, or logs them.
func (o BuildOptions) warn(warnings config.Errors) {
	for _, w := range warnings {
		if o.Warned != nil {
			o.Warned(w)
			continue
		}
		o.Log.Warn("suspicious setting", "at", fmt.Sprintf("%s:%d:%d", w.File, w.Line, w.Column),
			"because", w.Message+"; "+w.Hint)
	}
}

func notLoaded(cfg *config.Config, mistakes config.Errors) config.Errors {
	return cfg.NotLoaded(inOrder(cfg, mistakes))
}

// inOrder puts mistakes in the order in which those are that are found when a configuration is
// read.
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

// close lets go of the handlers first, then of the outputs.
func (p *parts) close(ctx context.Context) error {
	errs := []error{p.host.Close(ctx)}
	for name, s := range p.sinks {
		if err := s.Close(ctx); err != nil {
			errs = append(errs, fmt.Errorf("output %q: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
