package filters

import (
	"math"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/informer/object"
)

// rewriter turns the tree the user wrote into one that reads fields from JSON text and is safe of
// nil: nearly every operation whose operands are not constants becomes a call of one of the
// Evaluator's functions. Their names begin with '@', which no expression can spell. They have
// signatures that expr's VM calls without reflection or allocation.
type rewriter struct {
	filter *Filter
	fields map[fieldKey]int
	chains map[string]int        // by path
	done   map[ast.Node]ast.Node // the parser puts one node in two places for 1 < a < 9 and a ?: b
	// what object means: old where the condition of became looks at that
	root root
	err  error
}

type fieldKey struct {
	root root
	path string
}

// rewrite replaces the tree and fills the filter's lists of what it refers to.
func (f *Filter) rewrite(tree *parser.Tree) error {
	r := &rewriter{filter: f, fields: map[fieldKey]int{}, chains: map[string]int{},
		done: map[ast.Node]ast.Node{}}
	root := r.node(tree.Node)
	switch {
	case f.source.Kind == KindMessage:
		root = call(root, "@message", root)
	case typeOf(root) != typeBool:
		root = call(root, "@result", root)
	}
	tree.Node = root
	return r.err
}

// call makes a call of an Evaluator's function that stands where at stands.
func call(at ast.Node, name string, args ...ast.Node) ast.Node {
	callee := &ast.IdentifierNode{Value: name}
	callee.SetLocation(at.Location())
	n := &ast.CallNode{Callee: callee, Arguments: args}
	n.SetLocation(at.Location())
	return n
}

func (r *rewriter) node(n ast.Node) ast.Node {
	if n == nil {
		return nil
	}
	if done, ok := r.done[n]; ok {
		return done
	}
	done := r.filter.trace.wrap(n, r.rewritten(n))
	r.done[n] = done
	return done
}

func (r *rewriter) rewritten(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return r.identifier(n)
	case *ast.PointerNode:
		if n.Name == "" {
			return call(n, "@item", n)
		}
	case *ast.ChainNode:
		return r.node(n.Node) // every step is optional here
	case *ast.MemberNode:
		return r.member(n)
	case *ast.SliceNode:
		return call(n, "@slice", r.node(n.Node), orNil(r.node(n.From)), orNil(r.node(n.To)))
	case *ast.UnaryNode:
		return r.unary(n)
	case *ast.BinaryNode:
		return r.binary(n)
	case *ast.CallNode:
		return r.call(n)
	case *ast.BuiltinNode:
		return r.builtin(n)
	case *ast.VariableDeclaratorNode:
		n.Value, n.Expr = r.node(n.Value), r.node(n.Expr)
	case *ast.SequenceNode:
		r.all(n.Nodes)
	case *ast.ConditionalNode:
		n.Cond, n.Exp1, n.Exp2 = r.truth(n.Cond), r.node(n.Exp1), r.node(n.Exp2)
	case *ast.ArrayNode:
		return r.array(n)
	case *ast.MapNode:
		for _, pair := range n.Pairs {
			if pair, ok := pair.(*ast.PairNode); ok {
				pair.Value = r.node(pair.Value)
			}
		}
	}
	return n
}

func (r *rewriter) all(nodes []ast.Node) {
	for i := range nodes {
		nodes[i] = r.node(nodes[i])
	}
}

func orNil(n ast.Node) ast.Node {
	if n == nil {
		return &ast.NilNode{}
	}
	return n
}

// truth rewrites a node that stands where true or false is needed.
func (r *rewriter) truth(n ast.Node) ast.Node {
	n = r.node(n)
	if typeOf(n) == typeBool {
		return n
	}
	return call(n, "@truth", n)
}

func (r *rewriter) identifier(n *ast.IdentifierNode) ast.Node {
	switch n.Value {
	case "object":
		return r.field(n, r.root, object.Path{})
	case "old":
		return r.field(n, rootOld, object.Path{})
	case "cluster", "listener":
		return r.known(n)
	default:
		return n
	}
}

// field makes a read of a field, the same one for the same field.
func (r *rewriter) field(at ast.Node, root root, path object.Path) ast.Node {
	return call(at, fieldName(r.fieldIndex(root, path)))
}

func (r *rewriter) fieldIndex(root root, path object.Path) int {
	key := fieldKey{root, path.String()}
	i, ok := r.fields[key]
	if !ok {
		i = len(r.filter.fields)
		r.fields[key] = i
		r.filter.fields = append(r.filter.fields, field{root, path})
	}
	return i
}

// member makes one read of the longest row of constant steps.
func (r *rewriter) member(n *ast.MemberNode) ast.Node {
	base, keys := constantSteps(n)
	if len(keys) == 0 {
		return call(n, "@get", r.node(n.Node), r.node(n.Property))
	}
	path := pathOf(keys)
	if id, ok := base.(*ast.IdentifierNode); ok {
		switch id.Value {
		case "object":
			return r.field(n, r.root, path)
		case "old":
			return r.field(n, rootOld, path)
		}
	}
	if p, ok := base.(*ast.PointerNode); !ok || p.Name != "" {
		base = r.node(base)
	}
	return call(n, chainName(r.chainIndex(path, keys)), base)
}

// pathOf makes a path of names and indexes.
func pathOf(keys []any) (path object.Path) {
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

func (r *rewriter) chainIndex(path object.Path, keys []any) int {
	i, ok := r.chains[path.String()]
	if !ok {
		i = len(r.filter.chains)
		r.chains[path.String()] = i
		r.filter.chains = append(r.filter.chains, chain{path: path, keys: keys})
	}
	return i
}

// constantSteps gives the constant keys at the end of a row of members, first key first, and what
// stands before them.
func constantSteps(n ast.Node) (base ast.Node, keys []any) {
	switch m := n.(type) {
	case *ast.ChainNode:
		return constantSteps(m.Node)
	case *ast.MemberNode:
		switch property := m.Property.(type) {
		case *ast.StringNode:
			base, keys = constantSteps(m.Node)
			return base, append(keys, property.Value)
		case *ast.IntegerNode:
			if property.Value >= 0 && property.Value < math.MaxInt32 {
				base, keys = constantSteps(m.Node)
				return base, append(keys, property.Value)
			}
		}
	}
	return n, nil
}

// call rewrites a call of one of our own functions.
func (r *rewriter) call(n *ast.CallNode) ast.Node {
	return r.own(n, n.Callee.(*ast.IdentifierNode).Value)
}

// builtin rewrites a call of one of expr's functions.
func (r *rewriter) builtin(n *ast.BuiltinNode) ast.Node {
	if _, plain := plainFunctions[n.Name]; plain {
		r.all(n.Arguments)
		return call(n, "@"+n.Name, n.Arguments...)
	}
	n.Arguments[0] = call(n.Arguments[0], "@items", r.node(n.Arguments[0]))
	if len(n.Arguments) == 1 { // count(list) and sum(list) mean the items themselves
		item := &ast.PointerNode{}
		item.SetLocation(n.Location())
		body := &ast.PredicateNode{Node: item}
		body.SetLocation(n.Location())
		n.Arguments = append(n.Arguments, body)
	}
	body := n.Arguments[1].(*ast.PredicateNode)
	body.Node = r.node(body.Node)
	if n.Name == "findLast" || n.Name == "findLastIndex" {
		return r.findLast(n, body)
	}
	switch n.Name {
	case "map":
		r.body(eachMapped, body)
	case "filter":
		r.body(eachKept, body)
	case "find":
		r.body(eachTested, body)
		return call(n, "@item", n)
	case "sum":
		r.body(eachAdded, body)
		return r.sum(n)
	default:
		r.body(eachTested, body)
	}
	return n
}

// array makes one constant of a list of constants.
func (r *rewriter) array(n *ast.ArrayNode) ast.Node {
	r.all(n.Nodes)
	items := make([]any, 0, len(n.Nodes))
	for _, item := range n.Nodes {
		switch item := item.(type) {
		case *ast.StringNode:
			items = append(items, item.Value)
		case *ast.IntegerNode:
			items = append(items, item.Value)
		case *ast.FloatNode:
			items = append(items, item.Value)
		case *ast.BoolNode:
			items = append(items, item.Value)
		default:
			return n
		}
	}
	constant := &ast.ConstantNode{Value: items}
	constant.SetLocation(n.Location())
	return constant
}
