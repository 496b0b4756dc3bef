package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// schemaCheck walks the tree that the user wrote and notes what the schema says of each
// node's value. Functions and computed steps have values of which nothing is known, and no
// mistake is reported for those.
type schemaCheck struct {
	expression lang.Expression
	variables  map[string]fact
	items      []fact // of the predicates around a node, the innermost last
	compared   int    // comparisons around a node
	warnings   []*lang.CompileError
	mistakes   mistakes
	result     error // what the whole expression returns is of a wrong type
}

func newSchemaCheck(x lang.Expression) *schemaCheck {
	return &schemaCheck{expression: x, variables: map[string]fact{}}
}

// fact is what is known of a value, if it is not nil.
type fact struct {
	schema *lang.Schema // nil: nothing
	path   string       // of the field in messages, or the variable's name; else ""
	root   bool         // it is object or old, or was looked up
	items  *fact        // of a list that the expression makes
	absent bool         // it is nil or empty and says nothing about the values that it replaces
	// special is the type of a value that JSON does not have, such as "duration"; else ""
	special string
	// inCluster: it is a mapping of clusters(…)
	inCluster bool
}

// of returns the fact that a value is of a type.
func of(schemaType string) fact { return fact{schema: &lang.Schema{Type: schemaType}} }

func (c *schemaCheck) errorf(offset int, format string, args ...any) {
	c.mistakes.add(c.expression.CompileError(offset, format, args...))
}

func (c *schemaCheck) warnf(n ast.Node, format string, args ...any) {
	c.warnings = append(c.warnings,
		c.expression.CompileError(n.Location().From, format, args...))
}

// root visits the whole expression, and refuses a result of a wrong type.
func (c *schemaCheck) root(n ast.Node) {
	result := c.visit(n)
	wanted := ""
	switch c.expression.Kind.Returns() {
	case lang.ReturnsBool:
		wanted = "boolean"
	case lang.ReturnsText:
		if result.special == "" && !isScalar(result.kind()) {
			wanted = "string"
		}
	}
	kind := result.kind()
	if wanted == "" || kind == wanted || kind == "" && result.special == "" ||
		result.path+result.special == "" { // expr's checker knows the type of the rest
		return
	}
	c.result = c.expression.CompileError(n.Location().From, "%s, %s is %s%s",
		c.expression.Kind.Must(), result.called(), result.word(), result.asCondition(wanted))
}

func (c *schemaCheck) visit(n ast.Node) fact {
	switch n := n.(type) {
	case nil:
		return fact{}
	case *ast.NilNode:
		return fact{absent: true}
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return of(literalType(n))
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
			c.needs(n.Node, operand, "boolean", strconv.Quote(n.Operator))
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
		c.needs(n.Cond, c.visit(n.Cond), "boolean", `"? :"`)
		a, b := c.visit(n.Exp1), c.visit(n.Exp2)
		return common(a, b)
	case *ast.ArrayNode:
		return c.array(n)
	}
	// A sequence has its last value. Nothing is known of a map that the expression makes.
	var last fact
	for _, child := range lang.Children(n) {
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

// variableTypes are the types of variables that are not texts. data may be anything.
var variableTypes = map[string]string{"missed": "integer", "initial": "boolean",
	"resumed": "boolean", "violated": "boolean"}

func (c *schemaCheck) identifier(n *ast.IdentifierNode) fact {
	name := n.Value
	if name == "object" || name == "old" {
		return fact{schema: c.expression.Schema, path: name, root: true}
	}
	if known, ok := c.variables[name]; ok {
		return known
	}
	if !slices.Contains(c.expression.Kind.Variables(), name) {
		c.itemWithoutDot(n)
		return fact{}
	}
	switch name {
	case "data":
		return fact{}
	case "since":
		return fact{special: dateType}
	}
	schema := &lang.Schema{Type: "string", Enum: c.expression.Texts[name]}
	if other := variableTypes[name]; other != "" {
		schema.Type = other
	}
	return fact{schema: schema, path: name}
}

// itemWithoutDot refuses a field of an item that is named without its dot.
func (c *schemaCheck) itemWithoutDot(n *ast.IdentifierNode) {
	if len(c.items) > 0 && fieldOf(c.items[len(c.items)-1].schema, n.Value) != nil {
		c.errorf(n.Location().From, "unknown name %q; did you mean .%[1]s?", n.Value)
	}
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
	switch member, _ := lang.OfCluster(n); member {
	case "name":
		return base
	case "labels":
		return fact{schema: clusterLabels, path: "cluster.labels"}
	}
	switch property := n.Property.(type) {
	case *ast.StringNode:
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

var clusterLabels = &lang.Schema{Type: "object", Values: &lang.Schema{Type: "string"}}

func (c *schemaCheck) binary(n *ast.BinaryNode) fact {
	by := strconv.Quote(n.Operator)
	if comparisons[n.Operator] {
		c.compared++
	}
	left, right := c.visit(n.Left), c.visit(n.Right)
	if comparisons[n.Operator] {
		c.compared--
	}
	switch n.Operator {
	case "??":
		return common(left, right)
	case "==", "!=", "<", "<=", ">", ">=":
		c.compare(n.Operator, left, n.Right)
		c.compare(n.Operator, right, n.Left)
		c.orders(n, left, right)
		return of("boolean")
	case "in":
		if list, ok := n.Right.(*ast.ArrayNode); ok {
			for _, item := range list.Nodes {
				c.compare("==", left, item)
			}
		}
		c.compare("==", itemOf(right, "[*]"), n.Left)
		if left.special == "" && isScalar(right.kind()) && right.path != "" {
			c.errorf(n.Right.Location().From, `%s is %s, and "in" needs a list or an object`,
				right.path, right.word())
		}
		if key, ok := n.Left.(*ast.StringNode); ok && right.is("object") {
			c.field(right, key.Value, key.Location().From)
		}
		return of("boolean")
	case "&&", "and", "||", "or":
		c.needs(n.Left, left, "boolean", by)
		c.needs(n.Right, right, "boolean", by)
		return of("boolean")
	case "contains", "startsWith", "endsWith", "matches":
		c.needs(n.Left, left, "string", by)
		if n.Operator != "matches" {
			c.needs(n.Right, right, "string", by)
		}
		return of("boolean")
	}
	return c.calculation(n, left, right)
}

func (c *schemaCheck) call(n *ast.CallNode) fact {
	callee, named := n.Callee.(*ast.IdentifierNode)
	if !named {
		c.visit(n.Callee)
	}
	for _, arg := range n.Arguments {
		value := c.visit(arg)
		switch {
		case !named:
		case callee.Value == "became":
			c.needs(arg, value, "boolean", "became")
		case specialCall(callee.Value) != "" && (value.is("array") || value.is("object")):
			c.needs(arg, value, "string", callee.Value)
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
				c.changedPath(text)
			}
		}
		return of("boolean")
	case "label", "annotation":
		return fact{schema: &lang.Schema{Type: "string"}, path: callPath(n, callee.Value)}
	case "condition":
		return fact{schema: c.condition(), path: callPath(n, callee.Value)}
	case "owner":
		references := fieldOf(fieldOf(c.expression.Schema, "metadata"), "ownerReferences")
		if references == nil || references.Items == nil {
			return fact{}
		}
		return fact{schema: references.Items, path: callPath(n, callee.Value)}
	case "cached", "byIndex", "clusters":
		return c.lookedUp(n, callee.Value)
	}
	return fact{special: specialCall(callee.Value)}
}

// callPath returns what a call with one argument is called in messages.
func callPath(n *ast.CallNode, name string) string {
	if text, ok := lang.FirstText(n); ok && len(n.Arguments) == 1 {
		return name + "(" + strconv.Quote(text.Value) + ")"
	}
	return name + "(…)"
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
	var list, body fact
	for i, arg := range n.Arguments {
		predicate, ok := arg.(*ast.PredicateNode)
		switch {
		case ok:
			c.items = append(c.items, itemOf(list, "[*]"))
			body = c.visit(predicate.Node)
			c.items = c.items[:len(c.items)-1]
			if n.Name != "map" && n.Name != "sum" {
				c.needs(predicate.Node, body, "boolean", n.Name)
			}
		case i == 0:
			list = c.visit(arg)
			c.argument(n, arg, list)
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
	case "sum":
		if special := body.special + itemOf(list, "").special; special != "" {
			return fact{special: special}
		}
	case "keys":
		return fact{schema: &lang.Schema{Type: "array"}, items: new(of("string"))}
	case "values":
		if list.is("object") && len(list.schema.Fields) == 0 {
			return fact{schema: &lang.Schema{Type: "array"},
				items: &fact{schema: list.schema.Values, path: within(list.path, "[*]")}}
		}
	}
	if result, ok := resultTypes[n.Name]; ok {
		return of(result)
	}
	return fact{}
}

// resultTypes are the types of what functions of expr return, whatever they are called with.
var resultTypes = map[string]string{
	"any": "boolean", "all": "boolean", "none": "boolean", "one": "boolean", "hasPrefix": "boolean",
	"hasSuffix": "boolean", "count": "integer", "findIndex": "integer", "findLastIndex": "integer",
	"len": "integer", "int": "integer", "indexOf": "integer", "lastIndexOf": "integer",
	"sum": "number", "float": "number", "ceil": "number", "floor": "number", "round": "number",
	"lower": "string", "upper": "string", "trim": "string", "trimPrefix": "string",
	"trimSuffix": "string", "string": "string",
}

// argument refuses a first argument that a function of expr never takes.
func (c *schemaCheck) argument(n *ast.BuiltinNode, arg ast.Node, value fact) {
	kind := value.kind()
	switch {
	case slices.Contains(lang.Predicates, n.Name) && value.path != "":
		c.needs(arg, value, "array", n.Name)
	case n.Name == "string" && value.path != "" && (kind == "array" || kind == "object"):
		c.needs(arg, value, "string", "string")
	}
	item := itemOf(value, "[*]").kind()
	if len(n.Arguments) > 1 || item == "" {
		return
	}
	if n.Name == "count" && item != "boolean" || n.Name == "sum" && item != "number" {
		c.errorf(n.Location().From, "%s without a second argument cannot take items of the type %s",
			n.Name, item)
	}
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
	case a.kind() == "" || a.kind() != b.kind() || !isScalar(a.kind()):
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

// within returns the path of a part of a field.
func within(path, step string) string {
	if path == "" {
		return ""
	}
	return path + step
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

func isScalar(kind string) bool {
	return kind == "string" || kind == "number" || kind == "boolean"
}

// anyText returns what is known of a value that is made of this one, and need not be one of its
// enum.
func (f fact) anyText() fact {
	if f.schema != nil && f.schema.Enum != nil {
		f.schema = &lang.Schema{Type: f.schema.Type}
	}
	return f
}

// called returns the field's name, "this" if it is not a field.
func (f fact) called() string {
	if f.path == "" {
		return "this"
	}
	return f.path
}

// asCondition returns the hint that makes a condition of a field, "" if another kind is needed, or
// if no expression names the field like this.
func (f fact) asCondition(kind string) string {
	if kind != "boolean" || !strings.ContainsAny(f.path, ".(") || strings.Contains(f.path, "[*]") ||
		strings.Contains(f.path, "…") {
		return ""
	}
	return "; compare it, as in " + f.path + " != nil"
}

// word returns the type of a value with its article.
func (f fact) word() string {
	if f.special != "" {
		return typeWord(f.special)
	}
	return typeWord(f.schema.Type)
}

// typeWord returns a type of OpenAPI, or one that JSON does not have, with its article.
func typeWord(name string) string {
	switch name {
	case "integer", "object", "image", "ip":
		return "an " + name
	case "array":
		return "a list"
	case "":
		return "an object" // it has fields, but no type
	}
	return "a " + name
}

// dateType is what the function date returns.
const dateType = "date"

// specialCall returns the type of a function's values that JSON does not have, "" if they are
// others.
func specialCall(name string) string {
	if name == "age" {
		return values.Readers[values.Durations].Name
	}
	if _, ok := values.ReaderOf(name); ok {
		return name
	}
	return ""
}

func fieldOf(s *lang.Schema, name string) *lang.Schema {
	if s == nil {
		return nil
	}
	return s.Fields[name]
}
