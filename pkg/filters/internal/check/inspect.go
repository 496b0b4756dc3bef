package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/logic"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/syntax"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/event"
)

// inspector refuses what the language has and a filter must not use, before anything costly
// is done with the tree.
type inspector struct {
	draft    draft
	visits   int
	looks    int                 // visits to nodes to find what they depend on
	callee   *ast.IdentifierNode // of the call that is inspected
	ofObject map[string]bool     // variables of let, and whether their values are of the object
	found    mistakes
}

func (in *inspector) errorf(n ast.Node, format string, args ...any) error {
	return in.draft.CompileError(n.Location().From, format, args...)
}

// inspect checks a node within depth predicates and collects its mistakes. An error means
// that there are too many nodes.
func (in *inspector) inspect(n ast.Node, depth int) error {
	in.visits++
	if in.visits > lang.MaxVisits {
		return in.errorf(n, "the expression has more than %d nodes", lang.MaxNodes)
	}
	if len(in.found.all) < lang.MaxMistakes {
		in.found.add(in.node(n, depth))
	}
	if _, ok := n.(*ast.PredicateNode); ok {
		depth++
	}
	for _, child := range nodes.Children(n) {
		if err := in.inspect(child, depth); err != nil {
			return err
		}
	}
	return nil
}

func (in *inspector) node(n ast.Node, depth int) error {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return in.name(n, depth)
	case *ast.VariableDeclaratorNode:
		in.declare(n)
	case *ast.PredicateNode:
		if depth >= lang.MaxNesting {
			return in.errorf(n,
				"any, filter and the like may be nested %d deep at most",
				lang.MaxNesting)
		}
	case *ast.CallNode:
		return in.call(n)
	case *ast.BuiltinNode:
		return in.builtin(n)
	case *ast.BinaryNode:
		return in.binary(n)
	case *ast.MemberNode:
		return in.member(n)
	case *ast.PairNode:
		if _, ok := n.Key.(*ast.StringNode); !ok {
			return in.errorf(n.Key, "the key of a map must be a constant")
		}
	case *ast.BytesNode:
		return in.errorf(n, "bytes are not available in %s; write a text in quotes",
			in.draft.Kind.Word().Plural)
	}
	return nil
}

func (in *inspector) call(n *ast.CallNode) error {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return in.method(n)
	}
	in.callee = callee
	return in.ownCall(n, callee.Value) // the checker knows which functions there are
}

func (in *inspector) builtin(n *ast.BuiltinNode) error {
	if !lang.IsAllowed(n.Name) {
		return in.errorf(n, "the function %s is not available in %s", n.Name,
			in.draft.Kind.Word().Plural)
	}
	want, plain := lang.PlainFunctions[n.Name]
	if got := len(n.Arguments); plain && (got < want.Min || got > want.Max) {
		return in.errorf(n, "%s takes %s, this has %d", n.Name, want, got)
	}
	return nil
}

func (in *inspector) binary(n *ast.BinaryNode) error {
	if message := in.draft.negated(n); message != "" {
		at, whole := nodes.NewExtents(in.draft.Text).Span(n)
		_, write, _ := strings.Cut(message, "; write ")
		if at.Text = write; !whole || strings.HasPrefix(write, "brackets ") {
			return in.errorf(n, "%s", message)
		}
		return in.draft.Proposed(n.Location().From, &at, "%s", message)
	}
	switch n.Operator {
	case "==", "!=":
		if nodes.IsOp(n.Left) {
			return in.opName(n.Right)
		}
		if nodes.IsOp(n.Right) {
			return in.opName(n.Left)
		}
	case "in":
		if list, ok := n.Right.(*ast.ArrayNode); ok && nodes.IsOp(n.Left) {
			for _, item := range list.Nodes {
				if err := in.opName(item); err != nil {
					return err
				}
			}
		}
		return in.inText(n)
	case "matches":
		if text, ok := n.Right.(*ast.StringNode); ok {
			if _, err := values.CompilePattern(text.Value); err != nil {
				return in.pattern(n, text, err)
			}
		}
	case "+", "-", "*", "/", "%", "**", "^":
		return in.arithmetic(n)
	case "..":
		from, ok1 := n.Left.(*ast.IntegerNode)
		to, ok2 := n.Right.(*ast.IntegerNode)
		if ok1 && ok2 && to.Value-from.Value >= lang.MaxRange {
			return in.errorf(n, "the range has more than %d items", lang.MaxRange)
		}
	}
	return nil
}

// negated returns what is wrong with a comparison whose left side alone is negated.
func (s draft) negated(n *ast.BinaryNode) string {
	if _, ok := n.Left.(*ast.UnaryNode); !ok {
		return ""
	}
	texts := nodes.NewExtents(s.Text)
	return logic.Negated(n, func(n ast.Node) string { return written(texts, n) })
}

// opName refuses a constant that op never equals.
func (in *inspector) opName(n ast.Node) error {
	text, ok := n.(*ast.StringNode)
	if !ok || text.Value == "" && in.draft.Kind.SeesMessages() {
		return nil
	}
	var names []string
	for _, op := range event.Ops {
		names = append(names, op.String())
	}
	if slices.Contains(names, text.Value) {
		return nil
	}
	if meant := syntax.OpMeant(text.Value); meant != "" {
		return in.propose(n, strconv.Quote(meant), "op is never %q; write %q", text.Value, meant)
	}
	if near := nearestOf(text.Value, names); near != "" {
		return in.propose(n, strconv.Quote(near), "op is never %q; did you mean %q?", text.Value,
			near)
	}
	return in.errorf(n, "op is never %q; it is add, update, delete or resync", text.Value)
}

// name refuses a variable or function that this kind of expression does not have.
func (in *inspector) name(n *ast.IdentifierNode, depth int) error {
	if n != in.callee && slices.Contains(in.draft.Kind.Functions(), n.Value) {
		if depth > 0 {
			return in.propose(n, "."+n.Value, "%s is a function; a field of an item is written .%[1]s",
				n.Value)
		}
		if n.Value == "age" {
			return in.propose(n, "age()", "age is a function; write age()")
		}
		return in.errorf(n, "%s is a function; write %[1]s(…)", n.Value)
	}
	if n.Value == "$env" {
		return in.errorf(n, "$env is not available in %s", in.draft.Kind.Word().Plural)
	}
	if slices.Contains(lang.OfCaches, n.Value) && !in.draft.Kind.Has(n.Value) {
		return in.errorf(n,
			"%s is not available in outputs; ask for other objects in the filter or in a handler",
			n.Value)
	}
	looks := in.draft.Kind.Word().Looks
	if looks == "" || !slices.Contains(lang.OfEvents, n.Value) {
		return nil
	}
	return in.errorf(n, "%s", strings.Replace(looks, "%s", n.Value, 1))
}
