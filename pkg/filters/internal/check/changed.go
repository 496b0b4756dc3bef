package check

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/informer/object"
)

// throughLists is a path through all items of a list: spec.containers[*].image.
var throughLists = regexp.MustCompile(
	`^((?:\.?[A-Za-z_][A-Za-z0-9_]*)+)\[\*?\](\.[A-Za-z_][A-Za-z0-9_.]*)?$`)

// rootedPath is a path that begins with its root.
var rootedPath = regexp.MustCompile(`^(?:\$\.?|\.|object\.|old\.)(.+)$`)

// changedPath refuses an argument of changed that is not the path of a field.
func (in *inspector) changedPath(n *ast.CallNode, arg ast.Node) error {
	text, ok := arg.(*ast.StringNode)
	if !ok {
		texts := nodes.NewExtents(in.draft.Text)
		found := rootedPath.FindStringSubmatch(written(texts, arg))
		at, whole := texts.Span(arg)
		if found == nil || !whole {
			return in.errorf(arg,
				`changed takes field paths in quotes, such as changed("spec.replicas")`)
		}
		at.Text = strconv.Quote(found[1])
		return in.draft.Proposed(arg.Location().From, &at,
			"changed takes field paths in quotes: write changed(%s)", at.Text)
	}
	_, err := object.CompilePath(text.Value)
	rooted := rootedPath.FindStringSubmatch(text.Value)
	below := text.Value
	if rooted != nil {
		below = rooted[1]
	}
	if list := throughLists.FindStringSubmatch(below); err != nil && list != nil {
		item := list[2]
		if item == "" {
			item = "#"
		}
		compare := fmt.Sprintf("map(object.%s, %s) != map(old.%[1]s, %[2]s)",
			strings.TrimPrefix(list[1], "."), item)
		if list[2] == "" {
			compare = fmt.Sprintf("object.%s != old.%[1]s", strings.TrimPrefix(list[1], "."))
		}
		e := in.draft.CompileError(arg.Location().From,
			"%v; changed takes the path of one field: write %s", err, compare)
		if at, whole := nodes.NewExtents(in.draft.Text).Span(n); whole && len(n.Arguments) == 1 {
			at.Text = "(" + compare + ")"
			e.Fix = &at
		}
		return e
	}
	if rooted != nil {
		if _, wrong := object.CompilePath(below); wrong == nil {
			return in.propose(arg, strconv.Quote(below),
				"the paths in changed are relative to the object: write changed(%q)", below)
		}
	}
	if err != nil {
		return in.errorf(arg, "%v", err)
	}
	return nil
}
