package check

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// Expression reads an expression and returns its tree and what is suspicious about it. Its
// error has all mistakes.
func Expression(x lang.Expression) (*parser.Tree, []*lang.CompileError, error) {
	if len(x.Text) > lang.MaxSource {
		return nil, nil, x.CompileError(0, "the expression has %d bytes, the limit is %d",
			len(x.Text), lang.MaxSource)
	}
	if strings.TrimSpace(x.Text) == "" {
		return nil, nil, x.CompileError(0, "the expression is empty")
	}
	tree, err := Parse(x)
	if err != nil {
		return nil, nil, err
	}
	warnings, err := checkTree(x, tree.Node)
	if err != nil {
		return nil, nil, err
	}
	return tree, warnings, nil
}

// Parse reads an expression and finds all mistakes that it has whatever the schema is.
func Parse(x lang.Expression) (*parser.Tree, error) {
	config := configOf(x.Kind)
	tree, err := parser.ParseWithConfig(x.Text, config)
	if err != nil {
		return nil, parserError(x, err)
	}
	in := &inspector{expression: x}
	if err := in.inspect(tree.Node, 0); err != nil {
		return nil, err // it is too large to find others
	}
	if len(in.found.all) == 0 {
		result, err := checkTypes(tree, config)
		if err == nil {
			err = notText(x.Kind, result)
		}
		if err == nil {
			return tree, nil
		}
	}
	return nil, allMistakes(x, tree, &in.found)
}

// checkTypes has expr check a tree, which stays as it is. To expr, cluster is a text, which has no
// members: cluster.name is checked as cluster, and cluster.labels as what may be anything.
func checkTypes(tree *parser.Tree, config *conf.Config) (reflect.Type, error) {
	m := &clusterMembers{}
	ast.Walk(&tree.Node, m)
	result, err := checker.Check(tree, config)
	for place, n := range m.places {
		*place = n
	}
	return result, err
}

// clusterMembers replaces the members of cluster by variables, and keeps what was in their places.
type clusterMembers struct{ places map[*ast.Node]ast.Node }

// Visit implements ast.Visitor.
func (m *clusterMembers) Visit(n *ast.Node) {
	member, ok := lang.OfCluster(*n)
	if !ok {
		return
	}
	variable := &ast.IdentifierNode{Value: "object"}
	if member == "name" {
		variable.Value = "cluster"
	}
	variable.SetLocation((*n).Location())
	if m.places == nil {
		m.places = map[*ast.Node]ast.Node{}
	}
	m.places[n], *n = *n, variable
}

// checkTree returns what is suspicious in a tree, or what the schema refuses.
func checkTree(x lang.Expression, n ast.Node) ([]*lang.CompileError, error) {
	c := newSchemaCheck(x)
	c.root(n)
	if err := cmp.Or(c.mistakes.err(), c.result); err != nil {
		return nil, err
	}
	if err := constants(x, n, map[ast.Node]bool{}); err != nil {
		return nil, err
	}
	return warningsOf(x, n, c.warnings), nil
}

// configOf returns the names that expressions of a kind have, and their types as users see them.
func configOf(kind lang.Kind) *conf.Config {
	variables := types.Map{
		"op": types.String, "object": types.Any, "old": types.Any, "initial": types.Bool,
		"missed": types.Int, "resumed": types.Bool,
		"cluster": types.String, "listener": types.String,
	}
	if kind.SeesMessages() {
		for _, name := range lang.MessageTexts {
			variables[name] = types.String
		}
		for _, name := range lang.MessageValues {
			variables[name] = types.Any
		}
	}
	config := conf.New(variables)
	config.MaxNodes = lang.MaxNodes
	if kind.Returns() == lang.ReturnsBool {
		config.Expect, config.ExpectAny = reflect.Bool, true
	}
	for name := range config.Builtins {
		if !lang.IsAllowed(name) {
			config.Disabled[name] = true
			delete(config.Builtins, name)
		}
	}
	for name, signatures := range lang.OwnSignatures { // some in place of expr's functions
		f := &builtin.Function{Name: name, Func: func(...any) (any, error) { return nil, nil }}
		for _, signature := range signatures {
			f.Types = append(f.Types, reflect.TypeOf(signature))
		}
		config.Functions[name] = f
	}
	return config
}
