package eval

import (
	"slices"
	"strconv"

	"github.com/expr-lang/expr/vm"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Program is a compiled expression: the code that expr's machine runs, and what the code refers to
// by number. It is immutable once its code is set.
type Program struct {
	Expression lang.Expression // what it was compiled from
	Code       *vm.Program

	fields     []field
	chains     []chain
	patterns   []values.Pattern
	changes    [][]change
	finds      []find
	lookups    []lookedUp
	operations map[string]operation // those of this program, by name

	// Around is called for each evaluation, and calls run. Nil: it runs by itself.
	Around func(ev event.Event, run func() (any, error)) (any, error)

	UsesClock bool // it calls age
	UsesOld   bool // it reads old
}

// newProgram returns a program of an expression, without code.
func newProgram(expression lang.Expression) *Program {
	return &Program{Expression: expression, operations: map[string]operation{}}
}

// rootKind is the object of an event that a field belongs to.
type rootKind uint8

const (
	rootObject rootKind = iota
	rootOld
)

// field is a field that the expression names by constant steps.
type field struct {
	root rootKind
	path object.Path
}

// chain is a row of constant steps behind something that is not object or old, such as
// .state.waiting.
type chain struct {
	path object.Path
	keys []any // the same steps, for values that are decoded already
}

// change is one argument of changed: the numbers of the two fields.
type change struct{ Object, Old int }

// find is a call of owner or condition with a constant. Its result is the same for a whole event.
type find struct {
	finder lang.Finder
	field  int // the number of the list
	value  string
}

// lookedUp is a call of cached or byIndex.
type lookedUp struct {
	Informer string
	Index    string // "" for cached
	Within   bool   // byIndex searches one namespace only
}

// addField adds a field and returns its number.
func (p *Program) addField(root rootKind, path object.Path) int {
	i := len(p.fields)
	p.fields = append(p.fields, field{root, path})
	p.UsesOld = p.UsesOld || root == rootOld
	p.add(fieldName(i), operation{bind: func(e *Evaluator) any { return e.readField(i) }})
	return i
}

// fieldName returns the name of the operation that reads a field.
func fieldName(i int) string { return "@field" + strconv.Itoa(i) }

// addChain adds a row of steps and returns the name of the operation that takes it.
func (p *Program) addChain(path object.Path, keys []any) string {
	i := len(p.chains)
	p.chains = append(p.chains, chain{path, keys})
	return p.add("@chain"+strconv.Itoa(i), operation{bind: func(e *Evaluator) any {
		return e.follow(i)
	}})
}

// addPattern adds a regular expression and returns the name of the operation that matches it.
func (p *Program) addPattern(re values.Pattern) string {
	i := len(p.patterns)
	p.patterns = append(p.patterns, re)
	return p.add("@pattern"+strconv.Itoa(i), operation{typeBool, func(e *Evaluator) any {
		return e.matchesConstant(i)
	}})
}

// addChanges adds a call of changed and returns the name of its operation.
func (p *Program) addChanges(changes []change) string {
	i := len(p.changes)
	p.changes = append(p.changes, changes)
	return p.add("@change"+strconv.Itoa(i), operation{typeBool, func(e *Evaluator) any {
		return e.changed(i)
	}})
}

// addFind adds a call of owner or condition with a constant, unless there is the same one,
// and returns the name of its operation. The list is the number of a field.
func (p *Program) addFind(finder lang.Finder, list int, value string) string {
	i := slices.IndexFunc(p.finds, func(f find) bool { return f.field == list && f.value == value })
	if i < 0 {
		i = len(p.finds)
		p.finds = append(p.finds, find{finder, list, value})
	}
	return p.add("@find"+strconv.Itoa(i), operation{bind: func(e *Evaluator) any {
		return e.findConstant(i)
	}})
}

// addLookup adds a call of cached or byIndex, unless there is the same one, and returns the name of
// its operation.
func (p *Program) addLookup(l lookedUp) string {
	i := slices.Index(p.lookups, l)
	if i < 0 {
		i = len(p.lookups)
		p.lookups = append(p.lookups, l)
	}
	return p.add("@lookup"+strconv.Itoa(i), operation{bind: func(e *Evaluator) any {
		return e.lookup(l)
	}})
}

// addBody adds the body of any or the like, which has so many nodes, and returns the name of
// the operation that takes its values.
func (p *Program) addBody(each eachKind, nodes int) string {
	name := "@each" + strconv.Itoa(int(each)) + "." + strconv.Itoa(nodes)
	return p.add(name, operation{bind: func(e *Evaluator) any { return e.body(each, nodes) }})
}

// addPart adds a part whose values are recorded. It returns the names of two operations. The
// first one begins the part; in a predicate it takes the index of the item. The second one
// takes the result of the first and the part's value, which is of the given type, and
// returns the value.
func (p *Program) addPart(r Trace, part int, inPredicate bool, value resultType) (begin, end string) {
	number := strconv.Itoa(part)
	first := func(*Evaluator) any { return func() bool { return r.Begin(part, 0) } }
	if inPredicate {
		first = func(*Evaluator) any { return func(item int) bool { return r.Begin(part, item) } }
	}
	last := operation{bind: func(*Evaluator) any {
		return func(_, value any) any { r.End(value); return value }
	}}
	if value == typeBool {
		// Parts of other types lose them: they are treated as unknown values.
		last = operation{typeBool, func(*Evaluator) any {
			return func(_, value bool) bool { r.End(value); return value }
		}}
	}
	return p.add("@begin"+number, operation{typeBool, first}), p.add("@end"+number, last)
}

func (p *Program) add(name string, o operation) string {
	p.operations[name] = o
	return name
}

// result returns what is known of the result of an operation.
func (p *Program) result(name string) resultType {
	if o, ok := p.operations[name]; ok {
		return o.result
	}
	return operations[name].result
}

// Informers returns the names of the informers whose caches the program reads, sorted.
func (p *Program) Informers() []string {
	var names []string
	for _, l := range p.lookups {
		names = append(names, l.Informer)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// IndexesIn returns the indexes, by informer, in which the program looks within one namespace.
func (p *Program) IndexesIn() map[string][]string {
	var indexes map[string][]string
	for _, l := range p.lookups {
		if l.Within && !slices.Contains(indexes[l.Informer], l.Index) {
			if indexes == nil {
				indexes = map[string][]string{}
			}
			indexes[l.Informer] = append(indexes[l.Informer], l.Index)
		}
	}
	return indexes
}
