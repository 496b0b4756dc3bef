package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/plan/reach"
	"github.com/informerd/informerd/internal/plan/shown"
	"github.com/informerd/informerd/pkg/filters"
)

// writeOutputs writes where messages go.
func (p *Plan) writeOutputs(out *shown.Lines) {
	p.writeSome(out, slices.Sorted(maps.Keys(p.Outputs)), nil)
}

// writeSome writes some outputs, with what they get of these listeners, nil for all.
func (p *Plan) writeSome(out *shown.Lines, outputs, listeners []string) {
	for _, name := range outputs {
		o := p.Outputs[name]
		out.Line(0, "\noutput %s, %s", name, shown.Destination(o.Config))
		p.writeOutput(out, o, listeners)
	}
}

// writeOutput writes what an output gets of these listeners, nil for all, and makes of it.
func (p *Plan) writeOutput(out *shown.Lines, o *Output, listeners []string) {
	users := out.Order(p.usersOf(o.Config.Name))
	all := len(users)
	if users = shown.Some(users, listeners); all > len(users) {
		users = append(users, shown.Count(all-len(users), "other"))
	}
	if all == 0 {
		users = []string{"no listener"}
	}
	out.Names(1, "gets messages of", users)
	for i, text := range reach.Texts(p.missedBy(o, listeners), out.Alone) {
		out.Item(1, []string{"never gets", ""}[min(i, 1)], text)
	}
	for _, setting := range shown.Connection(o.Config) {
		out.Item(1, setting.Name, setting.Text)
	}
	for _, w := range o.warnings() {
		out.Item(1, "warning", w)
	}
	for _, x := range shown.Texts(o.Config) {
		out.Expression(1, x.Name, "", x.Text, "")
	}
	if text := p.usualOf(o); text != "" {
		out.Item(1, "data", "the default: "+text)
	}
}

func (o *Output) warnings() []string { return warningsOf(filtersOf(o.Expressions)) }

// warningsOf returns the warnings about expressions, with their places.
func warningsOf(all []*filters.Filter) (texts []string) {
	for _, f := range all {
		for _, w := range f.Warnings() {
			texts = append(texts, fmt.Sprintf("%s:%d:%d: %s", w.Expression.File, w.Line, w.Column,
				w.Message))
		}
	}
	return texts
}
