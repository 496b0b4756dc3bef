package eval

import (
	"fmt"
	"slices"
	"time"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// call rewrites a call of one of informerd's own functions.
func (r *rewriter) call(n *ast.CallNode) ast.Node {
	name := n.Callee.(*ast.IdentifierNode).Value
	switch name {
	case "changed":
		return r.changed(n)
	case "became":
		return r.became(n)
	case "owner", "condition":
		return r.found(n, name)
	case "cached", "byIndex", "clusters":
		return r.lookup(n, name)
	case "age":
		return r.age(n)
	case "label", "annotation":
		return r.metadata(n, name)
	}
	if p, ok := values.ReaderOf(name); ok {
		if text, ok := lang.FirstText(n); ok {
			return constant(n, values.Readers[p].Parse(text.Value))
		}
	}
	return call(n, "@"+name, r.all(n.Arguments)...)
}

func constant(at ast.Node, value any) ast.Node {
	return placed(at, &ast.ConstantNode{Value: value})
}

// metadata rewrites label and annotation.
func (r *rewriter) metadata(n *ast.CallNode, name string) ast.Node {
	path := object.Path{}.Key("metadata").Key(name + "s")
	if key, ok := lang.FirstText(n); ok {
		return r.field(n, r.old, path.Key(key.Value))
	}
	return call(n, "@get", r.field(n, r.old, path), r.node(n.Arguments[0]))
}

func (r *rewriter) changed(n *ast.CallNode) ast.Node {
	fields := make([][2]int, len(n.Arguments)) // of object and of old
	for i, arg := range n.Arguments {
		path := object.MustCompilePath(arg.(*ast.StringNode).Value) // it was checked
		fields[i] = [2]int{r.fieldNumber(false, path), r.fieldNumber(true, path)}
	}
	return call(n, r.program.add("@changed"+fmt.Sprint(fields), operation{typeBool,
		func(e *Evaluator) any { return e.changed(fields) }}))
}

// became rewrites to two conditions: true of object and not of old.
func (r *rewriter) became(n *ast.CallNode) ast.Node {
	r.program.UsesOld = true
	now := r.truth(n.Arguments[0])
	r.old = true
	before := r.truth(n.Arguments[0])
	r.old = false
	not := placed(n, &ast.UnaryNode{Operator: "not", Node: before})
	and := placed(n, &ast.BinaryNode{Operator: "&&", Left: call(n, "@hasOld"), Right: now})
	return placed(n, &ast.BinaryNode{Operator: "&&", Left: and, Right: not})
}

func (r *rewriter) found(n *ast.CallNode, name string) ast.Node {
	finder := lang.Finders[name]
	text, ok := lang.FirstText(n)
	if !ok {
		return call(n, "@"+name, r.field(n, r.old, finder.List), r.node(n.Arguments[0]))
	}
	list := r.fieldNumber(r.old, finder.List)
	return call(n, r.program.add(fmt.Sprintf("@find%d.%s", list, text.Value),
		operation{bind: func(e *Evaluator) any { return e.findConstant(finder, list, text.Value) }}))
}

func (r *rewriter) lookup(n *ast.CallNode, name string) ast.Node {
	text, _ := lang.FirstText(n)
	l, args := lookedUp{Function: name, Informer: text.Value}, n.Arguments[1:]
	if name == "byIndex" {
		l.Index = n.Arguments[1].(*ast.StringNode).Value
		l.Within = len(n.Arguments) > 3
		args = slices.Concat(n.Arguments[2:], []ast.Node{&ast.StringNode{}})
	}
	return call(n, r.program.addLookup(l), r.node(args[0]), r.node(args[1]))
}

// age rewrites age() into the time since the object was created.
func (r *rewriter) age(n *ast.CallNode) ast.Node {
	r.program.UsesClock = true
	if len(n.Arguments) == 0 {
		created := object.Path{}.Key("metadata").Key("creationTimestamp")
		return call(n, "@age", r.field(n, r.old, created))
	}
	if text, ok := lang.FirstText(n); ok {
		since, err := time.Parse(time.RFC3339, text.Value)
		if err != nil {
			panic(err) // it was checked
		}
		return call(n, "@age", constant(text, since))
	}
	return call(n, "@age", r.node(n.Arguments[0]))
}

// builtin rewrites a call of one of expr's functions.
func (r *rewriter) builtin(n *ast.BuiltinNode) ast.Node {
	if _, plain := lang.PlainFunctions[n.Name]; plain {
		return call(n, "@"+n.Name, r.all(n.Arguments)...)
	}
	body := placed(n, &ast.PredicateNode{})
	if len(n.Arguments) > 1 {
		predicate := n.Arguments[1].(*ast.PredicateNode)
		*body = *predicate
		body.Node = r.node(predicate.Node)
	} else { // count(list) and sum(list) mean the items themselves
		body.Node = r.node(placed(n, &ast.PointerNode{}))
	}
	copied := *n
	copied.Arguments = []ast.Node{call(n.Arguments[0], "@items", r.node(n.Arguments[0])), body}
	switch n.Name {
	case "findLast", "findLastIndex":
		return r.findLast(&copied, body)
	case "find":
		return call(n, "@item", r.body(&copied, body))
	case "sum":
		return r.sum(r.body(&copied, body))
	}
	return r.body(&copied, body)
}

// body makes the evaluator count and check the values of the body of a predicate's function, which
// it returns. The operation takes more, too.
func (r *rewriter) body(n *ast.BuiltinNode, body *ast.PredicateNode, more ...ast.Node) *ast.BuiltinNode {
	name := r.program.addBody(n.Name, nodesOf(body.Node))
	body.Node = call(body.Node, name, append([]ast.Node{body.Node}, more...)...)
	return n
}

// nodesOf returns how many nodes are evaluated once when the node is, so without the bodies
// of predicates.
func nodesOf(n ast.Node) int {
	if _, ok := n.(*ast.PredicateNode); ok {
		return 0
	}
	count := 1
	for _, child := range lang.Children(n) {
		count += nodesOf(child)
	}
	return count
}

// sum makes none walk the list and adds in its body, which is false for every item, so that
// none looks at all items. expr's own sum adds only types that it knows.
func (r *rewriter) sum(n *ast.BuiltinNode) ast.Node {
	n.Name = "none"
	return call(n, "@sum", call(n, "@beginLoop"), n)
}

// findLast makes none walk the list and notes the last match in its body, which is false for
// every item, so that none looks at all items. expr's own loops for these two functions
// leave a value of every item on the stack of its machine, below the result, and an
// operation on what is to the left of it reads the wrong one.
func (r *rewriter) findLast(n *ast.BuiltinNode, body *ast.PredicateNode) ast.Node {
	name := "@" + n.Name
	item := placed(body.Node, &ast.PointerNode{})
	r.body(n, body, call(item, "@item", item))
	n.Name = "none"
	return call(n, name, call(n, "@beginLoop"), n)
}
