package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Plan is what a configuration asks for, compiled. It holds nothing that runs or has to be closed,
// and nobody changes it.
type Plan struct {
	Config    *config.Config
	Listeners []*Listener // in the order of the configuration
	Outputs   map[string]*Output
	Digests   digests

	schemas Schemas
}

// Listener is one listener of a plan.
type Listener struct {
	Config      *config.Listener
	Field       string         // of the listener in the configuration
	Shape       informer.Shape // of the objects of its informer
	Select      *filters.Filter
	Filter      *filters.Filter
	Rules       []*rules.Rule
	Quiet       bool         // only what rules report goes out
	Expressions []Expression // all of them
	Before      before
	// NotLoaded is what is wrong with the handler's module, for a plan that is only looked at.
	NotLoaded []string

	asked asked
}

// Expression is an expression and its field below the listener's.
type Expression struct {
	*filters.Filter
	Below string
}

// Compile makes the plan of a configuration. It reads no file, asks no server and starts nothing:
// what is known of the resources is in schemas, where nil means that expressions may read any
// field. The mistakes are those that can be found in this way. If there are any, the plan may only
// be looked at, not run.
func Compile(cfg *config.Config, schemas Schemas) (*Plan, config.Errors) {
	p := &Plan{Config: cfg, Outputs: map[string]*Output{}, Digests: digestsOf(cfg),
		schemas: schemas}
	var mistakes config.Errors
	all := newCompilation(cfg, schemas)
	for _, l := range all.listeners {
		c := all.ofListener(l)
		p.Listeners = append(p.Listeners, c.listener())
		mistakes = append(mistakes, c.Mistakes...)
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Outputs)) {
		c := all.ofOutput(cfg.Outputs[name])
		p.Outputs[name] = c.output(cfg.Outputs[name])
		mistakes = append(mistakes, c.Mistakes...)
	}
	return p, mistakes
}

// In returns the listeners whose informers watch a cluster, in the order of the configuration. One
// with an expression that reads the cluster is compiled for it, by each call; the others are the
// plan's own.
func (p *Plan) In(cluster string, labels map[string]string) (all []*Listener) {
	c := newCompilation(p.Config, p.schemas)
	c.cluster, c.labels = cluster, labels
	for _, l := range p.Listeners {
		if !l.Config.Informer().In(cluster, labels) {
			continue
		}
		if slices.ContainsFunc(l.Filters(), (*filters.Filter).ReadsCluster) {
			l = c.ofListener(l.Config).listener() // no mistake depends on the cluster
		}
		all = append(all, l)
	}
	return all
}

// Section is a listener's or an output's part of the configuration, and the mistakes that were
// found there.
type Section struct {
	Config   *config.Config
	Listener *config.Listener // nil for an output
	Field    string           // of the listener or the output in the configuration
	Mistakes config.Errors
}

// SectionOf returns the part of a listener.
func SectionOf(cfg *config.Config, l *config.Listener) Section {
	return Section{Config: cfg, Listener: l, Field: "listeners." + l.Name}
}

// Mistake reports a mistake in a field of the section.
func (s *Section) Mistake(below string, err error) {
	s.Mistakes = append(s.Mistakes, s.Config.ErrorAt(s.Field+below, err.Error(), ""))
}

// compilation is what the compilers of a configuration's parts share, so that the time of all of
// them grows no faster than the configuration.
type compilation struct {
	config    *config.Config
	schemas   Schemas
	cluster   string // that the expressions of listeners read
	labels    map[string]string
	listeners []*config.Listener               // in the order of the configuration
	users     map[string][]*config.Listener    // of outputs, by their names
	passing   map[*config.Listener]event.OpSet // of the events that filters let through
	lookedUp  map[string]lookedUpIn            // by the policies that have the informers
}

// lookedUpIn is what is known of the informers in which a listener may look objects up.
type lookedUpIn struct {
	indexes map[string][]string
	objects map[string]filters.LookedUp
}

func newCompilation(cfg *config.Config, schemas Schemas) *compilation {
	c := &compilation{config: cfg, schemas: schemas, cluster: cfg.Cluster.Name,
		listeners: cfg.ListenersInOrder(), users: map[string][]*config.Listener{},
		passing: map[*config.Listener]event.OpSet{}, lookedUp: map[string]lookedUpIn{}}
	for _, l := range c.listeners {
		for _, name := range slices.Compact(slices.Sorted(slices.Values(l.Outputs))) {
			c.users[name] = append(c.users[name], l)
		}
	}
	return c
}

// informers returns what is known of the informers that a listener may name.
func (c *compilation) informers(l *config.Listener) lookedUpIn {
	known, ok := c.lookedUp[l.Policy]
	if ok {
		return known
	}
	known = lookedUpIn{map[string][]string{}, map[string]filters.LookedUp{}}
	for name, inf := range l.Informers() {
		if inf == nil { // of a configuration with mistakes
			continue
		}
		known.indexes[name] = append(slices.Sorted(maps.Keys(inf.Indexes)),
			informer.NamespaceIndex)
		known.objects[name] = filters.LookedUp{Schema: schemaOf(inf, c.schemas),
			Dropped: droppedBy(inf)}
	}
	c.lookedUp[l.Policy] = known
	return known
}

// compiler compiles the expressions of one listener or one output.
type compiler struct {
	Section
	*compilation
	events      filters.Expression // what is known of the events
	expressions []Expression
}

func newCompiler(cfg *config.Config, l *config.Listener, schemas Schemas) *compiler {
	all := &compilation{config: cfg, schemas: schemas, cluster: cfg.Cluster.Name,
		lookedUp: map[string]lookedUpIn{}, passing: map[*config.Listener]event.OpSet{}}
	return all.ofListener(l)
}

// ofListener returns a compiler of a listener's expressions.
func (c *compilation) ofListener(l *config.Listener) *compiler {
	known := c.informers(l)
	one := &compiler{Section: SectionOf(c.config, l), compilation: c,
		events: filters.Expression{Listener: l.Name, Cluster: c.cluster, ClusterLabels: c.labels,
			On: l.Ops(), Informers: known.indexes, LookedUp: known.objects}}
	if inf := l.Informer(); inf != nil {
		one.events.Dropped, one.events.Schema = droppedBy(inf), schemaOf(inf, c.schemas)
	}
	return one
}

// schemaOf returns the schema of an informer's objects, nil if expressions may read any field.
func schemaOf(inf *config.Informer, schemas Schemas) *filters.Schema {
	if schemas == nil {
		return nil
	}
	if known := schemas(inf.Resource); known != nil {
		return known
	}
	return openapi.AnyObject()
}

func (c *compiler) listener() *Listener {
	l := c.Listener
	p := &Listener{Config: l, Field: c.Field,
		Select: c.expression(".select", l.Select, filters.KindSelect),
		Filter: c.expression(".filter", l.Filter, filters.KindFilter),
		Rules:  c.ruleList(),
		Quiet:  len(l.Rules) > 0 && l.Filter.IsZero() && l.Handler == nil,
	}
	if n := len(l.Outputs); len(l.Rules) > 0 && n > rules.MaxReceivers {
		c.Mistake(".outputs", fmt.Errorf(
			"a listener with rules can have at most %d outputs, this one has %d",
			rules.MaxReceivers, n))
	}
	p.Expressions = c.expressions
	var err error
	if p.Shape, err = ShapeOf(l.Informer()); err != nil {
		c.Mistake(".informer", err)
	}
	p.asked = asked{on: l.Ops(), selects: p.Select, filter: p.Filter, quiet: p.Quiet}
	for _, rule := range p.Rules {
		p.asked.denies = append(p.asked.denies, rule.Deny())
	}
	p.Before = p.asked.decide()
	c.passing[l] = passing(l, p.Filter)
	return p
}

// EarlierSelect returns another select of the listener in a cluster, "" if there is only one. It is
// nil if the text is empty. Only a part of what an
// expression of the configuration is checked for is looked at.
func EarlierSelect(cfg *config.Config, l *config.Listener, cluster string, labels map[string]string,
	text string) (*filters.Filter, error) {
	if text == "" {
		return nil, nil
	}
	x := newCompiler(cfg, l, nil).events
	x.Cluster, x.ClusterLabels = cmp.Or(cluster, x.Cluster), labels
	x.Kind, x.Text = filters.KindSelect, text
	return filters.Compile(x)
}

// Filters returns all expressions of the listener.
func (p *Listener) Filters() []*filters.Filter {
	all := make([]*filters.Filter, len(p.Expressions))
	for i, x := range p.Expressions {
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

// ShapeOf returns what an informer keeps of its objects.
func ShapeOf(inf *config.Informer) (informer.Shape, error) {
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

// ScopesOf returns what an informer watches: one scope for each of its namespaces.
func ScopesOf(inf *config.Informer) (all []informer.Scope) {
	namespaces := inf.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	selectors := inf.Scope()
	for _, ns := range namespaces {
		all = append(all, informer.Scope{Namespace: ns, LabelSelector: selectors.LabelSelector,
			FieldSelector: selectors.FieldSelector})
	}
	return all
}

// MistakesOf returns what is wrong with the expressions of a listener if objects have the fields of
// other schemas than those that the configuration was compiled with.
func MistakesOf(cfg *config.Config, l *config.Listener, schemas Schemas) config.Errors {
	c := newCompiler(cfg, l, schemas)
	c.listener()
	return InOrder(cfg, c.Mistakes)
}
