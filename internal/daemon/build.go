package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/stdout"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
)

// parts are what a configuration becomes before anything runs.
type parts struct {
	host      *plugins.Host
	sinks     map[string]sink.Sink
	listeners []*listener
}

// listener is one configured listener with everything it needs but the informer.
type listener struct {
	cfg    *config.Listener
	buffer *informer.Listener
	shape  informer.Shape
	route  *route.Route // its Messages are set once the resource is known
}

// Check builds everything a configuration asks for, except what needs the API server, and lets go of it again. The error
// is a config.Errors if the configuration is to blame.
func Check(ctx context.Context, cfg *config.Config, log *slog.Logger) error {
	p, err := build(ctx, cfg, io.Discard, log)
	if err != nil {
		return err
	}
	return p.close(ctx)
}

// build makes the parts, or reports every mistake there is.
func build(ctx context.Context, cfg *config.Config, out io.Writer, log *slog.Logger) (*parts, error) {
	p := &parts{host: plugins.NewHost(plugins.HostConfig{Log: log}), sinks: map[string]sink.Sink{}}
	for name, o := range cfg.Outputs {
		if o.Stdout != nil {
			p.sinks[name] = stdout.New(out)
		}
	}
	var mistakes config.Errors
	for _, l := range cfg.ListenersInOrder() {
		built, errs := p.listener(ctx, cfg, l, log.With("listener", l.Name))
		mistakes = append(mistakes, errs...)
		p.listeners = append(p.listeners, built)
	}
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes, p.close(ctx))
	}
	return p, nil
}

func (p *parts) listener(ctx context.Context, cfg *config.Config, l *config.Listener, log *slog.Logger) (*listener, config.Errors) {
	field := "listeners." + l.Name
	var mistakes config.Errors
	mistake := func(below string, err error) {
		mistakes = append(mistakes, cfg.ErrorAt(field+below, err.Error(), ""))
	}
	r := &route.Route{
		Name: l.Name, Workers: l.Workers, Log: log,
		Retry: route.Retry{Attempts: l.Retry.Attempts, MinBackoff: l.Retry.MinBackoff.Duration, MaxBackoff: l.Retry.MaxBackoff.Duration},
	}
	for _, name := range l.Outputs {
		r.Outputs = append(r.Outputs, route.Output{Name: name, Sink: p.sinks[name]})
	}
	var err error
	if !l.Filter.IsZero() {
		r.Filter, err = filters.Compile(filters.Source{
			Text: l.Filter.Text, File: l.Filter.File, Line: l.Filter.Line, Column: l.Filter.Column, Listener: l.Name,
		})
		var wrong *filters.CompileError
		if errors.As(err, &wrong) {
			mistakes = append(mistakes, config.Error{
				File: l.Filter.File, Line: wrong.Line, Column: wrong.Column, Field: field + ".filter", Message: wrong.Detail(),
			})
		} else if err != nil {
			mistake(".filter", err)
		}
	}
	if l.Handler != nil {
		if r.Handler, err = p.handler(ctx, cfg, l); err != nil {
			mistake(".handler.wasm", err)
		}
	}
	built := &listener{cfg: l, route: r}
	if built.shape, err = shapeOf(l.Informer()); err != nil {
		mistake(".informer", err)
	}
	buffer := informer.ListenerConfig{
		Name: l.Name, Capacity: l.Buffer.Capacity, Overflow: overflows[l.Buffer.Overflow], Resync: l.Resync.Duration, On: l.Ops(),
	}
	before := filters.Conditions{Ops: buffer.On, Complete: true} // of a listener without a filter
	if r.Filter != nil {
		before = r.Filter.Conditions()
	}
	decideBeforeTheBuffer(&buffer, before, log)
	if spill := l.Buffer.Spill; spill != nil {
		buffer.SpillBytes = int64(spill.Bytes)
		if spill.Dir != "" {
			buffer.SpillDir = cfg.Path(spill.Dir)
		}
	}
	if built.buffer, err = informer.NewListener(buffer); err != nil {
		mistake("", err)
	}
	r.Source = built.buffer
	return built, mistakes
}

var overflows = map[string]informer.Overflow{
	config.OverflowLatest: informer.OverflowLatest, config.OverflowBlock: informer.OverflowBlock,
	config.OverflowDrop: informer.OverflowDrop, config.OverflowSpill: informer.OverflowSpill,
}

// decideBeforeTheBuffer has a listener refuse what its filter would refuse anyway, as far as that can be told without
// evaluating it. Whatever gets into the buffer is still evaluated: the expression alone says what matches.
func decideBeforeTheBuffer(cfg *informer.ListenerConfig, c filters.Conditions, log *slog.Logger) {
	ops := cfg.On & c.Ops
	if ops == 0 {
		log.Warn("no event can match: the filter wants none of the listener's ops", "on", words(cfg.On), "filter", words(c.Ops))
		cfg.Conditions = append(cfg.Conditions, informer.Condition{Of: informer.OfName, Test: informer.In}) // one of none
	} else {
		cfg.On = ops
	}
	for _, asked := range c.Object {
		cfg.Conditions = append(cfg.Conditions, informer.Condition{
			Of: subjects[asked.Of], Key: asked.Key, Test: tests[asked.Test], Values: asked.Values,
		})
	}
	var conditions []string
	for _, asked := range cfg.Conditions {
		conditions = append(conditions, asked.String())
	}
	log.Debug("decided before the buffer", "on", words(ops), "conditions", conditions, "complete", c.Complete)
}

var subjects = [...]informer.Subject{
	filters.OfNamespace: informer.OfNamespace, filters.OfName: informer.OfName, filters.OfLabel: informer.OfLabel,
}

var tests = [...]informer.Test{
	filters.In: informer.In, filters.NotIn: informer.NotIn, filters.Exists: informer.Exists, filters.NotExists: informer.NotExists,
}

func words(ops event.OpSet) []string {
	words := []string{}
	for _, op := range event.Ops {
		if ops.Has(op) {
			words = append(words, op.String())
		}
	}
	return words
}

// handler reads, checks and loads a listener's module.
func (p *parts) handler(ctx context.Context, cfg *config.Config, l *config.Listener) (*plugins.Handler, error) {
	path := cfg.Path(l.Handler.Wasm)
	wasm, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("listener %q: cannot read the handler: %w", l.Name, err)
	}
	sum := sha256.Sum256(wasm)
	if got := hex.EncodeToString(sum[:]); l.Handler.SHA256 != "" && !strings.EqualFold(got, l.Handler.SHA256) {
		return nil, fmt.Errorf("listener %q: handler %s has the SHA-256 %s, the configuration wants %s", l.Name, path, got, l.Handler.SHA256)
	}
	spec := plugins.Spec{
		Listener: l.Name, Path: path, Wasm: wasm, Config: l.Handler.Config,
		Limits: plugins.Limits{Memory: int64(l.Handler.Limits.Memory), Deadline: l.Handler.Limits.Deadline.Duration},
	}
	if g := l.Handler.Grants.Log; g != nil {
		grant := &plugins.LogGrant{LinesPerSecond: g.Rate}
		if err := grant.Level.UnmarshalText([]byte(g.Level)); err != nil {
			return nil, err
		}
		spec.Grants.Log = grant
	}
	return p.host.Load(ctx, spec)
}

func shapeOf(inf *config.Informer) (informer.Shape, error) {
	shape := informer.Shape{KeepManagedFields: inf.KeepManagedFields, Indexes: map[string]informer.IndexFunc{}}
	for _, text := range inf.Drop {
		path, err := event.CompilePath(text)
		if err != nil {
			return shape, err
		}
		shape.Drop = append(shape.Drop, path)
	}
	for name, text := range inf.Indexes {
		path, err := event.CompilePath(text)
		if err != nil {
			return shape, err
		}
		shape.Indexes[name] = informer.IndexByPath(path)
	}
	return shape, nil
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
