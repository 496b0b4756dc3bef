package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/conditions"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// warningsOf adds to warnings what is suspicious about the events that an expression looks at, and
// returns all in the order of their places.
func warningsOf(x lang.Expression, n ast.Node, warnings []*lang.CompileError) []*lang.CompileError {
	w := &warner{expression: x, on: cmp.Or(x.On&condition.EveryOp, condition.EveryOp),
		warnings: warnings, memo: map[opsAsked]event.OpSet{},
		namesOps: map[ast.Node]event.OpSet{}, guarding: map[ast.Node]bool{}}
	if at, swallows := x.Swallowed(); swallows {
		w.warnings = append(w.warnings, x.CompileError(at,
			"this comment goes on to the end here, since YAML joins the lines; write a block with |"))
	}
	w.asksForOld = comparesOld(n)
	w.visit(n, w.on)
	if !x.Kind.SeesMessages() { // whose op can be ""
		w.neverOrAlways(n)
	}
	slices.SortStableFunc(w.warnings, func(a, b *lang.CompileError) int {
		return cmp.Compare(a.Offset, b.Offset)
	})
	// a node may be in two places, as in 1 < a < 9
	return slices.CompactFunc(w.warnings, func(a, b *lang.CompileError) bool {
		return a.Message == b.Message && a.Offset == b.Offset
	})
}

// warner finds contradictions between the ops of the events and those in the expression.
type warner struct {
	expression lang.Expression
	on         event.OpSet // of the events
	warnings   []*lang.CompileError
	memo       map[opsAsked]event.OpSet
	namesOps   map[ast.Node]event.OpSet

	asksForOld bool
	guards     int               // around the visited node that are false without an old object
	guarding   map[ast.Node]bool // whether the nodes that were asked about are such guards
}

type opsAsked struct {
	node ast.Node
	want bool
}

func (w *warner) warnf(n ast.Node, format string, args ...any) {
	w.warnings = append(w.warnings, w.expression.CompileError(n.Location().From, format, args...))
}

// visit checks a node whose value matters only for events with these ops.
func (w *warner) visit(n ast.Node, ops event.OpSet) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		rules, known := w.expression.Texts["rule"]
		switch {
		case n.Value == "old":
			w.needsUpdate(n, ops, "old is always nil", "has an old object")
		case known && len(rules) == 0 && slices.Contains([]string{"violated", "since", "message"}, n.Value):
			w.warnf(n, "%s is always nil here: no listener of this output has rules", n.Value)
		}
	case *ast.MemberNode:
		if lang.IsName(n.Node, "data") && !n.Optional && w.expression.NoData {
			w.warnf(n.Node, "data is always nil here: no listener of this output has a handler")
		}
	case *ast.PairNode:
		key, named := n.Key.(*ast.StringNode)
		text, constant := n.Value.(*ast.StringNode)
		if w.expression.IsCredential != nil && named && constant && text.Value != "" &&
			w.expression.IsCredential(key.Value) {
			w.warnf(text, "%q is the name of a credential, which must not be in the configuration: a header can have one, as in {fromEnv: NAME}", key.Value)
		}
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok &&
			(callee.Value == "changed" || callee.Value == "became") {
			w.needsUpdate(n, ops, callee.Value+" is never true", "changes an object")
		}
	case *ast.BinaryNode:
		// The other side decides only for the ops that one side allows.
		if and := lang.IsAnd(n); and || lang.IsOr(n) {
			w.visitWith(n.Left, n.Right, and, ops)
			w.visitWith(n.Right, n.Left, and, ops)
			return
		}
		w.opNames(n)
		w.differsFromOld(n, ops)
	case *ast.ConditionalNode:
		w.visit(n.Cond, ops)
		w.visitWith(n.Exp1, n.Cond, true, ops)
		w.visit(n.Exp2, ops&w.opsOf(n.Cond, false))
		return
	}
	for _, child := range lang.Children(n) {
		w.visit(child, ops)
	}
}

// visitWith visits a node whose value matters only where another one is true, or false without
// wanted.
func (w *warner) visitWith(n, other ast.Node, wanted bool, ops event.OpSet) {
	guard := wanted && w.isGuard(other)
	if guard {
		w.guards++
	}
	w.visit(n, ops&w.opsOf(other, wanted))
	if guard {
		w.guards--
	}
}

func (w *warner) needsUpdate(n ast.Node, ops event.OpSet, what, only string) {
	switch {
	// where there is no event there is nothing to warn about
	case ops.Has(event.Update) || ops == 0:
	case !w.on.Has(event.Update):
		w.warnf(n, "%s: the events are %s, and only an update %s", what, opWords(w.on, "and"), only)
	default:
		w.warnf(n, "%s here: op is %s at this point, and only an update %s", what,
			opWords(ops, "or"), only)
	}
}

// opNames warns about ops that no event has.
func (w *warner) opNames(n *ast.BinaryNode) {
	for _, name := range namedOps(n) {
		if op, err := event.ParseOp(name.Value); err == nil && !w.on.Has(op) {
			w.warnf(name, "op is never %q here: the events are %s", name.Value,
				opWords(w.on, "and"))
		}
	}
}

// namedOps returns the constants that op is compared with.
func namedOps(n *ast.BinaryNode) []*ast.StringNode {
	var constants []ast.Node
	switch {
	case n.Operator != "==" && n.Operator != "!=" && n.Operator != "in":
	case lang.IsOp(n.Left):
		constants = []ast.Node{n.Right}
		if list, ok := n.Right.(*ast.ArrayNode); ok && n.Operator == "in" {
			constants = list.Nodes
		}
	case lang.IsOp(n.Right):
		constants = []ast.Node{n.Left}
	}
	var names []*ast.StringNode
	for _, constant := range constants {
		if text, ok := constant.(*ast.StringNode); ok {
			names = append(names, text)
		}
	}
	return names
}

// neverOrAlways warns about the largest parts that are true or false for every op.
func (w *warner) neverOrAlways(n ast.Node) {
	if binary, ok := n.(*ast.BinaryNode); ok &&
		(lang.IsAnd(binary) || lang.IsOr(binary) || binary.Operator == "in") &&
		w.opsNamed(n) != 0 {
		yes, no := w.opsOf(n, true), w.opsOf(n, false)
		switch {
		case yes == 0:
			w.warnf(n, "this is never true, whatever op is")
			return
		case no == 0:
			w.warnf(n, "this is always true, whatever op is")
			return
		// else it names an op that no event has, and that is reported there
		case yes&w.on == 0 && w.opsNamed(n)&^w.on == 0:
			w.warnf(n, "this is never true: the events are %s", opWords(w.on, "and"))
			return
		}
	}
	for _, child := range lang.Children(n) {
		w.neverOrAlways(child)
	}
}

// opsOf returns the ops for which a node can be true, or false if want is false, as far as
// it compares op with constants.
func (w *warner) opsOf(n ast.Node, want bool) event.OpSet {
	asked := opsAsked{n, want}
	if ops, ok := w.memo[asked]; ok {
		return ops
	}
	ops := condition.EveryOp
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			ops = w.opsOf(n.Node, !want)
		}
	case *ast.BinaryNode:
		switch and := lang.IsAnd(n); {
		case !and && !lang.IsOr(n):
			ops = conditions.OpsOf(n, want)
		case and == want:
			ops = w.opsOf(n.Left, want) & w.opsOf(n.Right, want)
		default:
			ops = w.opsOf(n.Left, want) | w.opsOf(n.Right, want)
		}
	case *ast.BoolNode:
		ops = conditions.OpsOf(n, want)
	}
	w.memo[asked] = ops
	return ops
}

// opsNamed returns the ops that a part of the expression compares op with.
func (w *warner) opsNamed(n ast.Node) event.OpSet {
	if ops, ok := w.namesOps[n]; ok {
		return ops
	}
	ops := event.OpSet(0)
	if binary, ok := n.(*ast.BinaryNode); ok {
		for _, name := range namedOps(binary) {
			if op, err := event.ParseOp(name.Value); err == nil {
				ops = ops.With(op)
			}
		}
	}
	for _, child := range lang.Children(n) {
		ops |= w.opsNamed(child)
	}
	w.namesOps[n] = ops
	return ops
}

// opWords returns ops as a list in a sentence.
func opWords(ops event.OpSet, last string) string {
	var words []string
	for _, op := range event.Ops {
		if ops.Has(op) {
			words = append(words, op.String())
		}
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}
