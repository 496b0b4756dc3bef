package doubts

import (
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// nothing says what becomes of a text that is nil, by the kind of its expression.
var nothing = map[lang.Kind]string{
	lang.KindMessage: "the whole message is nil, and the rule's name is reported",
	lang.KindText:    "the whole text is nil",
	lang.KindData:    "the whole text is null",
}

// missing warns about a text that is joined from a label or an annotation which the object need not
// have: all of it is nil then. Other fields are not warned of, since most are always there, nor is
// a key that another condition asks for, such as the rule's deny.
func (f *finder) missing(n ast.Node) {
	if nothing[f.Kind] != "" {
		f.joined(n, strings.Join(f.Given, " "))
	}
}

func (f *finder) joined(n ast.Node, asked string) {
	switch n := n.(type) {
	case *ast.ConditionalNode:
		asked += f.text(n.Cond)
	case *ast.BinaryNode:
		switch n.Operator {
		case "+":
			if f.Kind != lang.KindMessage && !joinsText(n) {
				break
			}
			f.operand(n.Left, asked)
			f.operand(n.Right, asked)
		case "??":
			if _, sum := n.Left.(*ast.BinaryNode); sum && f.Kind != lang.KindMessage {
				f.joined(n.Right, asked) // all of the sum has a default
				return
			}
		}
	}
	for _, child := range nodes.Children(n) {
		f.joined(child, asked)
	}
}

// joinsText reports whether a sum is one of texts.
func joinsText(n ast.Node) bool {
	b, sum := n.(*ast.BinaryNode)
	_, text := n.(*ast.StringNode)
	return text || sum && b.Operator == "+" && (joinsText(b.Left) || joinsText(b.Right))
}

func (f *finder) operand(n ast.Node, asked string) {
	call, ok := isNamed(n, "label", "annotation")
	if !ok {
		return
	}
	key, ok := nodes.FirstText(call)
	if !ok || strings.Contains(asked, key.Value) ||
		f.asked[f.text(n)] && f.Kind != lang.KindMessage {
		return
	}
	f.doubt(n, n, "("+f.text(n)+` ?? "none")`, "without the %s %s",
		call.Callee.(*ast.IdentifierNode).Value, nothing[f.Kind])
}
