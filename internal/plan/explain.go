package plan

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/defaults"
	"github.com/informerd/informerd/internal/plan/kinds"
	"github.com/informerd/informerd/internal/plan/lookedup"
	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/internal/plan/scope"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// UnknownListener returns the error of a listener that a configuration does not have.
func UnknownListener(cfg *config.Config, name string) error {
	return &answer.UnknownListenerError{Name: name, There: slices.Sorted(maps.Keys(cfg.Listeners))}
}

// Explain writes the text of Answer.
func Explain(cfg *config.Config, schemas Schemas, name string, q Question, w io.Writer) error {
	a, err := Answer(cfg, schemas, name, q)
	if a == nil {
		return err
	}
	return cmp.Or(a.Write(w), err)
}

// Answer returns how a listener's expressions evaluate an event, part by part, and what follows.
// Its handler does not run. The error is a config.Errors if the configuration is to blame, an
// answer.UnknownListenerError without such a listener, and a kinds.WrongError for another kind.
// With a scope.UnwatchedError, of an object that the informer does not watch, and a
// lookedup.UndecidedError, if it depends on objects that are not known, there is an answer.
func Answer(cfg *config.Config, schemas Schemas, name string, q Question) (*answer.Answer, error) {
	l := cfg.Listeners[name]
	if l == nil {
		return nil, UnknownListener(cfg, name)
	}
	if err := q.wrongKind(l); err != nil {
		return nil, err
	}
	e, err := q.event(l.Informer())
	if err != nil {
		return nil, err
	}
	c := newCompiler(cfg, l, schemas)
	c.events.Now = q.Now
	p := &Listener{Config: l, Select: c.expression(".select", l.Select, filters.KindSelect),
		Filter: c.expression(".filter", l.Filter, filters.KindFilter), Rules: c.ruleList()}
	outputs := outputsOf(cfg, l, schemas, q.Now, &c.Mistakes)
	if len(c.Mistakes) > 0 {
		return nil, InOrder(cfg, c.Mistakes)
	}
	if len(q.Rules) > 0 {
		p.Rules = slices.DeleteFunc(p.Rules,
			func(r *rules.Rule) bool { return !slices.Contains(q.Rules, r.Name()) })
	}
	found, err := newFound(l, q)
	if err != nil {
		return nil, err
	}
	x := &explained{listener: l, caches: found, found: found, outputs: outputs,
		cluster: cfg.Cluster.Name, file: cfg.File(), source: q.Source,
		clock: time.Now(), onlyRules: len(q.Rules) > 0}
	x.at = cmp.Or(q.Now, x.clock)
	x.compiled = func(at time.Time) ([]*rules.Rule, []*Output) { return asOf(cfg, l, schemas, at) }
	x.head(e)
	x.File = q.Object.Path
	x.written, x.before = defaults.Of(q.Object.JSON), defaults.OfOld(defaults.Complete(q.Old.JSON))
	x.bare = !q.Supposed && defaults.NoStatus(q.Object.JSON)
	x.asks(cfg, q, e.Object)
	if x.known.Begins && q.Supposed {
		q.Supposed, e.Initial = false, true
	}
	x.asIf, x.supposed, x.looked = q.Supposed, q.Supposed && x.known.Same, q.Looked
	e, x.Unwatched = x.asWatched(e, q.Supposed)
	q.Supposed = q.Supposed && e.Op != event.Delete
	notes := append(q.notes(e, l, x.known), found.Notes...)
	version, kind := e.Object.APIVersion(), e.Object.Kind()
	notes = append(notes, kinds.Unsure(l.Informer().Resource, version, kind),
		kinds.OtherVersion(version, kind))
	if e.Object.Namespace() == "" {
		notes = append(notes, kinds.NoNamespace(l.Informer().Resource, kind))
	}
	for _, note := range notes {
		if note != "" {
			x.Note(note)
		}
	}
	if len(x.Unwatched) > 0 {
		x.Say("The listener gets no event of this object: %s.", strings.Join(x.Unwatched, "; "))
		x.verdict("not watched: " + strings.Join(x.Unwatched, ", "))
		return &x.Answer, &scope.UnwatchedError{Path: q.Object.Path, Listener: name,
			Reasons: x.Unwatched}
	}
	if q.NoEvent != "" {
		x.Say("There is no event: %s.", q.NoEvent)
		x.verdict(q.NoEvent + ", no event")
		return &x.Answer, nil
	}
	if e.Op == event.Resync && l.Resync.Duration == 0 {
		x.Say("The listener has no resync period: it gets no such event.")
		x.verdict("resync: the listener has no resync period")
		return &x.Answer, nil
	}
	if err := x.stages(p, e); err != nil {
		return nil, err
	}
	for _, note := range found.Nothing() {
		x.Note(note)
	}
	if lacks := defaults.Lacks(x.written, x.before); len(lacks) > 0 {
		x.NoteLacks(lacks, x.source.File)
	}
	if x.Missing = slices.Sorted(maps.Keys(found.Missing)); len(x.Missing) > 0 {
		return &x.Answer, &lookedup.UndecidedError{Listener: name, Informers: x.Missing}
	}
	return &x.Answer, nil
}

// Explain writes how a listener's expressions, and those of its outputs, evaluate an event that it
// got, part by part, and what follows. They look objects up in the caches as these are now. The
// rules are what the listener knows of the object by its rules, if it has any. The plan is the
// one that the listener was made by, or a later one.
func (p *Plan) Explain(l *Listener, e event.Event, caches filters.Caches,
	remembered memory.Rules, w io.Writer) error {
	x := &explained{listener: l.Config, caches: caches, cluster: p.Config.Cluster.Name,
		file: p.Config.File(), known: answer.Known{Rules: remembered}, clock: time.Now()}
	x.at = x.clock
	x.compiled = func(at time.Time) ([]*rules.Rule, []*Output) {
		return asOf(p.Config, l.Config, nil, at)
	}
	for _, name := range l.Config.Outputs {
		if o := p.Outputs[name]; o != nil {
			x.outputs = append(x.outputs, o)
		}
	}
	x.head(e)
	if slices.ContainsFunc(l.Filters(), (*filters.Filter).LooksAround) {
		x.Note("lookups and age are evaluated as of now, which may not be what the event found.")
	}
	if len(l.Rules) > 0 {
		x.Remember(remembered, nil, x.at)
	}
	if err := x.stages(l, e); err != nil {
		return err
	}
	return x.Write(w)
}

// explained makes one explanation.
type explained struct {
	answer.Answer
	listener *config.Listener
	caches   filters.Caches
	found    *lookedup.Objects // nil: the caches are those of a running informerd
	outputs  []*Output
	cluster  string
	file     string // the configuration's
	source   answer.Source
	op       event.Op       // of the event that is explained; listeners may get another one
	object   *object.Object // of the event as the informer makes it
	unknown  string         // why the last expression has no answer
	given    string         // what the verdicts depend on, that is not known
	assumed  bool           // it was said that initial is false
	// the object and the one before, nil if an API server has completed it
	written, before *defaults.Written
	since           []string     // what it was said since is taken to be
	soon            []string     // rules that the object will violate, and when
	turning         string       // in how long the select answers otherwise, if that is known
	bare            bool         // the object has no status
	deny            filters.Step // of the rule that was judged last, with its values
	supposed        bool         // a running informerd looks again: nothing has happened
	asIf, looked    bool         // as Supposed and Looked of the question
	err             error

	onlyRules bool         // the event itself is not asked about
	known     answer.Known // to a running informerd: what rules go on with
	clock     time.Time    // the present time, to which what is known there counts
	at        time.Time    // as of which all is evaluated
	// compiled returns the listener's rules and outputs, as of another time.
	compiled func(at time.Time) ([]*rules.Rule, []*Output)
}

// ifSelected is in front of what becomes of an event if its object was selected before.
const ifSelected = "if it was selected: "

// verdict notes what becomes of the event, in short.
func (x *explained) verdict(text string) { x.Verdicts = append(x.Verdicts, x.given+text) }

func (x *explained) head(e event.Event) {
	o := e.Object
	x.op, x.Listener, x.Op = e.Op, x.listener.Name, e.Op.String()
	x.Object = answer.Object{APIVersion: o.APIVersion(), Kind: o.Kind(), Namespace: o.Namespace(),
		Name: o.Name()}
}

// stages writes what becomes of an event, stage by stage.
func (x *explained) stages(p *Listener, e event.Event) error {
	x.object = e.Object
	as := x.selects(p.Select, e)
	stays, was := as.selected && x.asIf && as.Op == event.Add && !x.enters(), x.known.Selected
	stays = stays && !(x.known.Change != "" && was != nil && !*was)
	if x.looked && stays {
		x.onlyRules = true
		if len(p.Rules) == 0 {
			x.Say("There is no event: nothing changes.")
			x.verdict("nothing changes, no event")
		}
	}
	if as.unsure && as.Op == event.Delete {
		x.given = ifSelected
	}
	judged := as
	if stays && x.known.Object {
		judged.Op = 0 // nothing happens to the object, so nothing that is reported has an op
	}
	for _, r := range p.Rules {
		x.rule(r, judged)
	}
	x.dropped(judged.Event)
	switch {
	case !as.selected || len(p.Rules) == 0:
	case len(x.Verdicts) == 0:
		x.verdict(x.noneViolated(as.Op, p.Rules))
	default:
		for _, soon := range x.soon {
			x.verdict("not violated yet: " + soon)
		}
	}
	if !x.onlyRules {
		x.events(p.Filter, as)
	}
	return x.err
}

// tree has the value of each part of an expression, with what that is. It is not decided if the
// expression looked for objects that are not known.
func (x *explained) tree(is string, f *filters.Filter, e event.Event) (_ filters.Explanation,
	decided bool) {
	var before map[string]bool
	if x.found != nil {
		before, x.found.Missing = x.found.Missing, map[string]bool{}
	}
	result := f.Explain(e, x.caches)
	defer x.assumes(e, result.Root)
	x.written.Read(result.Root)
	x.before.Read(result.Root)
	if x.found != nil && len(x.found.Missing) > 0 {
		missing := slices.Sorted(maps.Keys(x.found.Missing))
		x.unknown = "cannot be told without the objects of " + strings.Join(missing, ", ")
		x.Undecided(is, result, missing)
		maps.Copy(x.found.Missing, before)
		return result, false
	}
	if x.found != nil {
		x.found.Missing = before
	}
	x.Tree(is, result)
	return result, true
}

// assumes says that an event is not taken for one of a first list, if an expression looks at that.
func (x *explained) assumes(e event.Event, s filters.Step) {
	if e.Op != event.Add || e.Initial || x.found == nil || x.assumed || !answer.ReadsInitial(s) {
		return
	}
	x.assumed = true
	x.Note("initial is false here; pass --initial for an object of the first list.")
}
