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
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
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
// Its handler does not run. The error is a config.Errors if the configuration is to blame, an
// UnknownListenerError if it has no such listener, a WrongKindError or an UnwatchedError if its
// informer does not watch the object, and an UndecidedError if the answer depends on objects that
// the question does not have.
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
	outputs := outputsOf(cfg, l, schemas, &c.Mistakes)
	if len(c.Mistakes) > 0 {
		return InOrder(cfg, c.Mistakes)
	}
	found, err := newFound(l, q.Lookups)
	if err != nil {
		return err
	}
	x := &explained{Lines: Lines{Writer: w}, listener: l, caches: found, found: found,
		outputs: outputs, cluster: cfg.Cluster.Name, file: cfg.File()}
	if q.Summary {
		x.Writer = io.Discard
	}
	x.head(e)
	for _, note := range q.notes(e) {
		x.Line(0, "Note: %s", note)
	}
	if unsure := unsureKind(l.Informer(), e.Object); unsure != "" {
		x.Line(0, "Note: %s", unsure)
	}
	e, reasons := x.asWatched(e)
	if len(reasons) > 0 {
		x.Line(0, "The listener gets no event of this object: %s.", strings.Join(reasons, "; "))
		x.verdict("not watched: " + strings.Join(reasons, ", "))
	} else {
		err = x.stages(p, e)
	}
	if q.Summary && err == nil {
		_, err = fmt.Fprintf(w, "%s %q: %s\n", e.Object.Kind(), e.Object.Key(),
			strings.Join(x.verdicts, "; "))
	}
	switch {
	case err != nil:
		return err
	case len(reasons) > 0:
		return &UnwatchedError{q.Object.Path, name, reasons}
	case len(found.missing) > 0:
		return &UndecidedError{name, slices.Sorted(maps.Keys(found.missing))}
	}
	return nil
}

// Explain writes how a listener's expressions, and those of its outputs, evaluate an event that it
// got, part by part, and what follows. They look objects up in the caches as these are now. The
// plan is the one that the listener was made by, or a later one.
func (p *Plan) Explain(l *Listener, e event.Event, caches filters.Caches, w io.Writer) error {
	x := &explained{Lines: Lines{Writer: w}, listener: l.Config, caches: caches,
		cluster: p.Config.Cluster.Name, file: p.Config.File()}
	for _, name := range l.Config.Outputs {
		if o := p.Outputs[name]; o != nil {
			x.outputs = append(x.outputs, o)
		}
	}
	x.head(e)
	if slices.ContainsFunc(l.Filters(), moves) {
		x.Line(0, "Note: lookups and age are evaluated as of now, which may not be what the event found.")
	}
	return x.stages(l, e)
}

// explained writes one explanation.
type explained struct {
	Lines
	listener *config.Listener
	caches   filters.Caches
	found    *found // nil: the caches are those of a running informerd
	outputs  []*Output
	cluster  string
	file     string         // the configuration's
	op       event.Op       // of the event that is explained; a listener may get it as another one
	object   *object.Object // of the event as the informer makes it
	verdicts []string       // what becomes of the event, in short
	assumed  bool           // it was said that initial is false
}

// verdict notes what becomes of the event, for a summary.
func (x *explained) verdict(text string) { x.verdicts = append(x.verdicts, text) }

func (x *explained) head(e event.Event) {
	x.op = e.Op
	x.Line(0, "listener %s, %s of %s %q", x.listener.Name, e.Op, e.Object.Kind(), e.Object.Key())
}

// stages writes what becomes of an event, stage by stage.
func (x *explained) stages(p *Listener, e event.Event) error {
	x.object = e.Object
	e, selected := x.selects(p.Select, e)
	for _, r := range p.Rules {
		x.rule(r, e, selected)
	}
	x.event(p.Filter, e, selected)
	if len(x.verdicts) == 0 {
		x.verdict("nothing")
	}
	return x.Err
}

// tree writes the value of each part of an expression. It is not decided if the expression looked
// for objects that are not known.
func (x *explained) tree(f *filters.Filter, e event.Event) (_ filters.Explanation, decided bool) {
	var before map[string]bool
	if x.found != nil {
		before, x.found.missing = x.found.missing, map[string]bool{}
	}
	result := f.Explain(e, x.caches)
	defer x.assumes(e, result.Root)
	if x.found != nil && len(x.found.missing) > 0 {
		x.Line(0, "This cannot be told: it depends on objects of %s, which are not known here.",
			strings.Join(slices.Sorted(maps.Keys(x.found.missing)), ", "))
		maps.Copy(x.found.missing, before)
		return result, false
	}
	if x.found != nil {
		x.found.missing = before
	}
	if x.Err == nil {
		x.Err = result.Write(x)
	}
	return result, true
}

// assumes says that an event is not taken for one of a first list, if an expression looks at that.
func (x *explained) assumes(e event.Event, s filters.Step) {
	if e.Op != event.Add || e.Initial || x.found == nil || x.assumed || !readsInitial(s) {
		return
	}
	x.assumed = true
	x.Line(0, "Note: initial is false here; pass --initial for an object of the first list.")
}

func readsInitial(s filters.Step) bool {
	return s.Text == "initial" || slices.ContainsFunc(s.Children, readsInitial)
}

// selects returns the event as the stages behind the select see it, as in a route. What a listener
// remembers of the object is not known here; the old object is used instead.
func (x *explained) selects(f *filters.Filter, e event.Event) (event.Event, bool) {
	if f == nil {
		return e, true
	}
	x.Line(0, "\nselect, of the object:")
	now, decided := x.tree(f, event.Event{Op: event.Resync, Object: e.Object})
	is, was := now.Matched, false
	if e.Op == event.Update && !moves(f) {
		x.Line(0, "\nselect, of the old object:")
		before, known := x.tree(f, event.Event{Op: event.Resync, Object: e.Old})
		was, decided = before.Matched, decided && known
	}
	if !decided {
		return e, false
	}
	if moves(f) {
		x.Line(0, "The select looks at the clock or at other objects: a listener remembers its answer, and evaluates it again every minute.")
	}
	switch {
	case now.Err != nil && (e.Op != event.Update || moves(f)):
		x.Line(0, "The select failed: the object stays selected or not, as it was before.")
		return e, false
	case now.Err != nil:
		x.Line(0, "The select failed: the object stays selected or not, as it was before.")
		is = was
	case e.Op == event.Update && moves(f) && is:
		x.Line(0, "The object is selected. This is an update if it was before, which is not known here; else it is an add.")
		return e, true
	case (e.Op == event.Update || e.Op == event.Delete) && moves(f) && !is:
		x.Line(0, "The object is not selected. To the listener this is a delete if it was before, which is not known here; else nothing comes of the event.")
		x.verdict("not selected")
		return e, false
	}
	switch {
	case e.Op != event.Update && is:
	case e.Op != event.Update:
		x.Line(0, "The object is not selected: nothing comes of the event.")
		x.verdict("not selected")
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
		x.verdict("not selected")
	}
	return e, is
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
	if f == nil {
		x.goes("\nThere is no filter: the event", e)
		return
	}
	x.Line(0, "\nfilter:")
	result, decided := x.tree(f, e)
	if e.Op != event.Update && x.op != event.Update && f.UsesOld() {
		pass := ""
		if x.op == event.Add && x.found != nil {
			pass = " Pass --old FILE, the object before."
		}
		x.Line(0, "Note: old, changed and became are about updates: an event that is not an update has no changes.%s", pass)
	}
	switch {
	case !decided:
	case result.Err != nil:
		x.Line(0, "The filter failed: the event is given up.")
		x.verdict(x.named(e) + ": the filter fails")
	case result.Matched:
		x.goes("The event matches: it", e)
	default:
		x.Line(0, "The event does not match.")
		x.verdict(x.named(e) + ": does not match")
	}
}
