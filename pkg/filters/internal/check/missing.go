package check

import (
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// missing warns about a rule's message that is joined from a label or an annotation which the
// object need not have: all of the message is nil then. Other fields are not warned of, since most
// are always there, nor is a key that another condition asks for, such as the rule's deny.
func (c *schemaCheck) missing(n ast.Node, asked string) {
	if c.draft.Kind != lang.KindMessage {
		return
	}
	switch n := n.(type) {
	case *ast.ConditionalNode:
		asked += written(c.extents(), n.Cond)
	case *ast.BinaryNode:
		if n.Operator == "+" {
			c.missingOperand(n.Left, asked)
			c.missingOperand(n.Right, asked)
		}
	}
	for _, child := range nodes.Children(n) {
		c.missing(child, asked)
	}
}

func (c *schemaCheck) missingOperand(n ast.Node, asked string) {
	call, ok := n.(*ast.CallNode)
	if !ok || !nodes.IsName(call.Callee, "label") && !nodes.IsName(call.Callee, "annotation") {
		return
	}
	key, ok := nodes.FirstText(call)
	if !ok || strings.Contains(asked, key.Value) {
		return
	}
	what := call.Callee.(*ast.IdentifierNode).Value
	c.warnf(n, "without the %s the whole message is nil, and the rule's name is reported; write (%s(%s) ?? \"none\")",
		what, what, strconv.Quote(key.Value))
}
