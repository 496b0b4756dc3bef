package check

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// ofValues are the predicates whose expression may have any value.
var ofValues = []string{"map", "sum"}

// truth refuses a value of another type where an operator, in quotes, or a function needs true or
// false. It would fail for every object that has it.
func (c *schemaCheck) truth(n ast.Node, value fact, by string) {
	kind := value.kind()
	if kind == "" || kind == "boolean" || literalKind(n) != "" {
		return // constants are reported elsewhere
	}
	text := c.text(n, value)
	instead := " != nil"
	if by == `"!"` || by == `"not"` {
		instead = " == nil"
	}
	hint := "compare it with something"
	if habits.SimpleOperand.MatchString(text) {
		hint = "write " + text + instead
	}
	if keys := pathOfNode(n); by == "became" && len(keys) > 0 && isScalarKind(kind) {
		hint = "compare it, as in became(" + text + ` == …), or write ` + habits.ChangedCall(keys)
	}
	c.errorf(n.Location().From, "%s is %s, and %s needs true or false; %s", text,
		typeWord(value.schema.Type), by, hint)
}

// predicate refuses a condition about items that is not one.
func (c *schemaCheck) predicate(n *ast.BuiltinNode, p *ast.PredicateNode, body fact) {
	if slices.Contains(lang.Predicates, n.Name) && !slices.Contains(ofValues, n.Name) {
		c.truth(p.Node, body, n.Name)
	}
}
