package eval

import (
	"time"

	"github.com/expr-lang/expr/vm"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Evaluator runs a filter's expression, event after event. It serves one goroutine at a time.
type Evaluator struct {
	// Caches are the other informers' stores, as cached, byIndex and clusters read them. Nil: they
	// are empty.
	Caches lang.Caches
	// Clock returns the time that age counts to. Nil: that of the system. It is set for an
	// expression that has its Now.
	Clock func() time.Time

	program *Program
	vm      vm.VM
	env     map[string]any // the variables and functions the program looks up by name
	budget

	event   event.Event
	message *lang.Message // what an expression about messages looks at, else nil
	data    slot          // its data, once it was read
	// What the fields are read from. No value that was read outlives Match.
	text, oldText object.Scratch
	usedOld       bool

	generation  uint64 // of the event; slots of other generations are unread
	slots       []slot // one for each field of the program
	cells       []object.Value
	lists       []*list
	listsUsed   int
	compared    []comparedValue // what is being compared
	lastPattern values.Pattern
	functions   functions
}

// slot keeps a field that was read.
type slot struct {
	generation uint64
	value      object.Value
}

// Evaluator returns an evaluator for one worker.
func (p *Program) Evaluator() *Evaluator {
	e := &Evaluator{program: p, slots: make([]slot, len(p.fields))}
	e.vm.MemoryBudget = lang.MaxMemory
	e.env = e.environment()
	if now := p.Expression.Now; !now.IsZero() {
		e.Clock = func() time.Time { return now }
	}
	return e
}

// Match reports whether the expression is true of the event. An error is an
// [lang.EvalError], and the answer is unknown then: do not take it for false.
func (e *Evaluator) Match(ev event.Event) (bool, error) {
	return resultOf[bool](e.value("Match", ev))
}

// resultOf returns a value in its type, that of nothing if there is an error.
func resultOf[T bool | string](value any, err error) (T, error) {
	result, _ := value.(T)
	return result, err
}

// value returns the value of the expression for a method, which must be the one for its kind. What
// it refers to is valid until the next event.
func (e *Evaluator) value(method string, ev event.Event) (any, error) {
	if kind := e.program.Expression.Kind.Word(); kind.Method != method {
		return nil, evalError(e.program.Expression,
			&fault{message: "this expression is a " + kind.Name + ": use " + kind.Method})
	}
	if e.program.Around != nil {
		return e.program.Around(ev, func() (any, error) { return e.run(ev) })
	}
	return e.run(ev)
}

func (e *Evaluator) run(ev event.Event) (any, error) {
	e.begin(ev)
	result, err := e.vm.Run(e.program.Code, e.env)
	if err != nil {
		return nil, evalError(e.program.Expression, err)
	}
	return result, nil
}

// opValues are the words for op, put into interfaces once.
var opValues = [...]any{
	0: "", event.Add: event.Add.String(), event.Update: event.Update.String(),
	event.Delete: event.Delete.String(),
	event.Resync: event.Resync.String(),
}

// Memory that grew beyond these limits for one event is not kept for the next.
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
	e.compared = e.compared[:0]
	e.lists = e.lists[:min(len(e.lists), keptLists)]
	e.listsUsed = 0
	e.functions.begin()
	e.bind(ev)
	if !e.program.UsesOld {
		ev.Old = nil // it is not kept until the next event
	}
	e.event, e.usedOld = ev, false
	e.text.Set(ev.Object)
}

// bind sets the variables that differ from those of the last event.
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
		e.env["missed"] = int(ev.Missed) // the language counts in int
	}
	if ev.Resumed != e.event.Resumed {
		e.env["resumed"] = ev.Resumed
	}
}

// read returns the i-th field, from the text the first time and from its slot after that.
func (e *Evaluator) read(i int) *object.Value {
	s := &e.slots[i]
	if s.generation == e.generation {
		return &s.value
	}
	s.generation = e.generation
	s.value = object.Value{}
	f := &e.program.fields[i]
	if f.old {
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

func (e *Evaluator) hasOld() bool { return e.old() != nil }

func (e *Evaluator) old() *object.Object {
	if e.event.Op != event.Update {
		return nil
	}
	return e.event.Old
}

// payField pays for finding a field, and for unpacking what it is found in.
func (e *Evaluator) payField(o *object.Object) { e.charge(1 + o.Size()/foundBytes) }

func (e *Evaluator) readField(i int) func() any {
	return func() any { return values.Refer(e.read(i)) }
}

// changed returns the function that reports whether one of several fields differs. Each has its
// numbers in object and in old.
func (e *Evaluator) changed(fields [][2]int) func() bool {
	return func() bool {
		if e.old() == nil {
			return false
		}
		for _, f := range fields {
			now, before := e.read(f[0]), e.read(f[1])
			if now.Raw() != before.Raw() && !e.equal(values.Refer(now), values.Refer(before)) {
				return true
			}
		}
		return false
	}
}
