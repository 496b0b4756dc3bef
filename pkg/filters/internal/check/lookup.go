package check

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/informer/object"
)

// lookedUp returns what is known of what cached and byIndex return.
func (c *schemaCheck) lookedUp(n *ast.CallNode, name string) fact {
	text, ok := nodes.FirstText(n)
	if !ok {
		return fact{}
	}
	one := fact{schema: c.draft.LookedUp[text.Value].Schema, path: written(c.extents(), n),
		root: true}
	if one.schema == nil {
		return fact{}
	}
	if name == "cached" {
		return one
	}
	list := fact{schema: &lang.Schema{Type: "array", Items: one.schema}, path: one.path}
	one.path = within(list.path, "[*]")
	list.items = &one
	return list
}

// droppedOf returns the fields that the informer drops whose objects a node looks at, and the steps
// from such an object.
func (c *schemaCheck) droppedOf(n ast.Node) (dropped []object.Path, keys []any) {
	base, keys := nodes.ConstantSteps(n)
	switch base := base.(type) {
	case *ast.IdentifierNode:
		if base.Value == "object" || base.Value == "old" {
			return c.draft.Dropped, keys
		}
	case *ast.CallNode:
		text, ok := nodes.FirstText(base)
		switch {
		case ok && nodes.IsName(base.Callee, "cached"):
			return c.draft.LookedUp[text.Value].Dropped, keys
		case ok && nodes.IsName(base.Callee, "byIndex") && len(keys) > 0:
			return c.draft.LookedUp[text.Value].Dropped, keys[1:]
		}
	}
	return nil, nil
}

// lookup refuses unknown informers and indexes.
func (in *inspector) lookup(n *ast.CallNode, name string) error {
	informer, ok := nodes.FirstText(n)
	if !in.draft.Kind.Has(name) {
		return nil // which is said of the function
	}
	if len(n.Arguments) > 0 && !ok {
		return in.errorf(n.Arguments[0], "%s takes the informer's name in quotes", name)
	}
	if !ok {
		return nil // the checker counts the arguments
	}
	indexes, exists := in.draft.Informers[informer.Value]
	if !exists {
		return in.errorf(informer, "unknown informer %q%s", informer.Value, in.undeclared(informer.Value))
	}
	if name == "cached" || len(n.Arguments) < 2 {
		return nil
	}
	index, ok := n.Arguments[1].(*ast.StringNode)
	if !ok {
		return in.errorf(n.Arguments[1], "byIndex takes the index's name in quotes")
	}
	if !slices.Contains(indexes, index.Value) {
		return in.errorf(index, "the informer %q has no index %q%s", informer.Value, index.Value,
			suggestion(index.Value, slices.Sorted(slices.Values(indexes)), "; it has none"))
	}
	return nil
}

// undeclared returns the hint for the name of an informer that is not declared.
func (in *inspector) undeclared(name string) string {
	names := slices.Sorted(maps.Keys(in.draft.Informers))
	hint := suggestion(name, names, "; none is declared for this expression")
	if nearestOf(name, names) == "" && resourceName.MatchString(name) {
		hint += fmt.Sprintf("; to have it, add informers: {%s: {resource: %s}} to the configuration",
			name, name)
	}
	return hint
}

var resourceName = regexp.MustCompile(`^[a-z]+s$`)

// suggestion returns the hint that proposes a name, or lists the names.
func suggestion(name string, names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	if near := nearestOf(name, names); near != "" {
		return "; did you mean " + strconv.Quote(near) + "?"
	}
	more := ""
	if len(names) > 10 {
		names, more = names[:10], ", …"
	}
	return "; there are " + strings.Join(names, ", ") + more
}
