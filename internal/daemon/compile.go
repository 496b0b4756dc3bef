package daemon

import (
	"fmt"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// plan is what a configuration asks for, compiled. It holds nothing that runs or has to be closed,
// and nobody changes it.
type plan struct {
	config    *config.Config
	listeners []*listenerPlan // in the order of the configuration
	outputs   map[string]*outputPlan
	digests   digests
}

// listenerPlan is one listener of a plan.
type listenerPlan struct {
	cfg         *config.Listener
	field       string         // of the listener in the configuration
	shape       informer.Shape // of the objects of its informer
	selects     *filters.Filter
	filter      *filters.Filter
	rules       []*rules.Rule
	quiet       bool                 // only what rules report goes out
	expressions []compiledExpression // all of them
	asked       asked
	before      before
}

// compiledExpression is an expression and its field below the listener's.
type compiledExpression struct {
	*filters.Filter
	below string
}

// compile makes the plan of a configuration. It reads no file, asks no server and starts nothing:
// what is known of the resources is in schemas, where nil means that expressions may read any
// field. The mistakes are those that can be found in this way. If there are any, the plan may only
// be looked at, not run.
func compile(cfg *config.Config, schemas Schemas) (*plan, config.Errors) {
	p := &plan{config: cfg, outputs: map[string]*outputPlan{}, digests: digestsOf(cfg)}
	var mistakes config.Errors
	for _, l := range cfg.ListenersInOrder() {
		c := newCompiler(cfg, l, schemas)
		p.listeners = append(p.listeners, c.listener())
		mistakes = append(mistakes, c.mistakes...)
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Outputs)) {
		c := newOutputCompiler(cfg, cfg.Outputs[name], schemas)
		p.outputs[name] = c.output(cfg.Outputs[name])
		mistakes = append(mistakes, c.mistakes...)
	}
	return p, mistakes
}

// section is a listener's or an output's part of the configuration, and the mistakes that were
// found there.
type section struct {
	config   *config.Config
	cfg      *config.Listener // nil for an output
	field    string           // of the listener or the output in the configuration
	mistakes config.Errors
}

func sectionOf(cfg *config.Config, l *config.Listener) section {
	return section{config: cfg, cfg: l, field: "listeners." + l.Name}
}

func (s *section) mistake(below string, err error) {
	s.mistakes = append(s.mistakes, s.config.ErrorAt(s.field+below, err.Error(), ""))
}

// compiler compiles the expressions of one listener or one output.
type compiler struct {
	section
	events      filters.Expression // what is known of the events
	expressions []compiledExpression
}

func newCompiler(cfg *config.Config, l *config.Listener, schemas Schemas) *compiler {
	c := &compiler{section: sectionOf(cfg, l), events: filters.Expression{Listener: l.Name,
		Cluster: cfg.Cluster.Name, On: l.Ops(), Informers: map[string][]string{}}}
	if inf := l.Informer(); inf != nil {
		c.events.Dropped, c.events.Schema = droppedBy(inf), schemaOf(inf, schemas)
	}
	for name, inf := range l.Informers() {
		if inf == nil { // of a configuration with mistakes
			continue
		}
		c.events.Informers[name] = append(slices.Sorted(maps.Keys(inf.Indexes)),
			informer.NamespaceIndex)
	}
	return c
}

// schemaOf returns the schema of an informer's objects, nil if expressions may read any field.
func schemaOf(inf *config.Informer, schemas Schemas) *filters.Schema {
	if schemas == nil {
		return nil
	}
	if known := schemas.Schema(inf.Resource); known != nil {
		return known
	}
	return openapi.AnyObject()
}

func (c *compiler) listener() *listenerPlan {
	l := c.cfg
	p := &listenerPlan{cfg: l, field: c.field,
		selects: c.expression(".select", l.Select, filters.KindSelect),
		filter:  c.expression(".filter", l.Filter, filters.KindFilter),
		rules:   c.ruleList(),
		quiet:   len(l.Rules) > 0 && l.Filter.IsZero() && l.Handler == nil,
	}
	if n := len(l.Outputs); len(l.Rules) > 0 && n > rules.MaxReceivers {
		c.mistake(".outputs", fmt.Errorf(
			"a listener with rules can have at most %d outputs, this one has %d",
			rules.MaxReceivers, n))
	}
	p.expressions = c.expressions
	var err error
	if p.shape, err = shapeOf(l.Informer()); err != nil {
		c.mistake(".informer", err)
	}
	p.asked = asked{on: l.Ops(), selects: p.selects, filter: p.filter, quiet: p.quiet}
	for _, rule := range p.rules {
		p.asked.denies = append(p.asked.denies, rule.Deny())
	}
	p.before = p.asked.decide()
	return p
}

// filters returns the expressions compiled so far.
func (c *compiler) filters() []*filters.Filter { return filtersOf(c.expressions) }

// filters returns all expressions of the listener.
func (p *listenerPlan) filters() []*filters.Filter { return filtersOf(p.expressions) }

func filtersOf(expressions []compiledExpression) []*filters.Filter {
	all := make([]*filters.Filter, len(expressions))
	for i, x := range expressions {
		all[i] = x.Filter
	}
	return all
}

// droppedBy returns the fields that an informer cuts out of its objects.
func droppedBy(inf *config.Informer) (dropped []object.Path) {
	if !inf.KeepManagedFields {
		dropped = append(dropped, object.Path{}.Key("metadata").Key("managedFields"))
	}
	for _, text := range inf.Drop {
		// a path that is wrong is reported elsewhere
		if path, err := object.CompilePath(text); err == nil {
			dropped = append(dropped, path)
		}
	}
	return dropped
}

// shapeOf returns what an informer keeps of its objects.
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
