package check

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
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
		at.Text = strings.TrimSuffix(strings.TrimPrefix(habits.ChangedCall(keys), "changed("), ")")
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

// changedInstead returns what to write in place of changed("…") for a path that it does not take,
// "" if nothing is known that means the same.
func (s draft) changedInstead(text string) string {
	x := s.Expression
	x.Text = habits.Changed(text, s.Schema, func(key string) []string {
		return partsWith(s.Schema, key)
	})
	if x.Text == "" || s.Check(x) != nil {
		return ""
	}
	return x.Text
}

// partsWith returns those of spec, status and metadata that have a field.
func partsWith(s *lang.Schema, key string) (parts []string) {
	for _, name := range []string{"spec", "status", "metadata"} {
		if fieldOf(fieldOf(s, name), key) != nil {
			parts = append(parts, name)
		}
	}
	return parts
}

// inPlaceOfChanged adds to a mistake in an argument of changed what to write in place of the call.
func (s draft) inPlaceOfChanged(n *ast.CallNode, offset int, message,
	write string) *lang.CompileError {
	if len(n.Arguments) > 1 {
		return s.CompileError(offset, "%s; write %s, with || between it and the others", message,
			write)
	}
	return s.inPlaceOfAll(n, offset, message, write)
}

// inPlaceOfAll is inPlaceOfChanged for an expression in place of all arguments.
func (s draft) inPlaceOfAll(n *ast.CallNode, offset int, message,
	write string) *lang.CompileError {
	texts := nodes.NewExtents(s.Text)
	at, whole := texts.Span(n)
	if !whole {
		return s.CompileError(offset, "%s; write %s", message, write)
	}
	at.Text = write
	if strings.Contains(write, "&&") && strings.TrimSpace(s.Text) != written(texts, n) {
		at.Text = "(" + write + ")"
	}
	return s.Proposed(offset, &at, "%s; write %s", message, at.Text)
}
