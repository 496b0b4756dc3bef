package eval

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/expr-lang/expr/vm"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Program is a compiled expression: the code that expr's machine runs, and what the code refers to
// by number. It is immutable once its code is set.
type Program struct {
	Expression lang.Expression // what it was compiled from
	Code       *vm.Program

	fields     []field
	lookups    []lookedUp
	operations map[string]operation // those of this program, by name

	// Around is called for each evaluation, and calls run. Nil: it runs by itself.
	Around func(ev event.Event, run func() (any, error)) (any, error)

	UsesClock   bool // it calls age
	UsesOld     bool // it reads old
	UsesCluster bool // it reads cluster
}

// field is a field of object, or of old, that the expression names by constant steps.
type field struct {
	old  bool
	path object.Path
}

// lookedUp is a call of a function of OfCaches.
type lookedUp struct {
	Function string
	Informer string
	Index    string // of byIndex
	Within   bool   // byIndex searches one namespace only
}

// addField adds a field and returns its number.
func (p *Program) addField(old bool, path object.Path) int {
	i := len(p.fields)
	p.fields = append(p.fields, field{old, path})
	p.UsesOld = p.UsesOld || old
	p.add(fieldName(i), operation{bind: func(e *Evaluator) any { return e.readField(i) }})
	return i
}

// fieldName returns the name of the operation that reads a field.
func fieldName(i int) string { return "@field" + strconv.Itoa(i) }

// addLookup adds a call of a function of OfCaches and returns the name of its operation.
func (p *Program) addLookup(l lookedUp) string {
	p.lookups = append(p.lookups, l)
	return p.add("@lookup"+strconv.Itoa(len(p.lookups)), operation{bind: func(e *Evaluator) any {
		return e.lookup(l)
	}})
}

// addBody adds the body of a function such as any, which has so many nodes, and returns the name of
// the operation that takes its values.
func (p *Program) addBody(function string, nodes int) string {
	return p.add(fmt.Sprintf("@body.%s.%d", function, nodes), operation{bind: func(e *Evaluator) any {
		return e.body(function, nodes)
	}})
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

// add adds an operation and returns its name. An operation of the same name is the same one.
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
