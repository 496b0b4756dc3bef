package doubts

import (
	"regexp"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// isAddress matches the names of fields that have an IP address, or several.
var isAddress = regexp.MustCompile(`(IP|IPs|^ip|Address|^address)$`)

// network warns about an address that is compared with a network as a text.
func (f *finder) network(n *ast.BinaryNode) {
	text, ok := n.Right.(*ast.StringNode)
	if !ok || !isAddress.MatchString(last(n.Left)) || values.ParseNetwork(text.Value) == nil ||
		!slices.Contains([]string{"==", "!=", "startsWith", "contains", "matches"}, n.Operator) {
		return
	}
	by := " in "
	if n.Operator == "!=" {
		by = " not in "
	}
	write := "ip(" + f.text(n.Left) + ")" + by + "cidr(" + f.text(text) + ")"
	f.doubt(text, n, write, "%s compares the text as it is, and %q is a network", n.Operator,
		text.Value)
}
