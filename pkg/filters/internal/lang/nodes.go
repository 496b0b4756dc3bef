package lang

import (
	"math"
	"reflect"
	"strconv"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Children returns the nodes directly below n: the fields of its struct that are nodes or lists of
// them, which are in the order of the text.
func Children(n ast.Node) (all []ast.Node) {
	fields := reflect.ValueOf(n).Elem()
	for i := firstField; i < fields.NumField(); i++ {
		switch part := fields.Field(i).Interface().(type) {
		case ast.Node:
			all = append(all, part)
		case []ast.Node:
			all = append(all, part...)
		}
	}
	return all
}

// firstField is the first field of a node's struct that can be read. The one before it has the
// place and the type of the node.
const firstField = 1

// Copy returns a copy of a node, at the same place, that has other nodes directly below it.
func Copy[N ast.Node](n N, below func(ast.Node) ast.Node) N {
	copied := reflect.New(reflect.TypeOf(n).Elem())
	fields := copied.Elem()
	fields.Set(reflect.ValueOf(n).Elem())
	for i := firstField; i < fields.NumField(); i++ {
		switch part := fields.Field(i).Interface().(type) {
		case ast.Node:
			fields.Field(i).Set(reflect.ValueOf(below(part)))
		case []ast.Node:
			all := make([]ast.Node, len(part))
			for j := range part {
				all[j] = below(part[j])
			}
			fields.Field(i).Set(reflect.ValueOf(all))
		}
	}
	return copied.Interface().(N)
}

// Constant returns the value of a constant text, number or truth value, false for other nodes.
func Constant(n ast.Node) (value any, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode:
		return n.Value, true
	case *ast.FloatNode:
		return n.Value, true
	case *ast.BoolNode:
		return n.Value, true
	}
	return nil, false
}

// ConstantSteps returns the constant keys at the end of a row of members, first key first,
// and the node before them.
func ConstantSteps(n ast.Node) (base ast.Node, keys []any) {
	switch m := n.(type) {
	case *ast.ChainNode:
		return ConstantSteps(m.Node)
	case *ast.MemberNode:
		switch property := m.Property.(type) {
		case *ast.StringNode:
			base, keys = ConstantSteps(m.Node)
			return base, append(keys, property.Value)
		case *ast.IntegerNode:
			if property.Value >= 0 && property.Value < math.MaxInt32 {
				base, keys = ConstantSteps(m.Node)
				return base, append(keys, property.Value)
			}
		}
	}
	return n, nil
}

// PathOf returns the path of a row of names and indexes.
func PathOf(keys []any) (path object.Path) {
	for _, key := range keys {
		switch key := key.(type) {
		case string:
			path = path.Key(key)
		case int:
			path = path.Index(key)
		}
	}
	return path
}

// Step returns a step to a field as an expression writes it.
func Step(key string) string {
	for i, r := range key {
		if r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || i > 0 && '0' <= r && r <= '9' {
			continue
		}
		return "[" + strconv.Quote(key) + "]"
	}
	return "." + key
}

// FirstText returns the first argument of a call if it is a constant text.
func FirstText(n *ast.CallNode) (*ast.StringNode, bool) {
	if len(n.Arguments) == 0 {
		return nil, false
	}
	text, ok := n.Arguments[0].(*ast.StringNode)
	return text, ok
}

// IsOp reports whether a node is the variable op.
func IsOp(n ast.Node) bool { return IsName(n, "op") }

// IsName reports whether a node is the variable of that name.
func IsName(n ast.Node, name string) bool {
	id, ok := n.(*ast.IdentifierNode)
	return ok && id.Value == name
}

// OfCluster returns which member of the variable cluster a node is, "" for one whose name is not a
// constant text. The variable is a text, which has no others than name and labels.
func OfCluster(n ast.Node) (member string, ok bool) {
	m, ok := n.(*ast.MemberNode)
	if !ok || !IsName(m.Node, "cluster") {
		return "", false
	}
	if name, isText := m.Property.(*ast.StringNode); isText {
		member = name.Value
	}
	return member, true
}

// IsAnd reports whether an operation is && or and.
func IsAnd(n *ast.BinaryNode) bool { return n.Operator == "&&" || n.Operator == "and" }

// IsOr reports whether an operation is || or or.
func IsOr(n *ast.BinaryNode) bool { return n.Operator == "||" || n.Operator == "or" }
