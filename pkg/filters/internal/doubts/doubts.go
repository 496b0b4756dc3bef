package doubts

import (
	"fmt"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// maxTried is how many proposals of one expression are tried.
const maxTried = 20

// Of returns the doubts about a tree. Check compiles an expression: a proposal that is
// refused is left out of its warning.
func Of(n ast.Node, x lang.Expression, check func(lang.Expression) error) []*lang.CompileError {
	f := &finder{Expression: x, check: check, asked: map[string]bool{}, more: map[string]bool{},
		texts: nodes.NewExtents(x.Text)}
	f.comment()
	f.collect(n)
	f.visit(n)
	f.missing(n)
	f.output(n)
	f.patch(n)
	return f.found
}

type finder struct {
	lang.Expression

	check func(lang.Expression) error
	texts *nodes.Extents
	asked map[string]bool // the texts of what is compared with nil or has a default
	more  map[string]bool // the texts of what is compared with less
	tried int
	found []*lang.CompileError

	noData bool // data was warned of

	ofConditions int // predicates about status.conditions around a node
}

// collect notes what the author knows to be missing sometimes.
func (f *finder) collect(n ast.Node) {
	if b, ok := n.(*ast.BinaryNode); ok {
		_, left := b.Left.(*ast.NilNode)
		_, right := b.Right.(*ast.NilNode)
		if b.Operator == "??" || right {
			f.asked[f.text(b.Left)] = true
		}
		if left {
			f.asked[f.text(b.Right)] = true
		}
		switch b.Operator {
		case ">", ">=", "!=":
			f.more[f.text(b.Left)] = true
		case "<", "<=":
			f.more[f.text(b.Right)] = true
		}
		if key, ok := b.Left.(*ast.StringNode); ok && b.Operator == "in" {
			f.asked[key.Value] = true
		}
	}
	for _, child := range nodes.Children(n) {
		f.collect(child)
	}
}

func (f *finder) text(n ast.Node) string {
	text, _ := f.texts.Text(n)
	return text
}

func (f *finder) visit(n ast.Node) {
	conditions := false
	f.madeByNone(n)
	switch n := n.(type) {
	case *ast.StringNode:
		f.shellVariable(n)
	case *ast.BinaryNode:
		f.sides(n)
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok {
			f.call(n, callee.Value)
		}
	case *ast.BuiltinNode:
		f.withoutItem(n)
		f.allOfOneType(n)
		conditions = len(n.Arguments) > 1 && isConditions(n.Arguments[0])
		if n.Name == "string" && len(n.Arguments) == 1 {
			f.withoutCount(n.Arguments[0], "%s ?? 0")
		}
	}
	if conditions {
		f.ofConditions++
	}
	for _, child := range nodes.Children(n) {
		f.visit(child)
	}
	if conditions {
		f.ofConditions--
	}
}

// mirrored are the operators of comparisons with their sides exchanged.
var mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<",
	">=": "<="}

// sides looks at both sides of an operation.
func (f *finder) sides(n *ast.BinaryNode) {
	f.inList(n)
	f.wholeImages(n)
	f.namespace(n)
	f.pattern(n)
	f.tagOrder(n)
	f.tagFirst(n)
	f.network(n)
	f.ofConstant(n)
	f.secretValue(n)
	f.calculated(n)
	if mirrored[n.Operator] == "" {
		return
	}
	for _, c := range []comparison{{n, n.Left, n.Right, n.Operator},
		{n, n.Right, n.Left, mirrored[n.Operator]}} {
		f.count(c)
		f.empty(c)
		f.kind(c)
		f.flag(c)
		f.imageName(c)
		f.wholeImage(c)
		f.length(c)
		f.exact(c)
		f.conditionType(c)
		f.shownAsMissing(c)
		f.eventReason(c)
		f.podReason(c)
		f.never(c)
	}
}

// comparison is one of a value with another, from the side of the value.
type comparison struct {
	whole     *ast.BinaryNode
	value, to ast.Node
	operator  string
}

// doubt adds a warning at a node. The text is what to write in place of another node; it may be "".
func (f *finder) doubt(at, replaced ast.Node, write, format string, args ...any) {
	offset := at.Location().From
	message := fmt.Sprintf(format, args...)
	fix, known := f.texts.Span(replaced)
	if fix.Text = write; write == "" || !known || !f.compiles(fix) {
		f.found = append(f.found, f.CompileError(offset, "%s", message))
		return
	}
	f.found = append(f.found, f.Proposed(offset, &fix, "%s; write %s", message, write))
}

func (f *finder) compiles(fix lang.Fix) bool {
	f.tried++
	x := f.Expression
	x.Text = fix.Apply(f.Text)
	return f.tried <= maxTried && f.check(x) == nil
}

// ofObject returns the steps of a field of object or old, nil if the node is none.
func ofObject(n ast.Node) []any {
	base, keys := nodes.ConstantSteps(n)
	if !nodes.IsName(base, "object") && !nodes.IsName(base, "old") {
		return nil
	}
	return keys
}

// last returns the last step of a field of an object or of an item, "" if the node is none.
func last(n ast.Node) string {
	_, keys := nodes.ConstantSteps(n)
	if len(keys) == 0 {
		return ""
	}
	name, _ := keys[len(keys)-1].(string)
	return name
}
