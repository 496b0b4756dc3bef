package check

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
)

// differsFromOld warns about object.x != old.x where events without an old object occur,
// too: nil differs from everything.
func (w *warner) differsFromOld(n *ast.BinaryNode, ops event.OpSet) {
	if n.Operator != "!=" || !ops.Has(event.Update) || !ops.Has(event.Add) || w.asksForOld ||
		w.guards > 0 {
		return
	}
	left, leftSteps := lang.ConstantSteps(n.Left)
	right, rightSteps := lang.ConstantSteps(n.Right)
	if lang.IsName(left, "old") {
		left, leftSteps, right, rightSteps = right, rightSteps, left, leftSteps
	}
	if !lang.IsName(left, "object") || !lang.IsName(right, "old") {
		return
	}
	instead := `; write op == "update" && before it`
	if len(leftSteps) > 0 && reflect.DeepEqual(leftSteps, rightSteps) {
		instead = "; write changed(" + strconv.Quote(lang.PathOf(leftSteps).String()) + ")"
	}
	w.warnf(n, "this is also true of every %s, since those have no old object%s",
		opWords(ops&^event.OpSet(0).With(event.Update), "and"), instead)
}

// isGuard reports whether a node is surely not true of an event without an old object, whatever its
// op is: the other side of an && decides nothing then.
func (w *warner) isGuard(n ast.Node) (guard bool) {
	if known, ok := w.guarding[n]; ok {
		return known
	}
	defer func() { w.guarding[n] = guard }()
	switch n := n.(type) {
	case *ast.CallNode:
		return lang.IsName(n.Callee, "changed") || lang.IsName(n.Callee, "became")
	case *ast.MemberNode, *ast.ChainNode:
		return ofOld(n)
	case *ast.BuiltinNode:
		return n.Name == "any" && len(n.Arguments) > 0 && ofOld(n.Arguments[0])
	case *ast.BinaryNode:
		switch {
		case lang.IsAnd(n):
			return w.isGuard(n.Left) || w.isGuard(n.Right)
		case lang.IsOr(n):
			return w.isGuard(n.Left) && w.isGuard(n.Right)
		case n.Operator == "==":
			return ofOld(n.Left) && isValue(n.Right) || ofOld(n.Right) && isValue(n.Left)
		case n.Operator == "!=":
			return ofOld(n.Left) && isNil(n.Right) || ofOld(n.Right) && isNil(n.Left)
		case n.Operator == "in":
			list, ok := n.Right.(*ast.ArrayNode)
			return ok && ofOld(n.Left) && !slices.ContainsFunc(list.Nodes, func(n ast.Node) bool {
				return !isValue(n)
			})
		}
	}
	return false
}

// ofOld reports whether a node reads a field of old.
func ofOld(n ast.Node) bool {
	base, keys := lang.ConstantSteps(n)
	return lang.IsName(base, "old") && len(keys) > 0
}

// isValue reports whether a node is a constant other than nil.
func isValue(n ast.Node) bool {
	_, is := lang.Constant(n)
	return is
}

func isNil(n ast.Node) bool {
	_, is := n.(*ast.NilNode)
	return is
}

// comparesOld reports whether the expression compares old itself somewhere, so that its
// author knows that it can be nil.
func comparesOld(n ast.Node) bool {
	if binary, ok := n.(*ast.BinaryNode); ok &&
		(lang.IsName(binary.Left, "old") || lang.IsName(binary.Right, "old")) {
		return true
	}
	return slices.ContainsFunc(lang.Children(n), comparesOld)
}
