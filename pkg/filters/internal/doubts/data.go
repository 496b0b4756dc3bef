package doubts

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// madeByNone warns about data where no handler makes any. Its fields are often those of the message
// that is sent, which has them by their names.
func (f *finder) madeByNone(n ast.Node) {
	base, keys := nodes.ConstantSteps(n)
	if !f.NoData || f.asked["data"] || !nodes.IsName(base, "data") || f.noData {
		return
	}
	if f.noData = true; f.asked[f.text(n)] {
		return
	}
	const message = "data is what a handler makes, and no listener of this output has one, so it is nil"
	name := ""
	if len(keys) > 0 {
		name, _ = keys[0].(string)
	}
	variables := f.Kind.Variables()
	if write, ok := strings.CutPrefix(f.text(n), "data."); ok && slices.Contains(variables, name) {
		f.doubt(n, n, write, message)
		return
	}
	f.doubt(n, n, "", message)
}

// secretValue warns about a value of a Secret that is compared with a text: informerd has a digest
// in its place.
func (f *finder) secretValue(n *ast.BinaryNode) {
	for _, sides := range [][2]ast.Node{{n.Left, n.Right}, {n.Right, n.Left}} {
		objects := f.objectsOf(sides[0])
		_, keys := nodes.ConstantSteps(sides[0])
		text, ok := sides[1].(*ast.StringNode)
		if objects != "Secret" || !ok || len(keys) != 2 || keys[0] != "data" && keys[0] != "stringData" ||
			text.Value == "" || strings.HasPrefix(text.Value, "hmac-sha256:") {
			continue
		}
		f.doubt(text, text, "", "the values of Secrets are replaced by digests, so they are never %q; "+
			"ask whether one is there, as in %s != nil, or in a filter whether it changed", text.Value,
			f.text(sides[0]))
	}
}

// objectsOf returns the kind of the object of which a node reads a field, "" if that is not known.
func (f *finder) objectsOf(n ast.Node) string {
	base, _ := nodes.ConstantSteps(n)
	switch base := base.(type) {
	case *ast.IdentifierNode:
		if base.Value == "object" || base.Value == "old" {
			return f.Objects
		}
	case *ast.CallNode:
		text, ok := nodes.FirstText(base)
		if ok && nodes.IsName(base.Callee, "cached") {
			return f.LookedUp[text.Value].Objects
		}
	}
	return ""
}
