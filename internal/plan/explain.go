package plan

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// UnknownListenerError is the error of a listener that a configuration does not have.
type UnknownListenerError struct {
	Name  string
	There []string // those that it has
}

func (e *UnknownListenerError) Error() string {
	hint := ""
	if near, ok := nearest.Name(e.Name, e.There); ok {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Sprintf("there is no listener %q%s; there are %s", e.Name, hint,
		strings.Join(e.There, ", "))
}

// UnknownListener returns the error of a listener that a configuration does not have.
func UnknownListener(cfg *config.Config, name string) error {
	return &UnknownListenerError{Name: name, There: slices.Sorted(maps.Keys(cfg.Listeners))}
}

// Explain writes how a listener's expressions evaluate an event, part by part, and what follows.
// Its handler does not run, and lookups in other informers find nothing. The error is a
// config.Errors if the configuration is to blame, and an UnknownListenerError if it has no such
// listener.
func Explain(cfg *config.Config, schemas Schemas, name string, q Question, w io.Writer) error {
	l := cfg.Listeners[name]
	if l == nil {
		return UnknownListener(cfg, name)
	}
	e, err := q.event(l.Informer())
	if err != nil {
		return err
	}
	if err := q.wrongKind(l); err != nil {
		return err
	}
	c := newCompiler(cfg, l, schemas)
	p := &Listener{Config: l, Select: c.expression(".select", l.Select, filters.KindSelect),
		Filter: c.expression(".filter", l.Filter, filters.KindFilter), Rules: c.ruleList()}
	if len(c.Mistakes) > 0 {
		return InOrder(cfg, c.Mistakes)
	}
	x := &explained{Lines: Lines{Writer: w}, listener: l}
	x.head(e)
	if unsure := unsureKind(l.Informer(), e.Object); unsure != "" {
		x.Line(0, "Note: %s", unsure)
	}
	for _, note := range notes(l.Informer(), e.Object) {
		x.Line(0, "Note: %s", note)
	}
	if names := lookups(filtersOf(c.expressions)); len(names) > 0 {
		x.Line(0, "Note: lookups find nothing here, since there are no caches: %s",
			strings.Join(names, ", "))
	}
	return x.stages(p, e)
}

// Explain writes how the listener's expressions evaluate an event that it got, part by part, and
// what follows. They look objects up in the caches as these are now.
func (p *Listener) Explain(e event.Event, caches filters.Caches, w io.Writer) error {
	x := &explained{Lines: Lines{Writer: w}, listener: p.Config, caches: caches}
	x.head(e)
	if len(lookups(p.Filters())) > 0 {
		x.Line(0, "Note: lookups find what is there now, which may not be what the event found.")
	}
	return x.stages(p, e)
}

// explained writes one explanation.
type explained struct {
	Lines
	listener *config.Listener
	caches   filters.Caches
}

func (x *explained) head(e event.Event) {
	x.Line(0, "listener %s, %s of %s %q", x.listener.Name, e.Op, e.Object.Kind(), e.Object.Key())
}

// stages writes what becomes of an event, stage by stage.
func (x *explained) stages(p *Listener, e event.Event) error {
	e, selected := x.selects(p.Select, e)
	for _, r := range p.Rules {
		x.rule(r, e, selected)
	}
	x.event(p.Filter, e, selected)
	return x.Err
}

func (x *explained) tree(f *filters.Filter, e event.Event) filters.Explanation {
	result := f.Explain(e, x.caches)
	if x.Err == nil {
		x.Err = result.Write(x)
	}
	return result
}

// selects returns the event as the stages behind the select see it, as in a route. What a listener
// remembers of the object is not known here; the old object is used instead.
func (x *explained) selects(f *filters.Filter, e event.Event) (event.Event, bool) {
	if f == nil {
		return e, true
	}
	x.Line(0, "\nselect, of the object:")
	now := x.tree(f, event.Event{Op: event.Resync, Object: e.Object})
	is, was := now.Matched, false
	if e.Op == event.Update {
		x.Line(0, "\nselect, of the old object:")
		was = x.tree(f, event.Event{Op: event.Resync, Object: e.Old}).Matched
	}
	if f.UsesClock() || len(f.Informers()) > 0 {
		x.Line(0, "The select looks at the clock or at other objects: a listener remembers its answer, and evaluates it again every minute.")
	}
	if now.Err != nil {
		x.Line(0, "The select failed: the object stays selected or not, as it was before.")
		if is = was; e.Op != event.Update {
			return e, false
		}
	}
	switch {
	case e.Op != event.Update && is:
	case e.Op != event.Update:
		x.Line(0, "The object is not selected: nothing comes of the event.")
	case is && was:
		x.Line(0, "The object was selected and is: this is an update.")
	case is:
		x.Line(0, "The object enters the set: to the listener this is an add.")
		return event.Event{Op: event.Add, Object: e.Object}, true
	case was:
		x.Line(0, "The object leaves the set: to the listener this is a delete of its old state.")
		return event.Event{Op: event.Delete, Object: e.Old}, true
	default:
		x.Line(0, "The object neither was selected nor is: nothing comes of the event.")
	}
	return e, is
}

func (x *explained) rule(r *rules.Rule, e event.Event, selected bool) {
	if !selected {
		return
	}
	if e.Op == event.Delete {
		x.Line(0, "\nrule %s (%s):\nThe object is gone: an open violation is resolved.", r.Name(),
			r.Severity())
		return
	}
	x.Line(0, "\nrule %s (%s), deny:", r.Name(), r.Severity())
	asked := event.Event{Op: event.Resync, Object: e.Object}
	switch deny := x.tree(r.Deny(), asked); {
	case deny.Err != nil:
		x.Line(0, "The rule failed: what is known of the object stays as it is.")
		return
	case !deny.Matched:
		x.Line(0, "The object does not violate the rule.")
		return
	}
	when := "at once"
	if r.For() > 0 {
		when = "once it has done so for " + r.For().String()
	}
	message := fmt.Sprintf("%q", r.Name())
	if m := r.Message(); m != nil {
		x.Line(0, "\nrule %s, message:", r.Name())
		if text := x.tree(m, asked).Value; text != "" { // else the report has the rule's name
			message = fmt.Sprintf("%q", text)
		}
	}
	x.Line(0, "The object violates the rule, which is reported %s: %s", when, message)
}

// event writes what becomes of the event itself.
func (x *explained) event(f *filters.Filter, e event.Event, selected bool) {
	l := x.listener
	switch {
	case !selected:
		return
	case len(l.Rules) > 0 && f == nil && l.Handler == nil:
		x.Line(0, "\nThe listener has rules and neither a filter nor a handler: it sends no events.")
		return
	case !l.Ops().Has(e.Op):
		x.Line(0, "\nThe listener wants %s: the event goes no further.",
			strings.Join(words(l.Ops()), ", "))
		return
	}
	goes := "the outputs " + strings.Join(l.Outputs, ", ")
	if l.Handler != nil {
		goes = "the handler " + l.Handler.Wasm
	}
	if f == nil {
		x.Line(0, "\nThere is no filter: the event goes to %s.", goes)
		return
	}
	x.Line(0, "\nfilter:")
	result := x.tree(f, e)
	if e.Op != event.Update && f.UsesOld() {
		x.Line(0, "Note: old, changed and became are about updates: an event that is not an update has no changes. Pass --old FILE, the object before.")
	}
	switch {
	case result.Err != nil:
		x.Line(0, "The filter failed: the event is given up.")
	case result.Matched:
		x.Line(0, "The event matches: it goes to %s.", goes)
	default:
		x.Line(0, "The event does not match.")
	}
}
