package check

import (
	"slices"
	"strconv"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/mismatch"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// schemaCheck walks the tree that the user wrote and notes what the schema says of each
// node's value. Functions and computed steps have values of which nothing is known, and no
// mistake is reported for those.
type schemaCheck struct {
	draft     draft
	variables map[string]fact
	items     []fact // of the predicates around a node, the innermost last
	compared  int    // comparisons around a node
	ordered   int    // those that need one type on both sides, and calculations
	doubts    int    // proposals of warnings that were tried
	texts     *nodes.Extents
	warnings  []*lang.CompileError
	mistakes  []*lang.CompileError // the first few
}

// extents returns the texts of the nodes.
func (c *schemaCheck) extents() *nodes.Extents {
	if c.texts == nil {
		c.texts = nodes.NewExtents(c.draft.Text)
	}
	return c.texts
}

// fact is what is known of a value, if it is not nil.
type fact struct {
	schema *lang.Schema // nil: nothing
	path   string       // of the field in messages; "" if it is not a field
	root   bool         // it is object or old
	items  *fact        // of a list that the expression makes
	absent bool         // it is nil or empty and says nothing about the values that it replaces
	// variable is that of messages whose value it is, if the texts of that are known; else ""
	variable string
	// special is the type of a value that JSON does not have, such as "duration"; else ""
	special string
}

// of returns the fact that a value is of a type.
func of(schemaType string) fact { return fact{schema: &lang.Schema{Type: schemaType}} }

func (c *schemaCheck) visit(n ast.Node) fact {
	switch n := n.(type) {
	case nil:
		return fact{}
	case *ast.NilNode:
		return fact{absent: true}
	case *ast.StringNode:
		return of("string")
	case *ast.IntegerNode:
		return of("integer")
	case *ast.FloatNode:
		return of("number")
	case *ast.BoolNode:
		return of("boolean")
	case *ast.IdentifierNode:
		return c.identifier(n)
	case *ast.PointerNode:
		return c.pointer(n)
	case *ast.ChainNode:
		return c.visit(n.Node)
	case *ast.MemberNode:
		return c.member(n)
	case *ast.SliceNode:
		base := c.visit(n.Node)
		c.visit(n.From)
		c.visit(n.To)
		return base.anyText()
	case *ast.UnaryNode:
		operand := c.visit(n.Node)
		if n.Operator == "!" || n.Operator == "not" {
			c.truth(n.Node, operand, strconv.Quote(n.Operator))
			return of("boolean")
		}
		return fact{schema: operand.schema}
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.CallNode:
		return c.call(n)
	case *ast.BuiltinNode:
		return c.builtin(n)
	case *ast.VariableDeclaratorNode:
		return c.declaration(n)
	case *ast.ConditionalNode:
		if cond := c.visit(n.Cond); !c.shortCondition(n, cond) {
			c.truth(n.Cond, cond, `"? :"`)
		}
		a, b := c.visit(n.Exp1), c.visit(n.Exp2)
		return common(a, b)
	case *ast.ArrayNode:
		return c.array(n)
	}
	// A sequence has its last value. Nothing is known of a map that the expression makes.
	var last fact
	for _, child := range nodes.Children(n) {
		last = c.visit(child)
	}
	switch n := n.(type) {
	case *ast.MapNode:
		return fact{absent: len(n.Pairs) == 0}
	case *ast.SequenceNode, *ast.PredicateNode:
		return last
	}
	return fact{}
}

func (c *schemaCheck) identifier(n *ast.IdentifierNode) fact {
	switch n.Value {
	case "object", "old":
		return fact{schema: c.draft.Schema, path: n.Value, root: true}
	}
	if texts := c.draft.Texts[n.Value]; texts != nil {
		return fact{schema: &lang.Schema{Type: "string", Enum: texts}, variable: n.Value}
	}
	if known, ok := c.variables[n.Value]; ok {
		return known
	}
	c.ofItemByName(n)
	return c.ofVariable(n.Value)
}

func (c *schemaCheck) pointer(n *ast.PointerNode) fact {
	switch {
	case n.Name == "index":
		return of("integer")
	case n.Name == "" && len(c.items) > 0:
		return c.items[len(c.items)-1]
	}
	return fact{}
}

func (c *schemaCheck) declaration(n *ast.VariableDeclaratorNode) fact {
	before, shadows := c.variables[n.Name]
	c.variables[n.Name] = c.visit(n.Value)
	result := c.visit(n.Expr)
	delete(c.variables, n.Name)
	if shadows {
		c.variables[n.Name] = before
	}
	return result
}

func (c *schemaCheck) member(n *ast.MemberNode) fact {
	base := c.visit(n.Node)
	c.droppedMember(n)
	switch property := n.Property.(type) {
	case *ast.StringNode:
		if ofImage(n.Node) && slices.Contains(imageParts, property.Value) {
			return fact{schema: &lang.Schema{Type: "string"}, path: "image(…)." + property.Value}
		}
		return c.field(base, property.Value, property.Location().From)
	case *ast.IntegerNode:
		return c.index(base, property.Value, property.Location().From)
	}
	c.visit(n.Property)
	if base.is("object") && base.schema.Values != nil && len(base.schema.Fields) == 0 {
		return fact{schema: base.schema.Values, path: within(base.path, "[*]")}
	}
	return itemOf(base, "[*]")
}

func (c *schemaCheck) binary(n *ast.BinaryNode) fact {
	if c.draft.negated(n) != "" { // the inspector has reported it
		c.visit(n.Left.(*ast.UnaryNode).Node)
		c.visit(n.Right)
		return of("boolean")
	}
	before := c.ordered
	switch {
	case mismatch.Comparisons[n.Operator]:
		c.compared++
		c.ordered++
	case n.Operator != "??" && n.Operator != "+" && n.Operator != "-" && n.Operator != "*":
		c.ordered = 0
	}
	left, right := c.visit(n.Left), c.visit(n.Right)
	if c.ordered = before; mismatch.Comparisons[n.Operator] {
		c.compared--
	}
	switch n.Operator {
	case "??":
		return c.defaulted(n, left, right)
	case "==", "!=", "<", "<=", ">", ">=":
		c.compare(n.Operator, left, n.Right)
		c.compare(n.Operator, right, n.Left)
		c.notAsWritten(n.Operator, n, left, n.Left, n.Right)
		c.notAsWritten(n.Operator, n, right, n.Right, n.Left)
		c.severities(n, left, right)
		c.orders(n, left, right)
		return of("boolean")
	case "in":
		if list, ok := n.Right.(*ast.ArrayNode); ok {
			for _, item := range list.Nodes {
				c.compare("==", left, item)
			}
		}
		c.compare("==", itemOf(right, "[*]"), n.Left)
		c.inScalar(n, left, right)
		if key, ok := n.Left.(*ast.StringNode); ok && right.is("object") {
			c.field(right, key.Value, key.Location().From)
		}
		return of("boolean")
	case "&&", "and", "||", "or":
		if literal := mismatch.LiteralKind(n.Right); literal == "" || literal == "boolean" || nodes.IsAnd(n) {
			c.truth(n.Left, left, strconv.Quote(n.Operator))
		} else if _, compared := n.Left.(*ast.BinaryNode); !compared {
			return fact{} // a default is meant, which is reported elsewhere
		}
		c.truth(n.Right, right, strconv.Quote(n.Operator))
		return of("boolean")
	case "contains", "startsWith", "endsWith", "matches":
		c.textOperands(n, left, right)
		c.controls(n)
		return of("boolean")
	}
	if left.special != "" || right.special != "" {
		if c.join(n, left, right) {
			return fact{}
		}
		return fact{special: specialSum(n.Operator, left.special, right.special)}
	}
	return c.calculation(n, left, right)
}

func (c *schemaCheck) call(n *ast.CallNode) fact {
	defer func(before int) { c.ordered = before }(c.ordered)
	c.ordered = 0
	callee, named := n.Callee.(*ast.IdentifierNode)
	if !named {
		c.visit(n.Callee)
	}
	for _, arg := range n.Arguments {
		value := c.visit(arg)
		if named && callee.Value == "became" && len(n.Arguments) == 1 {
			c.truth(arg, value, "became")
		}
		if named && len(n.Arguments) == 1 {
			c.read(n, callee.Value, value)
		}
	}
	if !named {
		return fact{}
	}
	c.droppedCall(n, callee.Value)
	switch callee.Value {
	case "changed":
		for _, arg := range n.Arguments {
			if text, ok := arg.(*ast.StringNode); ok {
				c.fieldPath(n, text)
			}
		}
		return of("boolean")
	case "label", "annotation":
		return keyed(n, callee.Value)
	case "condition":
		return c.condition(n)
	case "owner":
		return c.owner(n)
	case "cached", "byIndex":
		return c.lookedUp(n, callee.Value)
	}
	return fact{special: specialCall(callee.Value)}
}

func (c *schemaCheck) array(n *ast.ArrayNode) fact {
	items := fact{absent: true}
	for _, item := range n.Nodes {
		items = common(items, c.visit(item))
	}
	return fact{schema: &lang.Schema{Type: "array"}, items: &items, absent: len(n.Nodes) == 0}
}

// builtin visits the list and then the body for an item of it, and returns what is known of
// the result of a function of expr.
func (c *schemaCheck) builtin(n *ast.BuiltinNode) fact {
	defer func(before int) { c.ordered = before }(c.ordered)
	c.ordered = 0
	var list, body fact
	for i, arg := range n.Arguments {
		predicate, ok := arg.(*ast.PredicateNode)
		switch {
		case ok:
			c.items = append(c.items, itemOf(list, "[*]"))
			body = c.visit(predicate.Node)
			c.items = c.items[:len(c.items)-1]
			c.predicate(n, predicate, body)
		case i == 0:
			list = c.visit(arg)
			c.walksList(n, list)
			c.plain(n, list)
			c.readsNumber(n, list)
		default:
			c.visit(arg)
		}
	}
	switch n.Name {
	case "date":
		return fact{special: dateType}
	case "min", "max", "abs":
		if len(n.Arguments) == 1 && list.items != nil {
			list = *list.items
		}
		return fact{special: list.special}
	case "filter":
		return list
	case "map":
		return fact{schema: &lang.Schema{Type: "array"}, items: &body}
	case "find", "findLast", "first", "last":
		return itemOf(list, "[*]")
	case "any", "all", "none", "one", "hasPrefix", "hasSuffix":
		return of("boolean")
	case "count", "findIndex", "findLastIndex", "len", "int", "indexOf", "lastIndexOf":
		return of("integer")
	case "sum":
		if special := body.special + itemOf(list, "").special; special != "" {
			return fact{special: special}
		}
		return of("number")
	case "float", "ceil", "floor", "round":
		return of("number")
	case "lower", "upper", "trim", "trimPrefix", "trimSuffix", "string":
		return of("string")
	case "keys":
		key := of("string")
		return fact{schema: &lang.Schema{Type: "array"}, items: &key}
	case "values":
		if list.is("object") && len(list.schema.Fields) == 0 {
			value := fact{schema: list.schema.Values, path: within(list.path, "[*]")}
			return fact{schema: &lang.Schema{Type: "array"}, items: &value}
		}
	}
	return fact{}
}

// common returns what is known of a value that is one of two.
func common(a, b fact) fact {
	switch {
	case a.absent:
		return b
	case a.special != b.special && !b.absent:
		return fact{}
	case b.absent || a.schema == b.schema && a.items == nil && b.items == nil:
		return a
	case a.kind() == "" || a.kind() != b.kind() || !isScalarKind(a.kind()):
		return fact{}
	case a.path == "":
		return b.anyText()
	default:
		return a.anyText()
	}
}

// itemOf returns what is known of an item of a list.
func itemOf(list fact, step string) fact {
	switch {
	case list.items != nil:
		return *list.items
	case list.is("array"):
		return fact{schema: list.schema.Items, path: within(list.path, step)}
	}
	return fact{}
}

// kind returns the type, where integers are numbers; "" if it is unknown.
func (f fact) kind() string {
	switch {
	case f.schema == nil:
		return ""
	case f.schema.Type == "" && len(f.schema.Fields) > 0:
		return "object"
	case f.schema.Type == "integer":
		return "number"
	}
	return f.schema.Type
}

func (f fact) is(kind string) bool { return f.kind() == kind }

func isScalarKind(kind string) bool {
	return kind == "string" || kind == "number" || kind == "boolean"
}
