package eval

import (
	"slices"
	"strconv"

	"github.com/expr-lang/expr/vm"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
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
	changes    [][]Change
	finds      []find
	lookups    []Lookup
	operations map[string]operation // those of this program, by name

	UsesClock bool // it calls age
	UsesOld   bool // it reads old
}

// NewProgram returns a program of an expression, without code.
func NewProgram(expression lang.Expression) *Program {
	return &Program{Expression: expression, operations: map[string]operation{}}
}

// Root is the object of an event that a field belongs to.
type Root uint8

const (
	RootObject Root = iota
	RootOld
)

// field is a field that the expression names by constant steps.
type field struct {
	root Root
	path object.Path
}

// chain is a row of constant steps behind something that is not object or old, such as
// .state.waiting.
type chain struct {
	path object.Path
	keys []any // the same steps, for values that are decoded already
}

// Change is one argument of changed: the numbers of the two fields.
type Change struct{ Object, Old int }

// find is a call of owner or condition with a constant. Its result is the same for a whole event.
type find struct {
	finder lang.Finder
	field  int // the number of the list
	value  string
}

// Lookup is a call of cached or byIndex.
type Lookup struct {
	Informer string
	Index    string // "" for cached
	Within   bool   // byIndex searches one namespace only
}

// AddField adds a field and returns its number.
func (p *Program) AddField(root Root, path object.Path) int {
	i := len(p.fields)
	p.fields = append(p.fields, field{root, path})
	p.UsesOld = p.UsesOld || root == RootOld
	p.add(FieldName(i), operation{bind: func(e *Evaluator) any { return e.readField(i) }})
	return i
}

// FieldName returns the name of the operation that reads a field.
func FieldName(i int) string { return "@field" + strconv.Itoa(i) }

// AddChain adds a row of steps and returns the name of the operation that takes it.
func (p *Program) AddChain(path object.Path, keys []any) string {
	i := len(p.chains)
	p.chains = append(p.chains, chain{path, keys})
	return p.add("@chain"+strconv.Itoa(i), operation{bind: func(e *Evaluator) any {
		return e.follow(i)
	}})
}

// AddPattern adds a regular expression and returns the name of the operation that matches it.
func (p *Program) AddPattern(re values.Pattern) string {
	i := len(p.patterns)
	p.patterns = append(p.patterns, re)
	return p.add("@pattern"+strconv.Itoa(i), operation{TypeBool, func(e *Evaluator) any {
		return e.matchesConstant(i)
	}})
}

// AddChanges adds a call of changed and returns the name of its operation.
func (p *Program) AddChanges(changes []Change) string {
	i := len(p.changes)
	p.changes = append(p.changes, changes)
	return p.add("@change"+strconv.Itoa(i), operation{TypeBool, func(e *Evaluator) any {
		return e.changed(i)
	}})
}

// AddFind adds a call of owner or condition with a constant, unless there is the same one,
// and returns the name of its operation. The list is the number of a field.
func (p *Program) AddFind(finder lang.Finder, list int, value string) string {
	i := slices.IndexFunc(p.finds, func(f find) bool { return f.field == list && f.value == value })
	if i < 0 {
		i = len(p.finds)
		p.finds = append(p.finds, find{finder, list, value})
	}
	return p.add("@find"+strconv.Itoa(i), operation{bind: func(e *Evaluator) any {
		return e.findConstant(i)
	}})
}

// AddLookup adds a call of cached or byIndex, unless there is the same one, and returns the name of
// its operation.
func (p *Program) AddLookup(l Lookup) string {
	i := slices.Index(p.lookups, l)
	if i < 0 {
		i = len(p.lookups)
		p.lookups = append(p.lookups, l)
	}
	return p.add("@lookup"+strconv.Itoa(i), operation{bind: func(e *Evaluator) any {
		return e.lookup(l)
	}})
}

// AddBody adds the body of any or the like, which has so many nodes, and returns the name of
// the operation that takes its values.
func (p *Program) AddBody(each Each, nodes int) string {
	name := "@each" + strconv.Itoa(int(each)) + "." + strconv.Itoa(nodes)
	return p.add(name, operation{bind: func(e *Evaluator) any { return e.body(each, nodes) }})
}

// Recorder takes the values of an expression's parts.
type Recorder interface {
	// Begin is called before a part is evaluated for the item of that index.
	Begin(part, item int) bool
	// End is called with the value of the part that began last.
	End(value any)
}

// AddPart adds a part whose values are recorded. It returns the names of two operations. The
// first one begins the part; in a predicate it takes the index of the item. The second one
// takes the result of the first and the part's value, which is of the given type, and
// returns the value.
func (p *Program) AddPart(r Recorder, part int, inPredicate bool, value Type) (begin, end string) {
	number := strconv.Itoa(part)
	first := func(*Evaluator) any { return func() bool { return r.Begin(part, 0) } }
	if inPredicate {
		first = func(*Evaluator) any { return func(item int) bool { return r.Begin(part, item) } }
	}
	last := operation{bind: func(*Evaluator) any {
		return func(_, value any) any { r.End(value); return value }
	}}
	if value == TypeBool {
		// Parts of other types lose them: they are treated as unknown values.
		last = operation{TypeBool, func(*Evaluator) any {
			return func(_, value bool) bool { r.End(value); return value }
		}}
	}
	return p.add("@begin"+number, operation{TypeBool, first}), p.add("@end"+number, last)
}

func (p *Program) add(name string, o operation) string {
	p.operations[name] = o
	return name
}

// Result returns what is known of the result of an operation.
func (p *Program) Result(name string) Type {
	if o, ok := p.operations[name]; ok {
		return o.result
	}
	return operations[name].result
}

// Paths returns the fields of object and old that the program reads, each once, in the order in
// which they were added. The zero Path means that it may read any field.
func (p *Program) Paths() []object.Path {
	return p.paths(func(Root) bool { return true })
}

// OldPaths returns the fields of old among them.
func (p *Program) OldPaths() []object.Path {
	return p.paths(func(r Root) bool { return r == RootOld })
}

func (p *Program) paths(of func(Root) bool) []object.Path {
	var paths []object.Path
	seen := map[string]bool{}
	for _, f := range p.fields {
		if text := f.path.String(); of(f.root) && !seen[text] {
			seen[text] = true
			paths = append(paths, f.path)
		}
	}
	return paths
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
