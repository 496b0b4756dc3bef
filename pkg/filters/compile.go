package filters

import (
	"reflect"
	"strings"

	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Filter is a compiled expression. It is immutable and safe for concurrent use.
type Filter struct {
	program    *Program
	conditions Conditions
	warnings   []*CompileError
}

// Compile checks and compiles an expression. A mistake in it is a [*CompileError], several are
// [CompileErrors].
func Compile(source Expression) (f *Filter, err error) {
	defer func() {
		if r := recover(); r != nil { // in expr's parser, checker or compiler
			f, err = nil, source.compileError(0, "the expression cannot be compiled: %v", r)
		}
	}()
	if len(source.Text) > MaxSource {
		return nil, source.compileError(0, "the expression has %d bytes, the limit is %d",
			len(source.Text), MaxSource)
	}
	if strings.TrimSpace(source.Text) == "" {
		return nil, source.compileError(0, "the expression is empty")
	}
	tree, err := parse(source)
	if err != nil {
		return nil, err
	}
	f = &Filter{conditions: conditionsOf(tree.Node, source.Kind)}
	if f.warnings, err = check(source, tree.Node); err != nil {
		return nil, err
	}
	if f.program, err = compileProgram(source, tree, nil); err != nil {
		return nil, err
	}
	return f, nil
}

// Evaluator returns an evaluator for one worker.
func (f *Filter) Evaluator() *Evaluator { return f.program.Evaluator() }

// UsesOld reports whether the expression reads old.
func (f *Filter) UsesOld() bool { return f.program.UsesOld }

// UsesClock reports whether the expression calls age: its answer changes although the object does
// not.
func (f *Filter) UsesClock() bool { return f.program.UsesClock }

// Paths returns the fields of object and old that the expression reads, each once, in the order in
// which they are first named. The zero Path means that it may read any field.
func (f *Filter) Paths() []object.Path { return f.program.Paths() }

// OldPaths returns those of them that it reads of old, be it in changed and became.
func (f *Filter) OldPaths() []object.Path { return f.program.OldPaths() }

// Informers returns the names of the informers whose caches the expression reads, sorted.
func (f *Filter) Informers() []string { return f.program.Informers() }

// IndexesIn returns the indexes, by informer, in which the expression looks within one namespace.
func (f *Filter) IndexesIn() map[string][]string { return f.program.IndexesIn() }

// parse reads the expression and finds all mistakes that have to do with the text as it was
// written.
func parse(source Expression) (*parser.Tree, error) {
	config := source.checkConfig()
	tree, err := parser.ParseWithConfig(source.Text, config)
	if err != nil {
		return nil, source.beyond(source.syntax(err))
	}
	in := &inspector{source: source}
	if err := in.inspect(tree.Node, 0); err != nil {
		return nil, err // it is too large to look for others
	}
	if len(in.found.all) == 0 {
		result, err := checker.Check(tree, config)
		if err == nil && source.Kind == KindMessage {
			err = notText(result)
		}
		if err == nil {
			return tree, nil
		}
	}
	return nil, source.all(tree, &in.found)
}

// all returns every mistake of an expression that has some: those found, the names that do not
// exist, the types that do not match, the fields that objects do not have.
func (s Expression) all(tree *parser.Tree, found *mistakes) error {
	schema := schemaCheck{source: s, variables: map[string]fact{}}
	schema.root(tree.Node)
	for _, mistake := range schema.mistakes {
		found.add(mistake)
	}
	if again, err := parser.ParseWithConfig(s.Text, s.checkConfig()); err == nil {
		for _, mistake := range found.all { // what follows from it is no mistake of its own
			silence(&again.Node, &file.Error{Location: file.Location{From: mistake.offset}})
		}
		s.typeMistakes(again, found)
	}
	return found.err()
}

// checkConfig describes the names as their users see them.
func (s Expression) checkConfig() *conf.Config {
	config := conf.New(types.Map{
		"op": types.String, "object": types.Any, "old": types.Any, "initial": types.Bool,
		"missed":  types.Int,
		"cluster": types.String, "listener": types.String,
	})
	config.MaxNodes = MaxNodes
	if s.Kind != KindMessage {
		config.Expect, config.ExpectAny = reflect.Bool, true
	}
	for name := range config.Builtins {
		if !isAllowed(name) {
			config.Disabled[name] = true
			delete(config.Builtins, name)
		}
	}
	declareOwn(config)
	return config
}
