package mismatch

import (
	"regexp"
	"strconv"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/syntax"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// wrongArgument is expr's message about an argument of a function that has another type.
var wrongArgument = regexp.MustCompile(
	`^(?:invalid argument for|cannot use \S+ as argument \(type \S+\) to call) (\w+)(?: \(type (.+)\))?\s*$`)

// wrongText is expr's message about an argument that is not a text.
var wrongText = regexp.MustCompile(
	`^cannot use (\S+) as argument \(type string\) to call (\w+)\s*$`)

// argument answers an argument of a function of expr that is not of the type it takes, nil if the
// refusal is another one.
func (s answers) argument(refusal string, where *file.Error, tree *parser.Tree) *lang.CompileError {
	if found := wrongText.FindStringSubmatch(refusal); found != nil && Signatures[found[2]] != "" {
		hint := "; it is called as " + Signatures[found[2]]
		if found[2] == "duration" {
			hint = `; write the unit as well, in quotes, as in duration("10s")`
		}
		return s.CompileError(where.From, "%s needs a text, and this is %s%s", found[2],
			article(syntax.TypeWords.Replace(found[1])), hint)
	}
	found := wrongArgument.FindStringSubmatch(refusal)
	if found == nil || found[2] == "" {
		return nil
	}
	got := syntax.TypeWords.Replace(found[2])
	n, ok := nodeAt(&tree.Node, where.From, func(n ast.Node) bool {
		call, ok := n.(*ast.BuiltinNode)
		return ok && call.Name == found[1] && len(call.Arguments) > 0
	}).(*ast.BuiltinNode)
	texts := nodes.NewExtents(s.Text)
	if ok {
		inner, compared := n.Arguments[0].(*ast.BinaryNode)
		at, whole := texts.Span(n)
		if compared && whole && Comparisons[inner.Operator] {
			at.Text = n.Name + "(" + written(texts, inner.Left) + ") " + inner.Operator + " " +
				written(texts, inner.Right)
			return s.Proposed(where.From, &at, "the bracket of %s ends behind its value; write %s", n.Name,
				at.Text)
		}
	}
	return s.CompileError(where.From, "%s cannot take %s", found[1], article(got))
}

// both returns the words for two types, or for one if the other is not known.
func both(left, right string) string {
	switch {
	case !isKnown(left):
		return article(right)
	case !isKnown(right):
		return article(left)
	}
	return article(left) + " and " + article(right)
}

func isKnown(of string) bool { return of != "unknown" && of != "any" && of != "nil" }

// article returns the word for a type with its article.
func article(of string) string {
	switch noun := typeNoun(of); noun {
	case "true or false", "nil":
		return noun
	case "object", "any", "unknown":
		return "an " + noun
	default:
		return "a " + noun
	}
}

// otherUnit answers a comparison of a duration and a number, and others of two types.
func (s answers) otherUnit(n *ast.BinaryNode, left, right string) *lang.CompileError {
	for _, side := range []struct {
		of string
		at ast.Node
	}{{left, n.Right}, {right, n.Left}} {
		text := durationMeant(side.at)
		at, whole := nodes.NewExtents(s.Text).Span(side.at)
		if side.of != "duration" || text == "" || !whole {
			continue
		}
		at.Text = "duration(" + strconv.Quote(text) + ")"
		return s.Proposed(side.at.Location().From, &at,
			"the difference of two dates is compared with a duration; write %s", at.Text)
	}
	return s.CompileError(n.Location().From, "%q cannot compare %s", n.Operator, both(left, right))
}

// durationMeant returns the text of the duration that a constant may mean, "" if it means none.
func durationMeant(n ast.Node) string {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return strconv.Itoa(n.Value) + "s"
	case *ast.StringNode:
		if _, ok := values.ParseDuration(n.Value); ok {
			return n.Value
		}
	}
	return ""
}
