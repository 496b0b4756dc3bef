package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	openapi "github.com/informerd/informerd/internal/schema"
)

// Listing is what a plan shows. Its fields are the JSON form.
type Listing struct {
	Cluster      string                `json:"cluster"`
	Clusters     []listedCluster       `json:"clusters,omitempty"` // that are watched, if there may be several
	ClustersFrom []config.ClustersFrom `json:"clustersFrom,omitempty"`
	Informers    []listedInformer      `json:"informers"`
	Outputs      []listedOutput        `json:"outputs"`
	Requests     []Request             `json:"requests"` // besides the objects of the informers
	Warnings     []string              `json:"warnings,omitempty"`
}

// listedCluster is one of several clusters.
type listedCluster struct {
	Name string `json:"name"`
	config.Member
}

// listedInformer is what is requested from the API server, and the listeners that share it.
type listedInformer struct {
	Resource          string            `json:"resource"`
	Watches           int               `json:"watches"`
	Names             []string          `json:"names,omitempty"`
	Namespaces        []string          `json:"namespaces,omitempty"` // none: all
	Clusters          []string          `json:"clusters,omitempty"`   // that are known; none: all
	ClusterSelector   string            `json:"clusterSelector,omitempty"`
	LabelSelector     string            `json:"labelSelector,omitempty"`
	FieldSelector     string            `json:"fieldSelector,omitempty"`
	Drop              []string          `json:"drop,omitempty"`
	KeepManagedFields bool              `json:"keepManagedFields,omitempty"`
	Indexes           map[string]string `json:"indexes,omitempty"`
	LookedUpBy        []string          `json:"lookedUpBy,omitempty"`
	// Replicas is which of the objects a replica has, with sharding.
	Replicas  string           `json:"replicas,omitempty"`
	Listeners []listedListener `json:"listeners"`

	sharedBy []string // all listeners, of which some may be listed
}

// listedListener is where a listener decides, and where it sends.
type listedListener struct {
	Name     string       `json:"name"`
	File     string       `json:"file,omitempty"` // none: all are in one file
	On       []string     `json:"on"`
	Resync   string       `json:"resync,omitempty"`
	Before   listedBefore `json:"before"`
	Behind   []Stage      `json:"behind"`
	Again    []string     `json:"evaluatedAgain,omitempty"` // without an event
	Handler  string       `json:"handler,omitempty"`
	Grants   []string     `json:"grants,omitempty"`
	Outputs  []string     `json:"outputs"`
	Warnings []string     `json:"warnings,omitempty"`
}

// listedBefore is what is decided before the buffer of a listener.
type listedBefore struct {
	On          []string `json:"on"`
	Conditions  []string `json:"conditions,omitempty"`  // all must be true
	ObjectOrOld bool     `json:"objectOrOld,omitempty"` // of an update, either state is enough
	Never       bool     `json:"never,omitempty"`       // nothing gets in
	Complete    bool     `json:"complete,omitempty"`    // nothing more is decided behind it
}

// Stage is an expression that a worker evaluates.
type Stage struct {
	Is         string `json:"is"` // select, rule or filter
	Name       string `json:"name,omitempty"`
	Severity   string `json:"severity,omitempty"`
	Expression string `json:"expression"`
	For        string `json:"for,omitempty"`
	Repeat     string `json:"repeat,omitempty"`
	Message    string `json:"message,omitempty"`
}

// listedOutput is where an output sends what it gets of its listeners.
type listedOutput struct {
	Name        string            `json:"name"`
	To          string            `json:"to"`
	Listeners   []string          `json:"listeners"`
	Expressions map[string]string `json:"expressions,omitempty"`
	Warnings    []string          `json:"warnings,omitempty"`
}

// Request is a right that is needed, and what needs it.
type Request struct {
	Right string   `json:"right"`
	For   []string `json:"for"`
}

// List returns what the plan shows, or with names, what is about these listeners. It asks no API
// server: resources have the names of the configuration.
func (p *Plan) List(names ...string) (*Listing, error) {
	known, err := openapi.Builtin()
	if err != nil {
		return nil, err
	}
	is := func(name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	all := &Listing{Cluster: p.Config.Cluster.Name, ClustersFrom: p.Config.ClustersFrom,
		Informers: []listedInformer{}, Outputs: []listedOutput{}, Requests: []Request{}}
	for name, m := range document.Sorted(p.Config.Clusters) {
		all.Clusters = append(all.Clusters, listedCluster{name, *m})
	}
	users := map[string][]string{}
	for _, l := range p.Listeners {
		if is(l.Config.Name) {
			for _, name := range l.Config.Outputs {
				users[name] = append(users[name], l.Config.Name)
			}
		}
	}
	for _, inf := range p.informers(known) {
		inf.Listeners = slices.DeleteFunc(inf.Listeners, func(l listedListener) bool {
			return !is(l.Name)
		})
		if len(inf.Listeners) > 0 || slices.ContainsFunc(inf.LookedUpBy, is) {
			all.Informers = append(all.Informers, *inf)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Outputs)) {
		if len(names) > 0 && users[name] == nil {
			continue
		}
		o := p.Outputs[name]
		all.Outputs = append(all.Outputs, listedOutput{Name: name, To: destination(o.Config),
			Listeners: append([]string{}, users[name]...), Expressions: expressionsOf(o.Config),
			Warnings: warningsOf(o.Expressions)})
	}
	return all, nil
}

// informers returns the informers in the order of their first listeners. Two names of one resource
// are one informer, as they are to an API server; that is known of the common kinds.
func (p *Plan) informers(known *openapi.Set) []*listedInformer {
	type scoped struct {
		resource           string
		scope              config.Scope
		clusters, selector string
	}
	var all []*listedInformer
	byScope := map[scoped]*listedInformer{}
	of := func(inf *config.Informer) *listedInformer {
		name, ok := known.Name(inf.Resource)
		if !ok {
			name = strings.ToLower(inf.Resource)
		}
		scope, clusters := inf.Scope(), slices.Sorted(slices.Values(inf.Clusters))
		if inf.ClusterSelector != "" {
			clusters = clustersOf(p.Config, inf)
		}
		key := scoped{name, scope, strings.Join(clusters, ","), inf.ClusterSelector}
		listed := byScope[key]
		if listed == nil {
			listed = &listedInformer{Resource: inf.Resource,
				Watches:    max(1, len(inf.Namespaces)),
				Namespaces: slices.Sorted(slices.Values(inf.Namespaces)),
				Clusters:   clusters, ClusterSelector: inf.ClusterSelector,
				LabelSelector: scope.LabelSelector, FieldSelector: scope.FieldSelector,
				Drop: inf.Drop, KeepManagedFields: inf.KeepManagedFields,
				Indexes: map[string]string{}, Listeners: []listedListener{}}
			byScope[key] = listed
			all = append(all, listed)
		}
		maps.Copy(listed.Indexes, inf.Indexes)
		return listed
	}
	for _, l := range p.Listeners {
		inf := of(l.Config.Informer())
		inf.Listeners = append(inf.Listeners, p.listed(l))
		inf.sharedBy = append(inf.sharedBy, l.Config.Name)
		if ref := l.Config.InformerRef; ref.Inline == nil {
			inf.Names = append(inf.Names, ref.Name)
		}
	}
	for _, l := range p.Listeners {
		for _, name := range l.Lookups() {
			inf := of(l.Config.Informers()[name])
			inf.LookedUpBy = append(inf.LookedUpBy, l.Config.Name)
			inf.Names = append(inf.Names, name)
		}
	}
	for _, inf := range all {
		if s := p.Config.Sharding; s != nil {
			inf.Replicas = fmt.Sprintf("each has its part of %d shards, by %s", s.Shards, s.By)
			if len(inf.LookedUpBy) > 0 {
				inf.Replicas = "each has all objects, since they are looked up"
			}
			if len(inf.LookedUpBy) > 0 && len(inf.Listeners) > 0 {
				inf.Replicas += ", and watches its shards besides"
			}
		}
		inf.Names = slices.Compact(slices.Sorted(slices.Values(inf.Names)))
		inf.LookedUpBy = slices.Compact(slices.Sorted(slices.Values(inf.LookedUpBy)))
	}
	return all
}

func (p *Plan) listed(l *Listener) listedListener {
	c, b := l.Config, l.Before
	listed := listedListener{Name: c.Name, File: p.fileOf(l), On: words(c.Ops()),
		Behind: []Stage{}, Again: l.again(), Outputs: c.Outputs,
		Before:   listedBefore{On: []string{}, Never: b.Never, Complete: b.Complete},
		Warnings: warningsOf(l.Expressions)}
	if c.Resync.Duration > 0 {
		listed.Resync = document.Short(c.Resync.Duration)
	}
	if c.Handler != nil {
		listed.Handler, listed.Grants = c.Handler.Wasm, grants(c.Handler.Grants)
	}
	if !b.Never {
		on := b.On
		if c.Resync.Duration == 0 { // rules look at resyncs, and there are none
			on &= everything
		}
		listed.Before.On = words(on)
		for _, condition := range b.Conditions {
			listed.Before.Conditions = append(listed.Before.Conditions, condition.String())
		}
		listed.Before.ObjectOrOld = b.Transitions && len(b.Conditions) > 0
	}
	stage := func(is string, x config.Expression) {
		if !x.IsZero() {
			listed.Behind = append(listed.Behind, Stage{Is: is, Expression: x.Text})
		}
	}
	stage("select", c.Select)
	for _, r := range c.Rules {
		rule := Stage{Is: "rule", Name: r.Name, Severity: r.Severity, Expression: r.Deny.Text,
			Message: r.Message.Text}
		if r.For.Duration > 0 {
			rule.For = document.Short(r.For.Duration)
		}
		if r.Repeat.Duration > 0 {
			rule.Repeat = document.Short(r.Repeat.Duration)
		}
		listed.Behind = append(listed.Behind, rule)
	}
	stage("filter", c.Filter)
	return listed
}

// again returns which expressions are evaluated again without an event, since their values
// change with the time or with other objects.
func (p *Listener) again() (all []string) {
	if p.Before.Never {
		return nil
	}
	if p.Select.LooksAround() {
		all = append(all, "select")
	}
	for _, r := range p.Rules {
		if r.Deny().LooksAround() {
			all = append(all, "rule "+r.Name())
		}
	}
	return all
}

// fileOf returns the file that a listener is in, "" if all are in one.
func (p *Plan) fileOf(l *Listener) string {
	file := p.Config.ErrorAt(l.Field, "", "").File
	if file == p.Config.File() && len(p.Config.OwnFiles()) < 2 {
		return ""
	}
	return file
}

// warningsOf returns the warnings about expressions, with their places.
func warningsOf(all []Expression) (texts []string) {
	for _, x := range all {
		for _, w := range x.Warnings() {
			texts = append(texts, fmt.Sprintf("%s:%d:%d: %s", w.Expression.File, w.Line, w.Column,
				w.Message))
		}
	}
	return texts
}
