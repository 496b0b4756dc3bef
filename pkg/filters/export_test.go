package filters

import (
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// What tests of this package look at, or make.

const (
	ShownRuns  = shownRuns
	ShownText  = shownText
	ShownDepth = shownDepth
	ShownValue = shownValue
)

var (
	ShortValue = shortValue
	Printable  = printable
)

// Failed is the value of a part that failed.
func Failed() any { return failure{} }

// MessageExplanation is that of an expression whose value is a text.
func MessageExplanation(value string, root Step) Explanation {
	return Explanation{Value: value, message: true, Root: root}
}

// PartsOf returns the nodes of a tree whose values are recorded.
func PartsOf(tree *parser.Tree, text string) (nodes []ast.Node) {
	tr := &trace{parts: map[ast.Node]*part{}}
	tr.outline(tree, lang.Expression{Text: text})
	for n := range tr.parts {
		nodes = append(nodes, n)
	}
	return nodes
}
