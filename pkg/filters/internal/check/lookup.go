package check

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// lookup refuses unknown informers and indexes.
func (in *inspector) lookup(n *ast.CallNode, name string) error {
	informer, ok := nodes.FirstText(n)
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
