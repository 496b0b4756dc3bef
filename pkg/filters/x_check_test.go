package filters

import "github.com/expr-lang/expr/ast"

// Nearest is what proposes known names.
var Nearest = nearestOf

// CheckTree looks for what Expression would find in a tree that it does not accept.
func CheckTree(expression Expression, n ast.Node) ([]*CompileError, error) {
	return check(draft{Expression: expression}, n)
}
