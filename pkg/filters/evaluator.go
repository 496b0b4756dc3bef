package filters

import (
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/vm"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Evaluator runs a filter's expression, event after event. It serves one goroutine at a time.
type Evaluator struct {
	// Caches are the other informers' stores, as cached and byIndex read them. Nil: there is no
	// object in them.
	Caches Caches
	// Clock tells the time that age counts to. Nil: the system's.
	Clock func() time.Time

	filter *Filter
	vm     vm.VM
	env    map[string]any // the variables and functions the program looks up by name
	budget

	usesOld bool
	event   event.Event
	// What the fields are read from. Nothing that was read outlives Match.
	text, oldText object.Scratch
	usedOld       bool

	generation  uint64    // of the event; a slot of another one has not been read yet
	slots       []slot    // one per field of the filter
	steps       []stepped // one per chain of the filter
	cells       []object.Value
	lists       []*list
	listsUsed   int
	walked      []walked // members and items that are being compared
	lastPattern pattern
	functions   functions
}

// slot keeps a field once it was read.
type slot struct {
	generation uint64
	value      object.Value
}

// stepped keeps where a chain led to from a value, for when it is taken again: a predicate names
// the fields of the item it is at more than once.
type stepped struct {
	from *object.Value
	to   any
}

// Evaluator makes an evaluator for one worker.
func (f *Filter) Evaluator() *Evaluator {
	e := &Evaluator{
		filter: f, usesOld: f.UsesOld(), slots: make([]slot, len(f.fields)), steps: make([]stepped,
			len(f.chains)),
	}
	e.vm.MemoryBudget = MaxMemory
	e.env = e.environment()
	return e
}

// Match reports whether the event is one the expression wants. An error is an [*EvalError], and the
// answer is unknown then: do not take it for a no.
func (e *Evaluator) Match(ev event.Event) (bool, error) {
	if e.filter.source.Kind == KindMessage {
		return false, e.filter.source.evalError(
			&fault{message: "this expression is a message and does not match"})
	}
	e.begin(ev)
	result, err := e.vm.Run(e.filter.program, e.env)
	if err != nil {
		return false, e.filter.source.evalError(err)
	}
	matched, _ := result.(bool)
	return matched, nil
}

// opValues are the words for op, put into interfaces once.
var opValues = [...]any{
	0: "", event.Add: event.Add.String(), event.Update: event.Update.String(),
	event.Delete: event.Delete.String(),
	event.Resync: event.Resync.String(),
}

// Scratch memory that grew beyond these for one event is not kept for the next.
const (
	keptCells = 4096
	keptItems = 1024
	keptLists = 64
)

func (e *Evaluator) begin(ev event.Event) {
	e.generation++
	e.budget.reset()
	if cap(e.cells) > keptCells {
		e.cells = nil
	}
	e.cells = e.cells[:0]
	e.walked = e.walked[:0]
	e.lists = e.lists[:min(len(e.lists), keptLists)]
	e.listsUsed = 0
	e.functions.begin()
	clear(e.steps)
	e.bind(ev)
	if !e.usesOld {
		ev.Old = nil // nor keep it until the next event
	}
	e.event, e.usedOld = ev, false
	e.text.Set(ev.Object)
}

// bind sets the variables that differ from the last event's.
func (e *Evaluator) bind(ev event.Event) {
	if ev.Op != e.event.Op {
		e.env["op"] = ev.Op.String()
		if int(ev.Op) < len(opValues) {
			e.env["op"] = opValues[ev.Op]
		}
	}
	if ev.Initial != e.event.Initial {
		e.env["initial"] = ev.Initial
	}
	if ev.Missed != e.event.Missed {
		e.env["missed"] = ev.Missed
	}
}

// environment binds every name a rewritten expression may use to this evaluator.
func (e *Evaluator) environment() map[string]any {
	env := map[string]any{
		"op": "", "initial": false, "missed": 0, // as in the zero Event
		"@item": e.item, "@items": e.items, "@get": e.get, "@slice": e.slice,
		"@truth": truth, "@result": e.filter.source.Kind.result,
		"@isnil": isNil, "@==": e.equal, "@in": e.in,
		"@<":  func(a, b any) bool { c, ok := e.order("<", a, b); return ok && c < 0 },
		"@<=": func(a, b any) bool { c, ok := e.order("<=", a, b); return ok && c <= 0 },
		"@>":  func(a, b any) bool { c, ok := e.order(">", a, b); return ok && c > 0 },
		"@>=": func(a, b any) bool { c, ok := e.order(">=", a, b); return ok && c >= 0 },

		"@contains":   e.textOperator("contains", strings.Contains),
		"@startsWith": e.textOperator("startsWith", strings.HasPrefix),
		"@endsWith":   e.textOperator("endsWith", strings.HasSuffix),
		"@matches":    e.matches,
		"@..":         e.makeRange,
		"@-x":         e.negate, "@+x": e.positive,
		"@len": e.length, "@first": e.first, "@last": e.last, "@keys": e.keys, "@values": e.values,
	}
	for _, operator := range []string{"+", "-", "*", "/", "%", "**", "^"} {
		env["@"+operator] = e.arithmetic(operator)
	}
	e.bindOwn(env)
	for name := range plainFunctions {
		if env["@"+name] == nil {
			env["@"+name] = e.plainFunction(name)
		}
	}
	for i := range e.filter.fields {
		env[fieldName(i)] = e.readField(i)
	}
	for _, b := range e.filter.bodies {
		env[b.name()] = e.body(b)
	}
	for i := range e.filter.chains {
		env[chainName(i)] = e.follow(i)
	}
	for i := range e.filter.patterns {
		env[patternName(i)] = e.matchesConstant(i)
	}
	for i := range e.filter.changes {
		env[changeName(i)] = e.changed(i)
	}
	e.filter.trace.bind(env)
	return env
}

func fieldName(i int) string   { return "@field" + strconv.Itoa(i) }
func chainName(i int) string   { return "@chain" + strconv.Itoa(i) }
func patternName(i int) string { return "@pattern" + strconv.Itoa(i) }
func changeName(i int) string  { return "@change" + strconv.Itoa(i) }

func isPatternName(name string) bool { return strings.HasPrefix(name, "@pattern") }
func isChangeName(name string) bool  { return strings.HasPrefix(name, "@change") }

// read gives the i-th field, from the text the first time and from its slot after that.
func (e *Evaluator) read(i int) *object.Value {
	s := &e.slots[i]
	if s.generation == e.generation {
		return &s.value
	}
	s.generation = e.generation
	s.value = object.Value{}
	f := &e.filter.fields[i]
	if f.root == rootOld {
		if e.old() == nil {
			return &s.value
		}
		if !e.usedOld {
			e.usedOld = true
			e.oldText.Set(e.old())
		}
		e.payField(e.old())
		s.value = e.oldText.Lookup(f.path)
		return &s.value
	}
	if e.event.Object != nil {
		e.payField(e.event.Object)
	}
	s.value = e.text.Lookup(f.path)
	return &s.value
}

func (e *Evaluator) old() *object.Object {
	if e.event.Op != event.Update {
		return nil
	}
	return e.event.Old
}

// payField pays for finding a field, and for unpacking what it is found in.
func (e *Evaluator) payField(o *object.Object) { e.charge(1 + o.Size()/foundBytes) }

func (e *Evaluator) readField(i int) func() any {
	return func() any { return refer(e.read(i)) }
}

// changed tells whether one of the fields of the i-th call of changed differs.
func (e *Evaluator) changed(i int) func() bool {
	changes := e.filter.changes[i]
	return func() bool {
		if e.old() == nil {
			return false
		}
		for _, c := range changes {
			now, before := e.read(c.object), e.read(c.old)
			if now.Raw() != before.Raw() && !e.equal(refer(now), refer(before)) {
				return true
			}
		}
		return false
	}
}
