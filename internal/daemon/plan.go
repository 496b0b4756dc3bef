package daemon

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
)

// Plan writes what a configuration requests from the API server, which listeners share that, and
// what is decided before and behind each listener's buffer. It asks no API server: resources have
// the names of the configuration. The error is a config.Errors if the configuration is to blame.
func Plan(ctx context.Context, cfg *config.Config, opts BuildOptions, w io.Writer) error {
	opts.Log = slog.New(slog.DiscardHandler) // the plan has the warnings
	r, err := build(ctx, cfg, opts)
	if err != nil {
		return err
	}
	defer r.close(ctx)
	known, err := openapi.Builtin()
	if err != nil {
		return err
	}
	out := &planned{Writer: w}
	for i, g := range groups(r.plan.listeners, known) {
		if i > 0 {
			out.line(0, "")
		}
		g.write(out)
	}
	return out.err
}

// group is an informer and the listeners that share it.
type group struct {
	informer  *config.Informer
	listeners []*listenerPlan
	lookups   []string // listeners whose expressions or handlers look objects up in its cache
}

type groupKey struct {
	resource string
	scope    config.Scope
}

// groups returns the informers in the order of their first listeners. Two names of one resource are
// one informer, as they are to an API server; that is known of the common kinds.
func groups(listeners []*listenerPlan, known *openapi.Set) []*group {
	var all []*group
	byKey := map[groupKey]*group{}
	of := func(inf *config.Informer) *group {
		name, ok := known.Name(inf.Resource)
		if !ok {
			name = strings.ToLower(inf.Resource)
		}
		key := groupKey{name, inf.Scope()}
		g := byKey[key]
		if g == nil {
			g = &group{informer: inf}
			byKey[key] = g
			all = append(all, g)
		}
		return g
	}
	for _, l := range listeners {
		g := of(l.cfg.Informer())
		g.listeners = append(g.listeners, l)
	}
	for _, l := range listeners {
		for _, name := range l.lookups() {
			g := of(l.cfg.Informers()[name])
			g.lookups = append(g.lookups, l.cfg.Name)
		}
	}
	return all
}

func (g *group) write(out *planned) {
	inf := g.informer
	namespaces := "all namespaces"
	if n := len(inf.Namespaces); n > 0 {
		namespaces = "namespaces " + strings.Join(inf.Namespaces, ", ")
		if n > 1 {
			namespaces += fmt.Sprintf(": %d watches", n)
		}
	}
	out.line(0, "informer of %s, %s", inf.Resource, namespaces)
	out.item(1, "label selector", orNone(inf.Scope().LabelSelector))
	out.item(1, "field selector", orNone(inf.Scope().FieldSelector))
	if len(inf.Drop) > 0 {
		out.item(1, "drops", strings.Join(inf.Drop, ", "))
	}
	var names []string
	for _, l := range g.listeners {
		names = append(names, l.cfg.Name)
	}
	switch {
	case len(names) > 1:
		out.item(1, "shared by", strings.Join(names, ", "))
	case len(names) == 0:
		out.item(1, "shared by", "no listener")
	}
	if len(g.lookups) > 0 {
		out.item(1, "looked up by",
			strings.Join(slices.Compact(slices.Sorted(slices.Values(g.lookups))), ", "))
	}
	for _, l := range g.listeners {
		out.line(1, "listener %s", l.cfg.Name)
		l.writePlan(out, len(g.listeners) > 1 || len(g.lookups) > 0)
	}
}

func (p *listenerPlan) writePlan(out *planned, shared bool) {
	for _, f := range p.filters() {
		for _, w := range f.Warnings() {
			out.item(2, "warning", fmt.Sprintf("%s:%d:%d: %s", w.Expression.File, w.Line, w.Column,
				w.Message))
		}
	}
	b := p.before
	if b.never {
		out.item(2, "before the buffer", "refuses every event: no event can match")
		return
	}
	conditions := []string{strings.Join(words(b.on), ", ")}
	for _, c := range b.conditions {
		conditions = append(conditions, c.String())
	}
	if b.transitions && len(b.conditions) > 0 {
		conditions = append(conditions, "of an update's object or old")
	}
	out.item(2, "before the buffer", strings.Join(conditions, "; "))
	behind := "behind the buffer"
	if p.asked.selects != nil {
		out.item(2, behind, "select: "+oneLine(p.cfg.Select.Text))
		behind = ""
	}
	for _, r := range p.cfg.Rules {
		text := fmt.Sprintf("rule %s (%s): %s", r.Name, r.Severity, oneLine(r.Deny.Text))
		if r.For.Duration > 0 {
			text += fmt.Sprintf(", for %s", r.For.Duration)
		}
		out.item(2, behind, text)
		behind = ""
	}
	if p.asked.filter != nil {
		out.item(2, behind, "filter: "+oneLine(p.cfg.Filter.Text))
		behind = ""
	}
	if behind != "" {
		out.item(2, behind, "nothing")
	} else if b.complete {
		out.item(2, "", "(all of it is decided before the buffer already)")
	}
	if s := p.suggestion(shared); s != "" {
		out.item(2, "suggestion", s)
	}
}

// suggestion returns which selector would make the API server send less, "" if none would.
func (p *listenerPlan) suggestion(shared bool) string {
	from, note := conditionsOf(p.asked.selects), ""
	if p.asked.selects == nil {
		if p.asked.filter == nil || len(p.asked.denies) > 0 {
			return ""
		}
		from, note = p.asked.filter.Conditions(),
			"; an update that makes an object match then arrives as an add, one that stops it matching as a delete"
		from.List = steady(p.asked.filter, from.List)
	}
	parts := serverSide(p.cfg.Informer(), from.List)
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

func oneLine(text string) string {
	const limit = 100
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > limit {
		return string(line[:limit]) + "…"
	}
	return string(line)
}

func orNone(text string) string {
	if text == "" {
		return "none: every object"
	}
	return text
}

// planned writes lines until a write fails.
type planned struct {
	io.Writer
	err error
}

func (p *planned) line(depth int, format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p, strings.Repeat("  ", depth)+format+"\n", args...)
	}
}

func (p *planned) item(depth int, name, text string) { p.line(depth, "%-18s %s", name, text) }

// lookups returns the informers in which expressions look objects up, by the names they have there.
func lookups(expressions []*filters.Filter) []string {
	var names []string
	for _, f := range expressions {
		names = append(names, f.Informers()...)
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}
