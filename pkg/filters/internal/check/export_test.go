package check

import (
	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// Nearest is what proposes known names.
var Nearest = nearestOf

// CheckTree looks for what Expression would find in a tree that it does not accept.
func CheckTree(expression lang.Expression, n ast.Node) ([]*lang.CompileError, error) {
	return checkTree(expression, n)
}

// Foreign are the names of other languages, with an expression of this one each.
var Foreign = foreign
