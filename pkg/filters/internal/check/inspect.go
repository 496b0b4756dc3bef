package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// inspector refuses what the language has and an expression must not use, before anything costly
// is done with the tree.
type inspector struct {
	expression lang.Expression
	visits     int
	looks      int                 // visits to nodes to find what they depend on
	callee     *ast.IdentifierNode // of the call that is inspected
	ofObject   map[string]bool     // variables of let, and whether their values are of the object
	found      mistakes
}

func (in *inspector) errorf(n ast.Node, format string, args ...any) error {
	return in.expression.CompileError(n.Location().From, format, args...)
}

// inspect checks a node within depth predicates and collects its mistakes. An error means
// that there are too many nodes.
func (in *inspector) inspect(n ast.Node, depth int) error {
	in.visits++
	if in.visits > lang.MaxVisits {
		return in.errorf(n, "the expression has more than %d nodes", lang.MaxNodes)
	}
	in.found.add(in.node(n, depth))
	if _, ok := n.(*ast.PredicateNode); ok {
		depth++
	}
	for _, child := range lang.Children(n) {
		if err := in.inspect(child, depth); err != nil {
			return err
		}
	}
	return nil
}

func (in *inspector) node(n ast.Node, depth int) error {
	plural := in.expression.Kind.Word().Plural
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return in.name(n)
	case *ast.VariableDeclaratorNode:
		in.declare(n)
	case *ast.PredicateNode:
		if depth >= lang.MaxNesting {
			return in.errorf(n, "any, filter and the like may be nested %d deep at most",
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
		return in.errorf(n, "bytes are not available in %s; write a text in quotes", plural)
	}
	return nil
}

// call finds mistakes in a call that types do not show.
func (in *inspector) call(n *ast.CallNode) error {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return in.method(n)
	}
	in.callee = callee
	name := callee.Value
	if _, own := lang.OwnSignatures[name]; !own {
		return in.unknownFunction(n, name)
	}
	text, constant := lang.FirstText(n)
	switch name {
	case "changed":
		for _, arg := range n.Arguments {
			if err := in.changedPath(arg); err != nil {
				return err
			}
		}
	case "became":
		if len(n.Arguments) == 1 {
			return in.became(n.Arguments[0])
		}
	case "cached", "byIndex", "clusters":
		return in.lookup(n, name)
	case "glob":
		if constant && len(text.Value) > values.MaxPattern {
			return in.errorf(text, "the pattern has %d bytes, the limit is %d",
				len(text.Value), values.MaxPattern)
		}
	}
	if p, ok := values.ReaderOf(name); ok && constant &&
		values.Readers[p].Parse(text.Value) == nil {
		return in.errorf(text, "%s", values.Readers[p].Refusal(text.Value))
	}
	return nil
}

// method refuses a method.
func (in *inspector) method(n *ast.CallNode) error {
	callee := n.Callee
	if chain, ok := callee.(*ast.ChainNode); ok {
		callee = chain.Node
	}
	hint := ""
	if member, ok := callee.(*ast.MemberNode); ok {
		if name, ok := member.Property.(*ast.StringNode); ok {
			hint = foreignHint(name.Value)
			if slices.Contains(in.expression.Kind.Functions(), name.Value) {
				hint = "; write the function " + name.Value + "(…)"
			}
		}
	}
	return in.errorf(n, "methods are not available in %s%s", in.expression.Kind.Word().Plural,
		cmp.Or(hint, "; docs/functions.md has all functions"))
}

func (in *inspector) unknownFunction(n ast.Node, name string) error {
	return in.errorf(n, "unknown function %q%s", name, functionHint(in.expression.Kind, name))
}

func (in *inspector) builtin(n *ast.BuiltinNode) error {
	if !lang.IsAllowed(n.Name) {
		return in.unknownFunction(n, n.Name)
	}
	want, plain := lang.PlainFunctions[n.Name]
	if got := len(n.Arguments); plain && (got < want.Min || got > want.Max) {
		return in.errorf(n, "%s takes %s, this has %d", n.Name, want, got)
	}
	return nil
}

func (in *inspector) binary(n *ast.BinaryNode) error {
	for _, name := range namedOps(n) {
		if err := in.opName(name); err != nil {
			return err
		}
	}
	switch n.Operator {
	case "in":
		return in.inText(n)
	case "matches":
		if text, ok := n.Right.(*ast.StringNode); ok {
			if _, err := values.CompilePattern(text.Value); err != nil {
				return in.errorf(text, "%v", err)
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

// inText refuses a constant text where in needs a list. A text that is a network may be
// searched for an address.
func (in *inspector) inText(n *ast.BinaryNode) error {
	text, ok := n.Right.(*ast.StringNode)
	p, special := lang.SpecialOf(n.Left)
	if !ok || special && (p == values.Addresses || p == values.Networks) {
		return nil // which is checked as a network
	}
	return in.errorf(text, `"in" needs a list on its right, as in ["a", "b"]`)
}

// opName refuses a constant that op never equals.
func (in *inspector) opName(text *ast.StringNode) error {
	if text.Value == "" && in.expression.Kind.SeesMessages() {
		return nil
	}
	var names []string
	for _, op := range event.Ops {
		names = append(names, op.String())
	}
	if slices.Contains(names, text.Value) {
		return nil
	}
	if meant := otherOps[strings.ToLower(text.Value)]; meant != "" {
		return in.errorf(text, "op is never %q; did you mean %q?", text.Value, meant)
	}
	return in.errorf(text, "op is never %q%s", text.Value, oneOf(text.Value, names))
}

// name refuses a variable or function that this kind of expression does not have.
func (in *inspector) name(n *ast.IdentifierNode) error {
	kind := in.expression.Kind
	if n != in.callee && slices.Contains(kind.Functions(), n.Value) {
		return in.errorf(n, "%s is a function: write %[1]s(…), or .%[1]s for a field of an item",
			n.Value)
	}
	if n.Value == "$env" {
		return in.errorf(n, "$env is not available in %s", kind.Word().Plural)
	}
	if slices.Contains(lang.OfCaches, n.Value) && !kind.Has(n.Value) {
		return in.errorf(n,
			"%s is not available in outputs; ask for other objects in the filter or in a handler",
			n.Value)
	}
	looks := kind.Word().Looks
	if looks == "" || !slices.Contains(lang.OfEvents, n.Value) {
		return nil
	}
	return in.errorf(n, "%s", strings.Replace(looks, "%s", n.Value, 1))
}

// changedPath refuses an argument of changed that is not the path of a field.
func (in *inspector) changedPath(arg ast.Node) error {
	text, ok := arg.(*ast.StringNode)
	if !ok {
		return in.errorf(arg, `changed takes field paths in quotes, as in changed("spec.replicas")`)
	}
	for _, root := range []string{"object.", "old."} {
		if path, ok := strings.CutPrefix(text.Value, root); ok {
			return in.errorf(arg, "the paths in changed begin in the object; did you mean %q?", path)
		}
	}
	if _, err := object.CompilePath(text.Value); err != nil {
		return in.errorf(arg, "%v", err)
	}
	return nil
}
