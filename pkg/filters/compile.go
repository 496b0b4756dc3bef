package filters

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Filter is a compiled expression.
type Filter struct {
	source     Expression
	program    *vm.Program
	conditions Conditions
	warnings   []*CompileError
	trace      *trace // of a filter that explains, else nil

	// What the program refers to by number.
	fields   []field
	chains   []chain
	patterns []pattern
	changes  [][]change
	finds    []find
	lookups  []lookup
	bodies   []body

	usesClock  bool
	asksBecame bool
}

// field is a field of object or old that the expression names by constant steps.
type field struct {
	root root
	path object.Path
}

// root says which object a field belongs to.
type root uint8

const (
	rootObject root = iota
	rootOld
)

// chain is a row of constant steps behind something that is not object or old, such as
// .state.waiting.
type chain struct {
	path object.Path
	keys []any // the same steps, for values that are decoded already
}

type pattern struct {
	re   *regexp.Regexp
	cost int // the number of its instructions
}

// change is one argument of changed: the numbers of the two fields.
type change struct{ object, old int }

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
	f = &Filter{source: source, conditions: conditionsOf(tree.Node, source.Kind)}
	if f.warnings, err = check(source, tree.Node); err != nil {
		return nil, err
	}
	if err := f.build(tree); err != nil {
		return nil, err
	}
	return f, nil
}

// build makes the program of the tree, which it changes.
func (f *Filter) build(tree *parser.Tree) error {
	if err := f.rewrite(tree); err != nil {
		return err
	}
	config := conf.New(f.Evaluator().env)
	if _, err := checker.Check(tree, config); err != nil {
		return f.source.place(err, tree)
	}
	f.trace.count()
	config.Optimize = false // it folds and reorders what has been rewritten
	program, err := compiler.Compile(tree, config)
	if err != nil {
		return f.source.place(err, tree)
	}
	f.program = program
	return nil
}

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

// UsesOld tells whether the expression reads old.
func (f *Filter) UsesOld() bool {
	for _, fd := range f.fields {
		if fd.root == rootOld {
			return true
		}
	}
	return f.asksBecame
}

// Paths gives the fields of object and old that the expression reads, each once, in the order they
// are first named. The zero Path means that it may read any field.
func (f *Filter) Paths() []object.Path {
	return f.paths(func(root) bool { return true })
}

// OldPaths gives those of them that it reads of old, be it in changed and became.
func (f *Filter) OldPaths() []object.Path {
	return f.paths(func(r root) bool { return r == rootOld })
}

func (f *Filter) paths(of func(root) bool) []object.Path {
	var paths []object.Path
	seen := map[string]bool{}
	for _, fd := range f.fields {
		if text := fd.path.String(); of(fd.root) && !seen[text] {
			seen[text] = true
			paths = append(paths, fd.path)
		}
	}
	return paths
}
