package plan

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/plan/clash"
	"github.com/informerd/informerd/internal/plan/kinds"
	"github.com/informerd/informerd/internal/plan/serverside"
	"github.com/informerd/informerd/internal/plan/shown"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/condition"
)

// Write writes what the configuration requests from the API server, which listeners share that,
// what is decided before and behind each listener's buffer, and where messages go. It asks no API
// server: resources have the names of the configuration.
func (p *Plan) Write(w io.Writer) error {
	known, err := openapi.Builtin()
	if err != nil {
		return err
	}
	out := &shown.Lines{Writer: w}
	groups := p.groups(known)
	watches := 0
	for _, g := range groups {
		watches += max(1, len(g.informer.Namespaces))
	}
	informers := shown.Count(len(groups), "informer")
	if watches != len(groups) {
		informers += fmt.Sprintf(" with %d watches", watches)
	}
	out.Line(0, "cluster %s: %s, %s, %s", p.Config.Cluster.Name, informers,
		shown.Count(len(p.Listeners), "listener"), shown.Count(len(p.Outputs), "output"))
	for _, s := range shown.Process(p.Config) {
		out.Item(1, s.Name, s.Text)
	}
	for _, g := range groups {
		out.Line(0, "")
		g.write(out)
	}
	p.writeOutputs(out)
	return out.Err
}

// group is an informer and the listeners that share it.
type group struct {
	informer  *config.Informer
	cluster   bool // its resource is known to be in no namespace
	builtin   bool // it is one of Kubernetes' own
	indexes   map[string]string
	plan      *Plan
	listeners []*Listener
	lookups   []string // listeners whose expressions or handlers look objects up in its cache
	names     []string // that the configuration has for it
	scope     []condition.Condition
	twice     []*group // others of the resource, which watch some of the same objects
}

type groupKey struct {
	resource string
	scope    config.Scope
}

// groups returns the informers in the order of their first listeners. Two names of one resource are
// one informer, as they are to an API server; that is known of the common kinds.
func (p *Plan) groups(known *openapi.Set) []*group {
	listeners := p.Listeners
	var all []*group
	byKey := map[groupKey]*group{}
	ofResource := map[string][]*group{}
	of := func(inf *config.Informer) *group {
		found, builtin := known.Find(inf.Resource)
		name, ok := known.Name(inf.Resource)
		if !ok {
			name = strings.ToLower(inf.Resource)
		}
		key := groupKey{name, inf.Scope()}
		g := byKey[key]
		if g == nil {
			g = &group{informer: inf, cluster: kinds.OfCluster(found), builtin: builtin,
				indexes: map[string]string{}, plan: p}
			g.scope = clash.Scope(inf)
			base := kinds.Unversioned(name)
			for _, other := range ofResource[base] {
				if other.overlaps(g) {
					g.twice, other.twice = append(g.twice, other), append(other.twice, g)
				}
			}
			ofResource[base] = append(ofResource[base], g)
			byKey[key] = g
			all = append(all, g)
		}
		maps.Copy(g.indexes, inf.Indexes)
		return g
	}
	for _, l := range listeners {
		g := of(l.Config.Informer())
		g.listeners = append(g.listeners, l)
		if ref := l.Config.InformerRef; ref.Inline == nil {
			g.names = append(g.names, ref.Name)
		}
	}
	for _, l := range listeners {
		for _, name := range l.Lookups() {
			g := of(l.Config.Informers()[name])
			g.lookups, g.names = append(g.lookups, l.Config.Name), append(g.names, name)
		}
	}
	return all
}

// overlaps reports whether two informers of a resource may watch the same objects.
func (g *group) overlaps(other *group) bool {
	return !slices.ContainsFunc(g.scope, func(c condition.Condition) bool {
		return clash.Excluded(c, other.scope) >= 0
	})
}

func (g *group) write(out *shown.Lines) {
	g.writeInformer(out)
	for _, l := range g.listeners {
		g.writeListener(out, l)
	}
}

func (g *group) writeListener(out *shown.Lines, l *Listener) {
	from := ""
	if file := g.plan.fileOf(l); file != "" {
		from = ", from " + file
	}
	out.Line(1, "listener %s%s", l.Config.Name, from)
	g.writeWhatItDoes(out, l)
}

// writeWhatItDoes writes what a listener takes, decides and sends.
func (g *group) writeWhatItDoes(out *shown.Lines, l *Listener) {
	l.writeEvents(out)
	for _, w := range g.plan.warnings(l) {
		out.Item(2, "warning", w)
	}
	l.writePlan(out)
	if all := l.again(); len(all) > 0 {
		out.Item(2, "evaluated again", fmt.Sprintf("every %s: %s",
			document.Short(rules.ClockInterval), strings.Join(all, ", ")))
	}
	l.writeHandler(out)
	g.plan.writeSends(out, l)
	for _, s := range shown.Settings(l.Config) {
		out.Item(2, s.Name, s.Text)
	}
	shared := len(g.listeners) > 1 && !out.Whole // each of them would need an informer of its own
	if out.Alone || shared {
		return
	}
	s := g.suggestion(l)
	for i, text := range strings.SplitAfter(s, "; ") {
		if text != "" {
			out.Item(2, []string{"suggestion", ""}[min(i, 1)], strings.TrimSpace(text))
		}
	}
}

func (g *group) writeInformer(out *shown.Lines) {
	inf := g.informer
	scope := inf.Scope()
	out.Line(0, "informer of %s, %s", inf.Resource, strings.Join(g.where(), ", "))
	if !g.builtin {
		out.Item(1, "not known here", "whether the API server has it: informerd validate --cluster asks")
	}
	if len(g.names) > 0 {
		out.Item(1, "named", strings.Join(slices.Compact(slices.Sorted(slices.Values(g.names))), ", "))
	}
	if scope.LabelSelector != "" {
		out.Item(1, "label selector", scope.LabelSelector)
	}
	if scope.FieldSelector != "" {
		out.Item(1, "field selector", scope.FieldSelector)
	}
	var others []string
	for _, other := range g.twice[:min(len(g.twice), maxTwice)] {
		others = append(others, other.user())
	}
	if more := len(g.twice) - len(others); more > 0 {
		others = append(others, fmt.Sprintf("and %d more", more))
	}
	if len(others) > 0 {
		out.Item(1, "watched again", "with other settings, "+strings.Join(others, ", ")+
			"; objects of both are requested and kept twice")
	}
	if len(inf.Drop) > 0 {
		out.Item(1, "drops", strings.Join(inf.Drop, ", "))
	}
	if inf.KeepManagedFields {
		out.Item(1, "keeps", "metadata.managedFields")
	}
	for i, name := range slices.Sorted(maps.Keys(g.indexes)) {
		out.Item(1, []string{"indexes", ""}[min(i, 1)], name+": "+g.indexes[name])
	}
	var names []string
	for _, l := range g.listeners {
		names = append(names, l.Config.Name)
	}
	if len(names) > 1 {
		out.Names(1, "shared by", names)
	}
	if len(g.lookups) > 0 {
		out.Names(1, "looked up by", once(g.lookups))
	}
}

// maxTwice is how many informers are named that watch some of the same objects.
const maxTwice = 3

// user returns for whom the informer is: its first listener.
func (g *group) user() string {
	if len(g.listeners) > 0 {
		return "for listener " + g.listeners[0].Config.Name
	}
	return "for what " + g.lookups[0] + " looks up"
}

// where returns which objects are watched.
func (g *group) where() (all []string) {
	inf := g.informer
	switch names := slices.Sorted(slices.Values(inf.Namespaces)); {
	case len(names) > 1:
		all = append(all, fmt.Sprintf("namespaces %s: %d watches", strings.Join(names, ", "),
			len(names)))
	case len(names) == 1:
		all = append(all, "namespace "+names[0])
	case !g.cluster:
		all = append(all, "all namespaces")
	}
	if scope := inf.Scope(); scope.LabelSelector == "" && scope.FieldSelector == "" {
		all = append(all, "every object")
	} else {
		all = append(all, "selected objects")
	}
	return all
}

// writeHandler writes a listener's handler with its grants.
func (p *Listener) writeHandler(out *shown.Lines) {
	h := p.Config.Handler
	if h == nil {
		return
	}
	out.Item(2, "handler", h.Wasm)
	for _, wrong := range p.NotLoaded {
		if !out.Alone { // it is not of the configuration
			out.Item(2, "not loaded", wrong)
		}
	}
	granted := "none"
	if all := shown.Grants(h.Grants); len(all) > 0 {
		granted = strings.Join(all, "; ")
	}
	out.Item(2, "grants", granted)
	for _, s := range shown.Handler(h) {
		out.Item(2, s.Name, s.Text)
	}
}

// warnings returns the warnings about a listener's expressions.
func (p *Plan) warnings(l *Listener) []string {
	texts := warningsOf(l.Filters())
	for _, c := range p.conflicts(l) {
		texts = append(texts, c.Message)
	}
	return texts
}

func (p *Listener) writePlan(out *shown.Lines) {
	b := p.Before
	if on, _ := p.before(); b.Never || on == 0 {
		out.Item(2, "before the buffer", "refuses every event: no event can match")
		return
	}
	p.writeBefore(out)
	behind := "behind the buffer"
	if p.asked.selects != nil {
		out.Expression(2, behind, "select: ", p.Config.Select.Text, "")
		behind = ""
	}
	for i := range p.Config.Rules {
		out.Rule(2, behind, &p.Config.Rules[i])
		behind = ""
	}
	if p.asked.filter != nil {
		out.Expression(2, behind, "filter: ", p.Config.Filter.Text, "")
		behind = ""
	}
	if behind != "" {
		out.Item(2, behind, "nothing")
	} else if b.Complete {
		out.Item(2, "", shown.Decided)
	}
}

func (g *group) suggestion(l *Listener) string {
	return l.suggestion(g.cluster, len(g.listeners) > 1 || len(g.lookups) > 0)
}

// suggestion returns which selector would make the API server send less, "" if none would.
// Cluster: its resource is in no namespace.
func (p *Listener) suggestion(cluster, shared bool) string {
	if p.Before.Never {
		return ""
	}
	from, note := conditionsOf(p.asked.selects), ""
	if p.asked.selects == nil {
		if p.asked.filter == nil || len(p.asked.denies) > 0 {
			return ""
		}
		from, note = p.asked.filter.Conditions(),
			"; an update that makes an object match then arrives as an add, one that stops it matching as a delete"
		from.List = serverside.Steady(p.asked.filter, from.List)
		if !slices.ContainsFunc(from.List, func(c condition.Condition) bool {
			return c.Of == condition.OfLabel || c.Of == condition.OfField
		}) {
			note = "" // a name and a namespace never change
		}
	}
	parts := serverside.Settings(p.Config.Informer(), cluster, from.List)
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, ", ") +
		" in the informer would make the API server send only these objects" + note
	if shared {
		text += "; others use this informer, so this listener would need one of its own"
	}
	return text
}
