package check

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// lookup refuses unknown informers and indexes.
func (in *inspector) lookup(n *ast.CallNode, name string) error {
	if !in.expression.Kind.Has(name) || len(n.Arguments) == 0 {
		return nil // which is reported elsewhere
	}
	informer, ok := lang.FirstText(n)
	if !ok {
		return in.errorf(n.Arguments[0], "%s takes the informer's name in quotes", name)
	}
	indexes, exists := in.expression.Informers[informer.Value]
	if !exists {
		return in.errorf(informer, "unknown informer %q%s", informer.Value,
			suggestion(informer.Value, slices.Sorted(maps.Keys(in.expression.Informers))))
	}
	if name != "byIndex" || len(n.Arguments) < 2 {
		return nil
	}
	index, ok := n.Arguments[1].(*ast.StringNode)
	if !ok {
		return in.errorf(n.Arguments[1], "byIndex takes the index's name in quotes")
	}
	if !slices.Contains(indexes, index.Value) {
		return in.errorf(index, "the informer %q has no index %q%s", informer.Value, index.Value,
			suggestion(index.Value, slices.Sorted(slices.Values(indexes))))
	}
	return nil
}
