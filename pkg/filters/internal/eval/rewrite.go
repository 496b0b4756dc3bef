package eval

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Trace records the values of an expression's parts.
type Trace interface {
	// Begin is called before a part is evaluated for the item of that index.
	Begin(part, item int) bool
	// End is called with the value of the part that began last.
	End(value any)
	// Part returns the number of a node's part and how many predicates it is in. It returns false
	// for a node that is not recorded.
	Part(n ast.Node) (number, depth int, ok bool)
}

// Compile compiles an expression that was checked. The tree stays as it is. With a trace,
// the program records the values of its parts.
func Compile(expression lang.Expression, tree *parser.Tree, trace Trace) (*Program, error) {
	r := &rewriter{
		program: &Program{Expression: expression, operations: map[string]operation{}}, trace: trace,
		fields: map[string]int{}, done: map[rewritten]ast.Node{},
	}
	rewritten := &parser.Tree{Node: r.result(tree.Node), Source: tree.Source}
	config := conf.New(r.program.environment())
	if _, err := checker.Check(rewritten, config); err != nil {
		return nil, mistake(expression, err)
	}
	r.countItems()
	config.Optimize = false // the optimizer folds and reorders what was rewritten
	code, err := compiler.Compile(rewritten, config)
	if err != nil {
		return nil, mistake(expression, err)
	}
	r.program.Code = code
	return r.program, nil
}

// mistake returns the error for what expr refuses in a tree that was checked before.
func mistake(expression lang.Expression, err error) error {
	var where *file.Error
	if errors.As(err, &where) {
		return expression.CompileError(where.From, "%s", where.Message)
	}
	return expression.CompileError(0, "%v", err)
}

// rewriter builds a tree that reads fields from JSON text and is safe of nil: nearly every
// operation whose operands are not constants becomes a call of one of the evaluator's
// operations. All its nodes are new, and those of the user stay as they are.
type rewriter struct {
	program *Program
	trace   Trace
	fields  map[string]int // the numbers of the fields, by their names
	// done has the result for each node: the parser puts one node in two places of 1 < a < 9
	// and of a ?: b.
	done map[rewritten]ast.Node
	// whether the name object means old: the condition of became is asked of that
	old    bool
	begins []*ast.CallNode // of the recorded parts within predicates
}

// rewritten is the key of a rewritten node: the node, and what the name object meant in it.
type rewritten struct {
	node ast.Node
	old  bool
}

// result rewrites the whole expression.
func (r *rewriter) result(n ast.Node) ast.Node {
	n = r.node(n)
	kind := r.program.Expression.Kind
	switch {
	case kind == lang.KindMessage:
		return call(n, "@message", n)
	case kind.Returns() == lang.ReturnsText:
		return call(n, "@text", n)
	case kind.Returns() == lang.ReturnsJSON:
		return call(n, "@json", n)
	case r.typeOf(n) != typeBool:
		return call(n, "@result", n)
	}
	return n
}

// call returns a call of an operation, with the place of the node at.
func call(at ast.Node, name string, args ...ast.Node) ast.Node {
	callee := placed(at, &ast.IdentifierNode{Value: name})
	return placed(at, &ast.CallNode{Callee: callee, Arguments: args})
}

// placed sets the place of a new node to that of another one, and returns the node.
func placed[N ast.Node](at ast.Node, n N) N {
	n.SetLocation(at.Location())
	return n
}

func (r *rewriter) node(n ast.Node) ast.Node {
	if n == nil {
		return nil
	}
	return r.nodeOf(n, n)
}

// nodeOf rewrites n, which is the written node or a copy in which constants were replaced.
func (r *rewriter) nodeOf(written, n ast.Node) ast.Node {
	key := rewritten{written, r.old}
	done, ok := r.done[key]
	if !ok {
		done = r.recorded(written, r.rewrite(n))
		r.done[key] = done
	}
	return done
}

// recorded makes the trace record the value of a part. For a condition in became, that is
// the value for object.
func (r *rewriter) recorded(written, n ast.Node) ast.Node {
	if r.trace == nil || r.old {
		return n
	}
	part, depth, ok := r.trace.Part(written)
	if !ok {
		return n
	}
	begin, end := r.program.addPart(r.trace, part, depth > 0, r.typeOf(n))
	if depth == 0 {
		return call(written, end, call(written, begin), n)
	}
	first := call(written, begin, &ast.IntegerNode{}).(*ast.CallNode)
	r.begins = append(r.begins, first)
	return call(written, end, first, n)
}

// countItems passes the index of the item to the parts within a predicate. expr's compiler
// can do that and its checker refuses it, so it is done between them.
func (r *rewriter) countItems() {
	for _, begin := range r.begins {
		index := placed(begin, &ast.PointerNode{Name: "index"})
		index.SetNature(*begin.Arguments[0].Nature())
		begin.Arguments[0] = index
	}
}

func (r *rewriter) rewrite(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return r.identifier(n)
	case *ast.PointerNode:
		if n.Name == "" {
			return call(n, "@item", lang.Copy(n, r.node))
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
	case *ast.ConditionalNode:
		copied := lang.Copy(n, r.node)
		copied.Cond = r.truth(n.Cond)
		return copied
	case *ast.ArrayNode:
		return r.array(n)
	}
	return lang.Copy(n, r.node)
}

func (r *rewriter) all(nodes []ast.Node) []ast.Node {
	all := make([]ast.Node, len(nodes))
	for i, n := range nodes {
		all[i] = r.node(n)
	}
	return all
}

func orNil(n ast.Node) ast.Node {
	if n == nil {
		return &ast.NilNode{}
	}
	return n
}

// truth rewrites a node where true or false is needed.
func (r *rewriter) truth(n ast.Node) ast.Node {
	n = r.node(n)
	if r.typeOf(n) == typeBool {
		return n
	}
	return call(n, "@truth", n)
}

func (r *rewriter) identifier(n *ast.IdentifierNode) ast.Node {
	r.program.UsesCluster = r.program.UsesCluster || n.Value == "cluster"
	if r.program.Expression.Kind.SeesMessages() {
		if name, ok := r.program.addVariable(n.Value); ok {
			return call(n, name)
		}
	}
	switch n.Value {
	case "object":
		return r.field(n, r.old, object.Path{})
	case "old":
		return r.field(n, true, object.Path{})
	case "cluster":
		return placed(n, &ast.StringNode{Value: r.program.Expression.Cluster})
	case "listener":
		return placed(n, &ast.StringNode{Value: r.program.Expression.Listener})
	}
	return lang.Copy(n, r.node)
}

// field returns a read of a field, the same operation for the same field.
func (r *rewriter) field(at ast.Node, old bool, path object.Path) ast.Node {
	return call(at, fieldName(r.fieldNumber(old, path)))
}

func (r *rewriter) fieldNumber(old bool, path object.Path) int {
	key := fmt.Sprintf("%t.%s", old, path)
	i, ok := r.fields[key]
	if !ok {
		i = r.program.addField(old, path)
		r.fields[key] = i
	}
	return i
}

// member returns one read for the longest row of constant steps.
func (r *rewriter) member(n *ast.MemberNode) ast.Node {
	base, keys := lang.ConstantSteps(n)
	if len(keys) == 0 {
		return call(n, "@get", r.node(n.Node), r.node(n.Property))
	}
	path := lang.PathOf(keys)
	switch base := base.(type) {
	case *ast.IdentifierNode:
		switch base.Value {
		case "object":
			return r.field(n, r.old, path)
		case "old":
			return r.field(n, true, path)
		case "cluster":
			return r.ofCluster(n, base, keys)
		}
	case *ast.PointerNode:
		if base.Name == "" {
			return call(n, r.chain(path, keys), lang.Copy(base, r.node))
		}
	}
	return call(n, r.chain(path, keys), r.node(base))
}

// ofCluster returns what is at a row of steps from the variable cluster on.
func (r *rewriter) ofCluster(n ast.Node, cluster *ast.IdentifierNode, keys []any) ast.Node {
	value := r.identifier(cluster)
	switch {
	case keys[0] != "labels":
	case r.program.Expression.Kind.SeesMessages():
		value = call(n, r.program.add("@message.cluster.labels", operation{bind: func(e *Evaluator) any {
			return e.clusterLabels
		}}))
	default:
		value = constant(n, labelsOf(r.program.Expression.ClusterLabels))
	}
	if keys = keys[1:]; len(keys) == 0 {
		return value
	}
	return call(n, r.chain(lang.PathOf(keys), keys), value)
}

// labelsOf returns a cluster's labels as a value.
func labelsOf(labels map[string]string) map[string]any {
	value := make(map[string]any, len(labels))
	for key, text := range labels {
		value[key] = text
	}
	return value
}

// chain returns the name of the operation that takes a row of constant steps from something that is
// not object or old, such as .state.waiting.
func (r *rewriter) chain(path object.Path, keys []any) string {
	return r.program.add("@chain"+path.String(), operation{bind: func(e *Evaluator) any {
		return e.follow(path, keys)
	}})
}

// array returns one constant for a list of constants.
func (r *rewriter) array(n *ast.ArrayNode) ast.Node {
	copied := lang.Copy(n, r.node)
	items := make([]any, 0, len(copied.Nodes))
	for _, node := range copied.Nodes {
		item, ok := lang.Constant(node)
		if !ok {
			return copied
		}
		items = append(items, item)
	}
	return constant(n, items)
}
