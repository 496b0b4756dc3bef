package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/plan/shown"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// writeEvents writes which events a listener wants, where that is not the default.
func (p *Listener) writeEvents(out *shown.Lines) {
	usual := event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete)
	resync := p.Config.Resync.Duration
	if resync > 0 {
		usual = usual.With(event.Resync)
	}
	if on := p.Config.Ops(); on != usual && !p.Quiet {
		out.Item(2, "on", strings.Join(words(on), ", "))
	}
	if resync > 0 {
		out.Item(2, "resync", document.Short(resync))
	}
}

// maxBefore is how many lines of conditions a plan has of each listener, if it is of all.
const maxBefore = 6

// writeBefore writes which events get into the buffer.
func (p *Listener) writeBefore(out *shown.Lines) {
	on, list := p.before()
	lines := []string{strings.Join(words(on), ", ")}
	if len(list) > 0 {
		lines = append(lines, shown.Conditions(on, list)...)
	}
	if more := len(lines) - maxBefore; more > 1 && !out.Whole {
		lines = append(lines[:maxBefore],
			fmt.Sprintf("… %d more lines, which --listener %s shows", more, p.Config.Name))
	}
	if len(list) > 0 && p.Before.Transitions {
		lines = append(lines, "for updates: object or old")
	}
	lines = shown.Joined(lines)
	name := "before the buffer"
	for _, line := range lines {
		if !out.Whole {
			line = shown.Cut(line)
		}
		out.Item(2, name, line)
		name = ""
	}
	if p.asked.selects != nil && !p.Quiet {
		wanted := p.asked.on & conditionsOf(p.asked.filter).Ops
		switch text := shown.Moves(wanted); {
		case text != "" && len(p.asked.denies) > 0:
			out.Item(2, "", "("+shown.OfFilter+text+"; the rules see each of them)")
		case text != "":
			out.Item(2, "", "("+text+")")
		}
	}
}

// before returns the ops and the conditions of events that get into the buffer.
func (p *Listener) before() (on event.OpSet, list []condition.Condition) {
	on, list = p.Before.On, slices.Clone(p.Before.Conditions)
	if p.Config.Resync.Duration == 0 { // rules look at resyncs, and there are none
		on &^= event.OpSet(0).With(event.Resync)
	}
	if p.Select == nil && len(p.Rules) == 0 {
		on &= shown.Ops(conditionsOf(p.asked.filter))
	}
	if left, may := shown.Within(on, list); may {
		list = left
	}
	// what the listener wants of a select, for which the text has words
	return on, slices.DeleteFunc(list, func(c condition.Condition) bool {
		return c.Of == condition.OfOp
	})
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
