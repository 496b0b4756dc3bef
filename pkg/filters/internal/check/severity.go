package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// turned are the orders for the sides of a comparison in the other order.
var turned = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

// severities warns about an order of severities, which is that of texts: "critical" < "high".
func (c *schemaCheck) severities(n *ast.BinaryNode, left, right fact) {
	operator, level := n.Operator, n.Right
	if right.variable == "severity" {
		operator, level, left = turned[operator], n.Left, right
	}
	text, ok := level.(*ast.StringNode)
	if turned[operator] == "" || left.variable != "severity" {
		return
	}
	const message = `severity is compared as text, letter by letter, in which "critical" comes before "high"`
	known := left.schema.Enum // the least first
	i := -1
	if ok {
		i = slices.IndexFunc(known, func(s string) bool { return strings.EqualFold(s, text.Value) })
	}
	if i < 0 {
		c.warnf(n, message+"; name those that are meant, as in severity in [%q, %q]",
			known[max(0, len(known)-2)], known[len(known)-1])
		return
	}
	from, to := 0, len(known)
	switch operator {
	case "<":
		to = i
	case "<=":
		to = i + 1
	case ">":
		from = i + 1
	case ">=":
		from = i
	}
	var write string
	switch meant := known[from:to]; len(meant) {
	case 0:
		write = "no severity is " + map[bool]string{true: "above ", false: "below "}[from > i] +
			strconv.Quote(known[i])
	case 1:
		write = "write severity == " + strconv.Quote(meant[0])
	case len(known):
		write = "write severity != nil for all of them"
	default:
		quoted := make([]string, len(meant))
		for i, s := range meant {
			quoted[i] = strconv.Quote(s)
		}
		write = "write severity in [" + strings.Join(quoted, ", ") + "]"
	}
	c.warnf(n, message+"; %s", write)
}
