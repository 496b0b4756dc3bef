package check

import (
	"reflect"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/syntax"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// differsFromOld warns about object.x != old.x where events without an old object occur,
// too: nil differs from everything.
func (w *warner) differsFromOld(n *ast.BinaryNode, ops event.OpSet) {
	if n.Operator != "!=" || !ops.Has(event.Update) || !ops.Has(event.Add) || w.asksForOld {
		return
	}
	left, leftSteps := nodes.ConstantSteps(n.Left)
	right, rightSteps := nodes.ConstantSteps(n.Right)
	if nodes.IsName(left, "old") {
		left, leftSteps, right, rightSteps = right, rightSteps, left, leftSteps
	}
	if !nodes.IsName(left, "object") || !nodes.IsName(right, "old") {
		return
	}
	instead := ""
	if len(leftSteps) > 0 && reflect.DeepEqual(leftSteps, rightSteps) {
		path := object.Path{}
		for _, step := range leftSteps {
			switch step := step.(type) {
			case string:
				path = path.Key(step)
			case int:
				path = path.Index(step)
			}
		}
		instead = "; write changed(\"" + path.String() + "\")"
		if text := path.String(); text == "" || !plainPath(text) {
			instead = ""
		}
	}
	if instead == "" {
		instead = `; write op == "update" && before it`
	}
	w.warnf(n, "this is also true of every %s, since those have no old object%s",
		opWords(ops&^event.OpSet(0).With(event.Update), "and"), instead)
}

// plainPath reports whether a path needs no quotes.
func plainPath(text string) bool {
	for _, r := range text {
		if !syntax.IsWordRune(r) && r != '.' && r != '[' && r != ']' {
			return false
		}
	}
	return true
}

// asksForOld reports whether the expression compares old itself somewhere, so that its
// author knows that it can be nil.
func asksForOld(n ast.Node) bool {
	if binary, ok := n.(*ast.BinaryNode); ok &&
		(nodes.IsName(binary.Left, "old") || nodes.IsName(binary.Right, "old")) {
		return true
	}
	for _, child := range nodes.Children(n) {
		if asksForOld(child) {
			return true
		}
	}
	return false
}
