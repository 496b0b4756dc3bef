package check

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/mismatch"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// ofValues are the predicates whose expression may have any value.
var ofValues = []string{"map", "sum"}

// truth refuses a value of another type where an operator, in quotes, or a function needs true or
// false. It would fail for every object that has it.
func (c *schemaCheck) truth(n ast.Node, value fact, by string) {
	kind := value.kind()
	amount := c.isAmount(value)
	if kind == "" && !amount || kind == "boolean" || mismatch.LiteralKind(n) != "" {
		return // constants are reported elsewhere
	}
	text, is := c.text(n, value), "an amount"
	if !amount {
		is = typeWord(value.schema.Type)
	}
	instead := " != nil"
	if by == `"!"` || by == `"not"` {
		instead = " == nil"
	}
	if kind == "number" {
		instead = map[string]string{" == nil": " == 0", " != nil": " > 0"}[instead]
	}
	hint := "compare it with something"
	if habits.SimpleOperand.MatchString(text) {
		hint = "write " + text + instead
	}
	if conditionOrStatus.MatchString(value.path) {
		by := map[string]string{" == nil": "!=", " != nil": "=="}[instead]
		hint = "write " + strings.TrimSuffix(text, ".status") + ".status " + by + ` "True"`
	}
	if keys := pathOfNode(n); by == "became" && len(keys) > 0 && isScalarKind(kind) {
		hint = "compare it, as in became(" + text + ` == …), or write ` + habits.ChangedCall(keys)
	}
	c.errorf(n.Location().From, "%s is %s, and %s needs true or false; %s", text, is, by, hint)
}

// isAmount reports whether a value is an amount such as "1Gi", for which no schema has a type.
func (c *schemaCheck) isAmount(value fact) bool {
	return value.kind() == "" && amountField.MatchString(value.path) &&
		(c.draft.Objects != "" || strings.Contains(value.path, ".resources."))
}

// read refuses a list or an object where a function reads a text.
func (c *schemaCheck) read(n *ast.CallNode, name string, value fact) {
	if name == "duration" && isTime(value.path) {
		c.doubt(n, n, "age("+c.text(n.Arguments[0], value)+")",
			"%s is a point in time, and duration reads a span", value.path)
	}
	if kind := value.kind(); kind != "object" && kind != "array" || specialCall(name) == "" {
		return
	}
	arg := n.Arguments[0]
	text, hint := c.text(arg, value), "name a part of it"
	switch part := fieldOf(value.schema, "image"); {
	case name == "age" && nodes.IsName(arg, "object"):
		hint = "write age()"
	case name == "image" && part != nil:
		hint = "write image(" + text + ".image)"
	}
	c.errorf(arg.Location().From, "%s is %s, and %s reads a text; %s", text,
		typeWord(value.schema.Type), name, hint)
}

// predicate refuses a condition about items that is not one.
func (c *schemaCheck) predicate(n *ast.BuiltinNode, p *ast.PredicateNode, body fact) {
	if slices.Contains(lang.Predicates, n.Name) && !slices.Contains(ofValues, n.Name) {
		before := len(c.mistakes)
		c.truth(p.Node, body, n.Name)
		if n.Name == "count" && body.is("number") && len(c.mistakes) > before {
			c.mistakes[before].Message += "; their sum is sum(" + written(c.extents(), n.Arguments[0]) +
				", " + written(c.extents(), p.Node) + ")"
		}
	}
	if n.Name == "sum" && c.isAmount(body) {
		text := written(c.extents(), p.Node)
		c.errorf(p.Node.Location().From, "%s is an amount, and sum needs numbers; write quantity(%s)",
			text, text)
	}
}
