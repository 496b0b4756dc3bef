package logic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// NoRule reports that the condition of an output is never true, because no rule has the severity
// that it asks for.
func NoRule(n ast.Node, x lang.Expression, report func(ast.Node, string, ...any)) {
	all, some := x.Texts["severity"], x.Severities
	if x.Kind != lang.KindWhen || len(some) == 0 {
		return
	}
	missing := missingLevels(n, all, some)
	if len(missing) == 0 {
		return
	}
	var levels []string
	for _, level := range missing {
		levels = append(levels, strconv.Quote(level.Value))
	}
	have := "they have "
	if len(some) == 1 {
		have = "all have "
	}
	report(missing[0],
		"nothing is sent to this output: no rule of its listeners has the severity %s; %s",
		strings.Join(levels, " or "), have+strings.Join(some, ", "))
}

// missingLevels returns the severities of which one would have to be for a node to be true, nil if
// it may be true. What is no severity at all is reported elsewhere.
func missingLevels(n ast.Node, all, some []string) (levels []*ast.StringNode) {
	binary, ok := n.(*ast.BinaryNode)
	if !ok {
		return nil
	}
	switch {
	case nodes.IsAnd(binary):
		if levels := missingLevels(binary.Left, all, some); levels != nil {
			return levels
		}
		return missingLevels(binary.Right, all, some)
	case nodes.IsOr(binary):
		left, right := missingLevels(binary.Left, all, some), missingLevels(binary.Right, all, some)
		if left == nil || right == nil {
			return nil
		}
		return slices.Concat(left, right)
	}
	var asked []ast.Node
	switch list, isList := binary.Right.(*ast.ArrayNode); {
	case binary.Operator == "in" && isList && nodes.IsName(binary.Left, "severity"):
		asked = list.Nodes
	case binary.Operator == "==" && nodes.IsName(binary.Left, "severity"):
		asked = []ast.Node{binary.Right}
	case binary.Operator == "==" && nodes.IsName(binary.Right, "severity"):
		asked = []ast.Node{binary.Left}
	}
	for _, item := range asked {
		text, ok := item.(*ast.StringNode)
		if !ok || slices.Contains(some, text.Value) || !slices.Contains(all, text.Value) {
			return nil
		}
		levels = append(levels, text)
	}
	return levels
}
