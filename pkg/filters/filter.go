package filters

import (
	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/check"
	"github.com/informerd/informerd/pkg/filters/internal/conditions"
	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Filter is a compiled expression. It is immutable and safe for concurrent use.
type Filter struct {
	program    *eval.Program
	conditions condition.Set
	warnings   []*CompileError
	tree       ast.Node
}

// Compile checks and compiles an expression. [Mistakes] returns the mistakes that its error consists
// of.
func Compile(expression Expression) (f *Filter, err error) {
	defer func() {
		if r := recover(); r != nil { // in expr's parser, checker or compiler
			f, err = nil, expression.CompileError(0, "the expression cannot be compiled: %v", r)
		}
	}()
	tree, warnings, err := check.Expression(expression)
	if err != nil {
		return nil, err
	}
	program, err := eval.Compile(expression, tree, nil)
	if err != nil {
		return nil, err
	}
	return &Filter{program, conditions.Of(tree.Node, expression.Kind), warnings, tree.Node}, nil
}

// Evaluator returns an evaluator for one worker.
func (f *Filter) Evaluator() *Evaluator { return f.program.Evaluator() }

// LooksAround reports whether the expression's answer may change although the object does not,
// since it reads the clock or other objects. A nil filter looks at nothing.
func (f *Filter) LooksAround() bool {
	return f != nil && (f.program.UsesClock || len(f.Informers()) > 0)
}

// ReadsCluster reports whether the expression reads the cluster's name or labels. A nil filter reads
// nothing.
func (f *Filter) ReadsCluster() bool { return f != nil && f.program.UsesCluster }

// Informers returns the names of the informers whose caches the expression reads, sorted.
func (f *Filter) Informers() []string { return f.program.Informers() }

// IndexesIn returns the indexes, by informer, in which the expression looks within one namespace.
func (f *Filter) IndexesIn() map[string][]string { return f.program.IndexesIn() }

// Conditions returns what can be asked of an event before it is evaluated.
func (f *Filter) Conditions() condition.Set { return f.conditions }

// Recorded returns a filter that evaluates as f does, one event at a time, and passes each
// evaluation to a function. It compiles the expression again. Nil stays nil.
func (f *Filter) Recorded(to func(event.Event, Explanation)) (*Filter, error) {
	if f == nil {
		return nil, nil
	}
	program, err := recordedProgram(f.program, to)
	if err != nil {
		return nil, err
	}
	recorded := *f
	recorded.program = program
	return &recorded, nil
}

// Warnings returns what is legal and suspicious, in the order of the places: old where no
// update can be, what is true or false for every event, a comparison of a field with what it
// can never equal. Do not change them.
func (f *Filter) Warnings() []*CompileError { return f.warnings }
