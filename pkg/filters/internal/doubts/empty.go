package doubts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// leftOut are fields of Kubernetes' own kinds, with texts that are missing when there is none, by
// the part of the object that has them.
var leftOut = map[string][]string{
	"metadata": {"deletionTimestamp", "generateName", "namespace"},
	"spec":     {"nodeName", "volumeName", "priorityClassName", "loadBalancerIP"},
	"status":   {"podIP", "hostIP", "startTime", "completionTime", "reason", "message"},
}

// empty warns about a comparison with what is empty, where it is missing instead.
func (f *finder) empty(c comparison) {
	if c.operator != "==" && c.operator != "!=" || f.asked[f.text(c.value)] {
		return
	}
	then := map[string]string{"==": "false", "!=": "true"}[c.operator]
	keys := ofObject(c.value)
	switch to := c.to.(type) {
	case *ast.StringNode:
		key, what := f.labelKey(c.value)
		switch {
		case to.Value != "":
		case key != "" && !strings.Contains(key, "/") && !f.asked[key]:
			f.doubt(c.value, c.whole, "("+f.text(c.value)+` ?? "") `+c.operator+` ""`,
				`a missing %s is nil, not "", and then this is %s`, what, then)
		case len(keys) == 2:
			part, _ := keys[0].(string)
			name, _ := keys[1].(string)
			if slices.Contains(leftOut[part], name) && (f.Objects != "" || part == "metadata") {
				f.doubt(c.value, c.whole, f.text(c.value)+" "+c.operator+" nil",
					`a missing %s is nil, not "", and then this is %s`, name, then)
			}
		}
	case *ast.MapNode, *ast.ArrayNode:
		if len(nodes.Children(to)) > 0 || len(keys) == 0 {
			return
		}
		by := map[string]string{"==": " == 0", "!=": " > 0"}[c.operator]
		f.doubt(c.value, c.whole, "len("+f.text(c.value)+")"+by,
			"what is empty is usually missing, and nil differs from %s", f.text(c.to))
	}
}

// length warns about a length that is compared with nil, which none is.
func (f *finder) length(c comparison) {
	call, ok := c.value.(*ast.BuiltinNode)
	if !ok || call.Name != "len" || !isNil(c.to) || c.operator != "==" && c.operator != "!=" {
		return
	}
	by := map[string]string{"==": " == 0", "!=": " > 0"}[c.operator]
	f.doubt(c.value, c.whole, f.text(c.value)+by, "len is never nil: of what is missing it is 0")
}

// ofConstant warns about a default of a constant, which is never nil: x > 5 ?? 0.
func (f *finder) ofConstant(n *ast.BinaryNode) {
	b, ok := n.Right.(*ast.BinaryNode)
	if !ok || b.Operator != "??" || mirrored[n.Operator] == "" {
		return
	}
	switch b.Left.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		f.doubt(b, n, "("+f.text(n.Left)+" ?? "+f.text(b.Right)+") "+n.Operator+" "+f.text(b.Left),
			"?? is the default of %s alone, which is never nil", f.text(b.Left))
	}
}

// labelKey returns the key of a label or an annotation that is read, "" if the node reads none.
func (f *finder) labelKey(n ast.Node) (key, what string) {
	if call, ok := n.(*ast.CallNode); ok {
		for _, what := range []string{"label", "annotation"} {
			if text, ok := nodes.FirstText(call); ok && nodes.IsName(call.Callee, what) {
				return text.Value, what
			}
		}
		return "", ""
	}
	keys := ofObject(n)
	if len(keys) != 3 || keys[0] != "metadata" || keys[1] != "labels" && keys[1] != "annotations" {
		return "", ""
	}
	key, _ = keys[2].(string)
	return key, strings.TrimSuffix(keys[1].(string), "s")
}

// quoted returns a text as an expression writes it.
func quoted(text string) string { return strconv.Quote(text) }
