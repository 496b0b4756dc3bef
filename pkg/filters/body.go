package filters

import (
	"strconv"

	"github.com/expr-lang/expr/ast"
)

// each is what is done with the body's value of one item of a list.
type each uint8

const (
	eachTested each = iota // it must be true or false
	eachMapped
	eachKept
	eachAdded
	eachFound
)

// body is the expression that any and the like evaluate for every item. Its nodes are paid for item
// by item, be they evaluated or not: the operations alone do not pay for what takes the same time
// whatever they work on.
type body struct {
	each  each
	nodes int
}

func (b body) name() string {
	return "@each" + strconv.Itoa(int(b.each)) + "." +
		strconv.Itoa(b.nodes)
}

// body lets a predicate's body be paid for and checked. More is what the function takes besides the
// body's value.
func (r *rewriter) body(each each, n *ast.PredicateNode, more ...ast.Node) {
	b := body{each, nodesOf(n.Node)}
	r.filter.bodies = append(r.filter.bodies, b)
	n.Node = call(n.Node, b.name(), append([]ast.Node{n.Node}, more...)...)
}

// nodesOf counts what is evaluated once when the node is, so not the bodies within it.
func nodesOf(n ast.Node) int {
	if _, ok := n.(*ast.PredicateNode); ok {
		return 0
	}
	count := 1
	for _, child := range children(n) {
		count += nodesOf(child)
	}
	return count
}

// body makes the function that takes the body's values.
func (e *Evaluator) body(b body) any {
	switch b.each {
	case eachMapped:
		return func(x any) any {
			e.charge(b.nodes)
			e.grow(itemBytes)
			return x
		}
	case eachKept:
		return func(x any) bool {
			e.charge(b.nodes)
			keep := truth(x)
			if keep {
				e.grow(itemBytes)
			}
			return keep
		}
	case eachAdded:
		return func(x any) bool {
			e.charge(b.nodes)
			return e.add(x)
		}
	case eachFound:
		return func(matches, item any) bool {
			e.charge(b.nodes)
			return e.found(matches, item)
		}
	default:
		return func(x any) bool {
			e.charge(b.nodes)
			return truth(x)
		}
	}
}
