package check

import (
	"reflect"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/syntax"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// differsFromOld warns about object.x != old.x where events without an old object occur,
// too: nil differs from everything.
func (w *warner) differsFromOld(n *ast.BinaryNode, ops event.OpSet) {
	if n.Operator != "!=" || !ops.Has(event.Update) || !ops.Has(event.Add) || w.asksForOld ||
		w.guards > 0 {
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
		if text := path.String(); text == "" || strings.ContainsFunc(text, needsQuotes) {
			instead = ""
		}
	}
	if instead == "" {
		instead = `; write op == "update" && before it`
	}
	w.warnf(n, "this is also true of every %s, since those have no old object%s",
		opWords(ops&^event.OpSet(0).With(event.Update), "and"), instead)
}

func needsQuotes(r rune) bool { return !syntax.IsWordRune(r) && !strings.ContainsRune(".[]", r) }
