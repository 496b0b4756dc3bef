package check

import (
	"errors"
	"reflect"
	"strings"

	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/syntax"
)

// parse reads the expression and finds all mistakes that the text has by itself.
func (s draft) parse() (*parser.Tree, error) {
	config := s.checkConfig()
	tree, err := parser.ParseWithConfig(s.Text, config)
	if err != nil {
		return nil, s.withHidden(s.syntax(err))
	}
	in := &inspector{draft: s}
	if err := in.inspect(tree.Node, 0); err != nil {
		return nil, err // it is too large to find others
	}
	if len(in.found.all) == 0 {
		result, err := checker.Check(tree, config)
		if err == nil && s.Kind.Returns() == lang.ReturnsText {
			err = s.notText(result)
		}
		if err == nil {
			return tree, nil
		}
	}
	return nil, s.allMistakes(tree, &in.found)
}

// allMistakes returns every mistake of an expression that has some: those found, unknown
// names, types that do not match, and unknown fields.
func (s draft) allMistakes(tree *parser.Tree, found *mistakes) error {
	schema := schemaCheck{draft: s, variables: map[string]fact{}}
	schema.root(tree.Node)
	for _, mistake := range schema.mistakes {
		found.add(mistake)
	}
	if again, err := parser.ParseWithConfig(s.Text, s.checkConfig()); err == nil {
		for _, mistake := range found.all { // what follows from it is not reported
			if strings.HasPrefix(mistake.Message, s.Kind.Must()) {
				continue // nothing does
			}
			silence(&again.Node, &file.Error{Location: file.Location{From: mistake.Offset}})
		}
		s.typeMistakes(again, found)
	}
	return found.err()
}

// checkConfig returns the names and their types as users see them.
func (s draft) checkConfig() *conf.Config {
	variables := types.Map{
		"op": types.String, "object": types.Any, "old": types.Any, "initial": types.Bool,
		"missed": types.Int, "resumed": types.Bool,
		"cluster": types.String, "listener": types.String,
	}
	if s.Kind.SeesMessages() {
		for _, name := range lang.MessageTexts {
			variables[name] = types.String
		}
		for _, name := range lang.MessageValues {
			variables[name] = types.Any
		}
	}
	config := conf.New(variables)
	config.MaxNodes = lang.MaxNodes
	if s.Kind.Returns() == lang.ReturnsBool {
		config.Expect, config.ExpectAny = reflect.Bool, true
	}
	for name := range config.Builtins {
		if !lang.IsAllowed(name) {
			config.Disabled[name] = true
			delete(config.Builtins, name)
		}
	}
	declareOwn(config)
	return config
}

// draft is an expression that is being checked.
type draft struct {
	syntax.Source

	mended int  // how many mistakes were mended in the text to find others
	trials *int // bytes of the proposals that were tried
}

// errTried is the answer to a proposal for an expression that is itself one that is tried.
var errTried = errors.New("a proposal is tried")

func newDraft(expression lang.Expression) draft {
	s := draft{}
	s.Expression = expression
	s.Read = func(text string) error {
		_, err := parser.ParseWithConfig(text, s.checkConfig())
		return err
	}
	s.Check = func(x lang.Expression) error {
		tried := newDraft(x)
		tried.Check = func(lang.Expression) error { return errTried }
		_, _, err := tried.checked()
		return err
	}
	return s
}

// Expression reads an expression and returns its tree and what is suspicious about it. Its
// error has all mistakes.
func Expression(expression lang.Expression) (*parser.Tree, []*lang.CompileError, error) {
	s := newDraft(expression)
	if len(s.Text) > lang.MaxSource {
		return nil, nil, s.CompileError(0, "the expression has %d bytes, the limit is %d",
			len(s.Text), lang.MaxSource)
	}
	if strings.TrimSpace(s.Text) == "" {
		return nil, nil, s.CompileError(0, "the expression is empty")
	}
	tree, warnings, err := s.checked()
	if err != nil {
		return nil, nil, s.tried(err)
	}
	return tree, warnings, nil
}

// checked reads the expression and finds all mistakes.
func (s draft) checked() (*parser.Tree, []*lang.CompileError, error) {
	tree, err := s.parse()
	if err != nil {
		return nil, nil, err
	}
	warnings, err := checkTree(s, tree.Node)
	if err != nil {
		return nil, nil, err
	}
	return tree, warnings, nil
}

// Parse reads an expression that was checked before.
func Parse(expression lang.Expression) (*parser.Tree, error) {
	return newDraft(expression).parse()
}
