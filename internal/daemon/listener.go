package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/route"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
)

// listener is one configured listener with everything it needs but the informers.
type listener struct {
	cfg         *config.Listener
	buffer      *informer.Subscription
	shape       informer.Shape
	route       *route.Route      // its Messages and Caches are set once the resources are known
	expressions []*filters.Filter // all of them
	asked       asked
	before      before
	caches      caches
	spec        *plugins.Spec // of a handler that is not loaded yet
	loaded      chan struct{} // closed when it is loaded, or there is none
	health      health
}

// builder makes one listener and collects the mistakes in it.
type builder struct {
	parts    *parts
	config   *config.Config
	cfg      *config.Listener
	schemas  Schemas
	log      *slog.Logger
	field    string // of the listener in the configuration
	mistakes config.Errors
	warned   func(config.Error) // receives warnings, instead of the log; may be nil
	later    bool               // handlers are loaded when the listener starts

	schema      *filters.Schema
	dropped     []object.Path // by the informer
	informers   map[string][]string
	expressions []*filters.Filter
	caches      caches // of the listener that is made
}

func (b *builder) mistake(below string, err error) {
	b.mistakes = append(b.mistakes, b.config.ErrorAt(b.field+below, err.Error(), ""))
}

func (b *builder) listener(ctx context.Context) *listener {
	l := b.cfg
	r := &route.Route{
		Name: l.Name, On: l.Ops(), Workers: l.Workers, Log: b.log,
		Retry: route.Retry{Attempts: l.Retry.Attempts, MinBackoff: l.Retry.MinBackoff.Duration,
			MaxBackoff: l.Retry.MaxBackoff.Duration},
	}
	for _, name := range l.Outputs {
		r.Outputs = append(r.Outputs, route.Output{Name: name, Sink: b.parts.sinks[name]})
	}
	b.known()
	b.caches = caches{}
	r.Select = b.expression(".select", l.Select, filters.KindSelect)
	r.Filter = b.expression(".filter", l.Filter, filters.KindFilter)
	judged := b.ruleList()
	r.Rules = b.book(judged)
	r.Quiet = len(l.Rules) > 0 && l.Filter.IsZero() && l.Handler == nil
	var err error
	var later *plugins.Spec
	if l.Handler != nil {
		r.Batch, r.PauseAfter = l.Handler.Batch, l.Handler.PauseAfter
		if r.Handler, later, err = b.handler(ctx); err != nil {
			b.mistake(".handler.wasm", err)
		}
	}
	built := &listener{cfg: l, route: r, spec: later, loaded: make(chan struct{}),
		expressions: b.expressions, caches: b.caches}
	if built.shape, err = shapeOf(l.Informer()); err != nil {
		b.mistake(".informer", err)
	}
	built.asked = asked{on: l.Ops(), selects: r.Select, filter: r.Filter, quiet: r.Quiet}
	for _, rule := range judged {
		built.asked.denies = append(built.asked.denies, rule.Deny())
	}
	built.before = built.asked.decide()
	if b.warned != nil && built.before.never {
		b.warned(b.config.ErrorAt(b.field, fmt.Sprintf("listener %q: no event can match: %s",
			l.Name, built.before.why(built.asked)), ""))
	} else {
		built.before.log(built.asked, b.log)
	}
	buffer := informer.SubscriptionConfig{
		Name: l.Name, Capacity: l.Buffer.Capacity, Overflow: overflows[l.Buffer.Overflow],
		Resync: l.Resync.Duration,
		On:     built.before.on, Conditions: built.before.conditions,
		Transitions: built.before.transitions,
	}
	if spill := l.Buffer.Spill; spill != nil {
		buffer.SpillBytes = int64(spill.Bytes)
		if spill.Dir != "" {
			buffer.SpillDir = b.config.Path(spill.Dir)
		}
	}
	if built.buffer, err = informer.NewSubscription(buffer); err != nil {
		b.mistake("", err)
	}
	r.Source = built.buffer
	return built
}

var overflows = map[string]informer.Overflow{
	config.OverflowLatest: informer.OverflowLatest, config.OverflowBlock: informer.OverflowBlock,
	config.OverflowDrop: informer.OverflowDrop, config.OverflowSpill: informer.OverflowSpill,
}

// known gathers what the expressions may name.
func (b *builder) known() {
	if b.schemas != nil && b.cfg.Informer() != nil {
		if b.schema = b.schemas.Schema(b.cfg.Informer().Resource); b.schema == nil {
			b.schema = openapi.AnyObject()
		}
	}
	if inf := b.cfg.Informer(); inf != nil {
		b.dropped = droppedBy(inf)
	}
	b.informers = map[string][]string{}
	for name, inf := range b.cfg.Informers() {
		if inf == nil { // of a configuration with mistakes
			continue
		}
		b.informers[name] = append(slices.Sorted(maps.Keys(inf.Indexes)), informer.NamespaceIndex)
	}
}

// droppedBy returns the fields that an informer cuts out of its objects.
func droppedBy(inf *config.Informer) (dropped []object.Path) {
	if !inf.KeepManagedFields {
		dropped = append(dropped, object.Path{}.Key("metadata").Key("managedFields"))
	}
	for _, text := range inf.Drop {
		// what is wrong with others is said elsewhere
		if path, err := object.CompilePath(text); err == nil {
			dropped = append(dropped, path)
		}
	}
	return dropped
}

func (b *builder) source(x config.Expression, kind filters.Kind) filters.Expression {
	return filters.Expression{
		Text: x.Text, File: x.File, Line: x.Line, Column: x.Column, Listener: b.cfg.Name,
		Cluster: b.config.Cluster.Name,
		Kind:    kind, On: b.cfg.Ops(), Informers: b.informers, Schema: b.schema,
		Dropped: b.dropped, Positions: x.Positions(),
		Comment: x.Comment != "",
	}
}

// expression compiles one, nil if there is none or it is wrong.
func (b *builder) expression(below string, x config.Expression, kind filters.Kind) *filters.Filter {
	if x.IsZero() {
		return nil
	}
	f, err := filters.Compile(b.source(x, kind))
	if err != nil {
		b.wrong(below, err)
		return nil
	}
	b.compiled(below, f)
	return f
}

// wrong reports the mistakes in an expression at their places.
func (b *builder) wrong(below string, err error) {
	all := filters.Mistakes(err)
	if len(all) == 0 {
		b.mistake(below, err)
		return
	}
	for _, wrong := range all {
		b.mistakes = append(b.mistakes, b.placed(below, wrong))
	}
}

// placed makes an error of the configuration of one in an expression.
func (b *builder) placed(below string, e *filters.CompileError) config.Error {
	message, snippet, _ := strings.Cut(e.Detail(), "\n")
	placed := config.Error{File: e.Expression.File, Line: e.Line, Column: e.Column,
		Field: b.field + below, Message: message, Snippet: snippet}
	if e.Expression.Comment && strings.TrimSpace(e.Rest()) == "" {
		placed.Hint = `YAML takes " #" for the beginning of a comment, so the value ends there: put the expression in quotes`
	}
	return placed
}

func (b *builder) compiled(below string, f *filters.Filter) {
	b.expressions = append(b.expressions, f)
	for _, w := range f.Warnings() {
		if b.warned != nil {
			b.warned(b.placed(below, w))
			continue
		}
		at := fmt.Sprintf("%s:%d:%d", w.Expression.File, w.Line, w.Column)
		b.log.Warn("suspicious expression", "at", at, "because", w.Message)
	}
}

// book makes the book of the listener's rules, nil if it has none.
func (b *builder) book(judged []*rules.Rule) *rules.Book {
	if len(b.cfg.Rules) == 0 {
		return nil
	}
	if n := len(b.cfg.Outputs); n > rules.MaxReceivers {
		b.mistake(".outputs", fmt.Errorf(
			"a listener with rules can have at most %d outputs, this one has %d",
			rules.MaxReceivers, n))
	}
	return rules.NewBook(judged, len(b.cfg.Outputs))
}

func (b *builder) ruleList() (all []*rules.Rule) {
	for i, r := range b.cfg.Rules {
		below := fmt.Sprintf(".rules[%d]", i)
		source := rules.Definition{
			Name: r.Name, Severity: r.Severity, For: r.For.Duration, Repeat: r.Repeat.Duration,
			Deny: b.source(r.Deny, filters.KindDeny), Message: b.source(r.Message,
				filters.KindMessage),
		}
		rule, err := rules.Compile(source)
		if err != nil {
			b.wrongRule(below, source, err)
			continue
		}
		b.compiled(below+".deny", rule.Deny())
		if m := rule.Message(); m != nil {
			b.compiled(below+".message", m)
		}
		all = append(all, rule)
	}
	return all
}

// wrongRule reports the mistakes in both of a rule's expressions, and not in the first alone, as
// compiling the rule does.
func (b *builder) wrongRule(below string, source rules.Definition, err error) {
	found := false
	for _, part := range []filters.Expression{source.Deny, source.Message} {
		part.Rule = source.Name
		if part.Text == "" {
			continue
		}
		if _, err := filters.Compile(part); err != nil {
			b.wrong(below, err)
			found = true
		}
	}
	if !found {
		b.wrong(below, err)
	}
}

// handler reads, checks and loads a listener's module. What will run is loaded later, when other
// listeners do not wait for it: its spec is returned then. Both are nil without an error if a
// mistake was reported.
func (b *builder) handler(ctx context.Context) (*plugins.Handler, *plugins.Spec, error) {
	spec, err := b.handlerSpec()
	switch {
	case spec == nil:
		return nil, nil, err
	case b.later:
		return nil, spec, b.parts.host.Check(*spec)
	}
	handler, err := b.parts.host.Load(ctx, *spec)
	return handler, nil, err
}

// handlerSpec gives what a listener's module is loaded from, nil without an error if a mistake was
// reported.
func (b *builder) handlerSpec() (*plugins.Spec, error) {
	cfg, l := b.config, b.cfg
	grants, good := b.grants(l.Handler.Grants)
	path := cfg.Path(l.Handler.Wasm)
	limits := HandlerLimits(l.Handler.Limits)
	wasm, err := readModule(path, limits.Module)
	if err != nil {
		return nil, fmt.Errorf("listener %q: cannot read the handler: %w", l.Name, err)
	}
	if err := checkDigest(path, l.Handler.SHA256, wasm); err != nil {
		return nil, fmt.Errorf("listener %q: %w", l.Name, err)
	}
	if !good {
		return nil, nil
	}
	return &plugins.Spec{
		Listener: l.Name, Path: path, Wasm: wasm, Config: l.Handler.Config, Grants: grants,
		Caches: b.caches,
		Limits: limits,
	}, nil
}

func shapeOf(inf *config.Informer) (informer.Shape, error) {
	shape := informer.Shape{KeepManagedFields: inf.KeepManagedFields,
		Indexes: map[string]informer.IndexFunc{}}
	for _, text := range inf.Drop {
		path, err := object.CompilePath(text)
		if err != nil {
			return shape, err
		}
		shape.Drop = append(shape.Drop, path)
	}
	for name, text := range inf.Indexes {
		path, err := object.CompilePath(text)
		if err != nil {
			return shape, err
		}
		shape.Indexes[name] = informer.IndexByPath(path)
	}
	return shape, nil
}
