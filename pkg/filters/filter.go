package filters

import (
	"time"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/check"
	"github.com/informerd/informerd/pkg/filters/internal/compile"
	"github.com/informerd/informerd/pkg/filters/internal/conditions"
	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/filters/internal/explain"
	"github.com/informerd/informerd/pkg/filters/internal/logic"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Filter is a compiled expression. It is immutable and safe for concurrent use.
type Filter struct {
	program    *eval.Program
	conditions condition.Set
	warnings   []*CompileError
	tree       ast.Node
}

// Compile checks and compiles an expression. A mistake in it is a [*CompileError], several are
// [CompileErrors].
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
	program, err := compile.Program(expression, tree, nil)
	if err != nil {
		return nil, err
	}
	return &Filter{program, conditions.Of(tree.Node, expression.Kind), warnings, tree.Node}, nil
}

// Evaluator returns an evaluator for one worker.
func (f *Filter) Evaluator() *Evaluator { return f.program.Evaluator() }

// UsesOld reports whether the expression reads old.
func (f *Filter) UsesOld() bool { return f.program.UsesOld }

// UsesClock reports whether the expression calls age: its answer changes although the object does
// not.
func (f *Filter) UsesClock() bool { return f.program.UsesClock }

// LooksAround reports whether the expression's answer may change although the object does not,
// since it reads the clock or other objects. A nil filter looks at nothing.
func (f *Filter) LooksAround() bool {
	return f != nil && (f.UsesClock() || len(f.Informers()) > 0)
}

// Paths returns the fields of object and old that the expression reads, each once, in the order in
// which they are first named. The zero Path means that it may read any field.
func (f *Filter) Paths() []object.Path { return f.program.Paths() }

// OldPaths returns the fields of old among them, including those in changed and became.
func (f *Filter) OldPaths() []object.Path { return f.program.OldPaths() }

// Informers returns the names of the informers whose caches the expression reads, sorted.
func (f *Filter) Informers() []string { return f.program.Informers() }

// IndexesIn returns the indexes, by informer, in which the expression looks within one namespace.
func (f *Filter) IndexesIn() map[string][]string { return f.program.IndexesIn() }

// Conditions returns what can be asked of an event before it is evaluated.
func (f *Filter) Conditions() condition.Set { return f.conditions }

// Not is what [Filter.Known] takes as the value of a variable that is none of these, and may be
// nil.
type Not = logic.Not

// Known returns whether the expression is true if variables have these values, each a text, a bool,
// nil or a [Not]. Fields are among them by their paths, as in object.metadata.labels.app; old is
// nil if the event is no update. It is not decided if that depends on anything else, or on more
// than comparisons.
func (f *Filter) Known(variables map[string]any) (value, decided bool) {
	return logic.Known(f.tree, variables)
}

// Never reports whether the expression is true of no event, since it compares the same value with
// constants that exclude each other. False means unknown.
func (f *Filter) Never() bool { return f != nil && logic.Never(f.tree) }

// AsOf compiles the expression again, for another time to which age counts.
func (f *Filter) AsOf(now time.Time) (*Filter, error) {
	expression := f.program.Expression
	expression.Now = now
	return Compile(expression)
}

// Explain evaluates the event like Match, within the same bounds, and returns what the value
// of each part of the expression was. It compiles the expression again, so it is not for
// every event. An expression that looks at a message has [Filter.ExplainMessage].
func (f *Filter) Explain(ev event.Event, caches Caches) Explanation {
	if f.program.Expression.Kind.SeesMessages() {
		return f.ExplainMessage(&Message{Event: ev})
	}
	return explain.Match(f.program, ev, caches)
}

// ExplainMessage is Explain for an expression that looks at a message: [KindWhen], [KindData] or
// [KindText].
func (f *Filter) ExplainMessage(m *Message) Explanation { return explain.Message(f.program, m) }

// Warnings returns what is legal and suspicious, in the order of the places: old where no
// update can be, what is true or false for every event, a comparison of a field with what it
// can never equal. Do not change them.
func (f *Filter) Warnings() []*CompileError { return f.warnings }
