package check

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/informer/object"
)

// rootedPath is a path that begins with its root.
var rootedPath = regexp.MustCompile(`^(?:\$\.?|\.|object\.|old\.)(.+)$`)

// changedPath refuses an argument of changed that is not the path of a field.
func (in *inspector) changedPath(n *ast.CallNode, arg ast.Node) error {
	text, ok := arg.(*ast.StringNode)
	if !ok {
		texts := nodes.NewExtents(in.draft.Text)
		at, whole := texts.Span(arg)
		keys := pathOfNode(arg)
		if len(keys) == 0 || !whole {
			return in.errorf(arg,
				`changed takes field paths in quotes, such as changed("spec.replicas")`)
		}
		at.Text = strings.TrimSuffix(strings.TrimPrefix(changedCall(keys), "changed("), ")")
		return in.draft.Proposed(arg.Location().From, &at,
			"changed takes field paths in quotes: write changed(%s)", at.Text)
	}
	_, err := object.CompilePath(text.Value)
	rooted := rootedPath.FindStringSubmatch(text.Value)
	below := text.Value
	if rooted != nil {
		below = rooted[1]
	}
	if rooted != nil {
		if _, wrong := object.CompilePath(below); wrong == nil {
			return in.propose(arg, strconv.Quote(below),
				"the paths in changed are relative to the object: write changed(%q)", below)
		}
	}
	if err != nil {
		if write := in.draft.changedInstead(text.Value); write != "" {
			return in.draft.inPlaceOfChanged(n, arg.Location().From, err.Error(), write)
		}
	}
	if err == nil {
		return nil
	}
	for _, condition := range []string{text.Value, "object." + below} {
		x := in.draft.Expression
		if x.Text = "became(" + condition + ")"; in.draft.Check(x) == nil {
			return in.draft.inPlaceOfChanged(n, arg.Location().From,
				"changed takes the path of a field, and became a condition", x.Text)
		}
	}
	return in.errorf(arg, "%v", err)
}

// pathOfNode returns the path of what is written as a field, without its root, or as label("…").
func pathOfNode(n ast.Node) []any {
	base, keys := nodes.ConstantSteps(n)
	if call, ok := base.(*ast.CallNode); ok && len(keys) == 0 {
		key, text := nodes.FirstText(call)
		for _, what := range []string{"label", "annotation"} {
			if text && nodes.IsName(call.Callee, what) {
				return []any{"metadata", what + "s", key.Value}
			}
		}
	}
	id, ok := base.(*ast.IdentifierNode)
	if ok && id.Value != "object" && id.Value != "old" {
		keys = append([]any{id.Value}, keys...)
	}
	if !ok {
		return nil
	}
	return keys
}
