package logic

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// Known returns whether a node is true if variables have these values, each a text, a bool or nil.
// It is not decided if that depends on anything else.
func Known(n ast.Node, variables map[string]any) (value, decided bool) {
	switch n := n.(type) {
	case *ast.BoolNode:
		return n.Value, true
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			value, decided = Known(n.Node, variables)
			return !value && decided, decided
		}
	case *ast.IdentifierNode:
		switch v, known := variables[n.Value]; v := v.(type) {
		case bool:
			return v, true
		case nil: // which is not true
			return false, known
		}
	case *ast.BinaryNode:
		return knownOperation(n, variables)
	case *ast.ConditionalNode:
		if is, ok := Known(n.Cond, variables); ok && is {
			return Known(n.Exp1, variables)
		} else if ok {
			return Known(n.Exp2, variables)
		}
	case *ast.CallNode:
		changes := nodes.IsName(n.Callee, "changed") || nodes.IsName(n.Callee, "became")
		return false, changes && hasNoOld(variables)
	case *ast.MemberNode, *ast.ChainNode:
		switch v, known := knownValue(n, variables); v := v.(type) {
		case bool:
			return v, true
		case nil:
			return false, known
		}
	}
	return false, false
}

func knownOperation(n *ast.BinaryNode, variables map[string]any) (value, decided bool) {
	if and := nodes.IsAnd(n); and || nodes.IsOr(n) {
		left, ok1 := Known(n.Left, variables)
		right, ok2 := Known(n.Right, variables)
		// One operand is enough that makes the whole false, or true, whatever the other is.
		if ok1 && left != and || ok2 && right != and {
			return !and, true
		}
		return and && ok1 && ok2, ok1 && ok2
	}
	left, ok1 := knownValue(n.Left, variables)
	switch n.Operator {
	case "==", "!=":
		right, ok2 := knownValue(n.Right, variables)
		if !ok1 || !ok2 {
			return false, false
		}
		is, decided := equal(left, right)
		return decided && is == (n.Operator == "=="), decided
	case "in":
		list, isList := n.Right.(*ast.ArrayNode)
		if !ok1 || !isList {
			return false, false
		}
		for _, item := range list.Nodes {
			is, ok := knownValue(item, variables)
			if !ok {
				return false, false
			}
			same, decided := equal(left, is)
			if !decided {
				return false, false
			}
			value = value || left != nil && same // nil is in no list
		}
		return value, true
	case "startsWith", "endsWith", "contains":
		right, ok2 := knownValue(n.Right, variables)
		text, isText := left.(string)
		part, isPart := right.(string)
		if !ok1 || !ok2 || !isText || !isPart {
			return false, false
		}
		return knownParts[n.Operator](text, part), true
	}
	return false, false
}

var knownParts = map[string]func(text, part string) bool{"startsWith": strings.HasPrefix,
	"endsWith": strings.HasSuffix, "contains": strings.Contains}

func knownValue(n ast.Node, variables map[string]any) (value any, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.BoolNode:
		return n.Value, true
	case *ast.NilNode:
		return nil, true
	case *ast.IdentifierNode:
		value, ok = variables[n.Value]
	case *ast.BinaryNode:
		if n.Operator == "??" {
			value, ok = knownValue(n.Left, variables)
			switch value.(type) {
			case nil:
				if ok {
					return knownValue(n.Right, variables)
				}
			case Not: // it may be nil
				return nil, false
			}
			return value, ok
		}
		return knownBool(n, variables)
	case *ast.UnaryNode:
		return knownBool(n, variables)
	case *ast.CallNode:
		if is, ok := Known(n, variables); ok {
			return is, true
		}
		if name := fieldName(n); name != "" {
			value, ok = variables[name]
		}
	default:
		if name := fieldName(n); name != "" {
			if value, ok = variables[name]; !ok && strings.HasPrefix(name, "old.") {
				ok = hasNoOld(variables)
			}
		}
	}
	return value, ok
}

// hasNoOld reports whether it is known that there is no state before.
func hasNoOld(variables map[string]any) bool {
	old, known := variables["old"]
	return known && old == nil
}

// fieldName returns a field that a node reads, as in object.metadata.name, "" if it is none. Those
// that label and annotation read are among them.
func fieldName(n ast.Node) string {
	base, keys := nodes.ConstantSteps(n)
	switch base := base.(type) {
	case *ast.IdentifierNode:
		if (base.Value == "object" || base.Value == "old") && len(keys) > 0 {
			return base.Value + "." + nodes.PathOf(keys).String()
		}
	case *ast.CallNode:
		of, isName := base.Callee.(*ast.IdentifierNode)
		key, ok := nodes.FirstText(base)
		if isName && ok && len(base.Arguments) == 1 && len(keys) == 0 &&
			(of.Value == "label" || of.Value == "annotation") {
			return "object." + nodes.PathOf([]any{"metadata", of.Value + "s", key.Value}).String()
		}
	}
	return ""
}

// knownBool returns what is true or false as a value.
func knownBool(n ast.Node, variables map[string]any) (value any, ok bool) {
	is, ok := Known(n, variables)
	return is, ok
}

// Not is the value of a variable that is none of these, and of which nothing else is known. It may
// be nil.
type Not []any

// equal returns whether two values are the same, as far as that is known.
func equal(a, b any) (is, decided bool) {
	notA, isNotA := a.(Not)
	notB, isNotB := b.(Not)
	switch {
	case isNotA && isNotB:
		return false, false
	case isNotA:
		return false, slices.Contains(notA, b)
	case isNotB:
		return false, slices.Contains(notB, a)
	}
	return a == b, true
}
