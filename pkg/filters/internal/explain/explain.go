package explain

import (
	"fmt"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/check"
	"github.com/informerd/informerd/pkg/filters/internal/compile"
	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Explanation is how an expression came to its answer for an event.
type Explanation struct {
	Matched bool   // what Match gives
	Value   string // of the whole expression; the text itself if it gives one
	Err     error  // what Match gives
	Root    Step   // the whole expression

	message bool // it gives a text
}

// Step is a part of the expression that is neither a constant nor a name of a function. Steps of
// one field, such as object.spec.replicas, are one part, and so are a && b && c, whose children are
// a, b and c.
type Step struct {
	Text         string // as it is written
	Line, Column int    // as those of a CompileError
	Evaluated    bool   // false for what did not matter
	Runs         int    // more than one within any(…) and the like, and for a in 1 < a < 9
	// Values are those of the first two runs and the last one, each JSON, or like it for what JSON
	// has not, and of at most 80 characters; those within a predicate begin with the number of the
	// item: [4] true. What failed says "failed".
	Values   []string
	Note     string // why, where the parts do not tell; else ""
	Children []Step
}

func Match(p *eval.Program, ev event.Event, caches lang.Caches) Explanation {
	traced, t, outline, err := traced(p.Expression)
	if err != nil { // it was compiled before, so this does not happen
		return unexplained(p, ev, caches, err)
	}
	e := traced.Evaluator()
	e.Caches = caches
	result, err := e.Run(ev)
	x := Explanation{Err: err}
	if err != nil {
		t.failed()
	} else {
		x.Matched, _ = result.(bool)
		x.Value = shortValue(result)
		if text, ok := result.(string); ok {
			x.Value, x.message = text, true
		}
	}
	x.Root = outline.step(p.Expression)
	return x
}

func unexplained(p *eval.Program, ev event.Event, caches lang.Caches, reason error) Explanation {
	e := p.Evaluator()
	e.Caches = caches
	matched, err := e.Match(ev)
	if err == nil {
		err = fmt.Errorf("the expression cannot be explained: %w", reason)
	}
	s := p.Expression
	return Explanation{Matched: matched, Err: err,
		Root: Step{Text: s.Text, Line: s.Line, Column: s.Column}}
}

// traced compiles an expression so that the trace records its parts' values. The outline is how
// they are to be shown.
func traced(s lang.Expression) (p *eval.Program, t *trace, root *outlined, err error) {
	defer func() {
		if r := recover(); r != nil { // in expr's checker or compiler
			err = s.CompileError(0, "the expression cannot be compiled: %v", r)
		}
	}()
	tree, err := check.Parse(s)
	if err != nil {
		return nil, nil, nil, err
	}
	t = &trace{parts: map[ast.Node]*part{}}
	root = t.outline(tree, s)
	p, err = compile.Program(s, tree, t)
	return p, t, root, err
}

// outlined is a part with what it was written as.
type outlined struct {
	part     *part
	text     string
	place    lang.Place
	children []*outlined
	became   bool // a call of it
}

// outline makes parts of the expression's nodes.
func (t *trace) outline(tree *parser.Tree, source lang.Expression) *outlined {
	o := &outliner{trace: t, extents: nodes.NewExtents(source.Text)}
	return o.part(tree.Node, 0)
}

type outliner struct {
	trace   *trace
	extents *nodes.Extents
}

// parts gives those that a node and what is below it are shown as.
func (o *outliner) parts(n ast.Node, depth int) []*outlined {
	switch n := n.(type) {
	case nil:
		return nil
	case *ast.ChainNode:
		return o.parts(n.Node, depth)
	case *ast.PredicateNode:
		return o.parts(n.Node, depth+1)
	case *ast.PairNode:
		return o.parts(n.Value, depth)
	}
	if isConstant(n) {
		return nil
	}
	return []*outlined{o.part(n, depth)}
}

func (o *outliner) part(n ast.Node, depth int) *outlined {
	if chain, ok := n.(*ast.ChainNode); ok {
		return o.part(chain.Node, depth)
	}
	out := &outlined{part: o.trace.add(n, depth)}
	out.text, out.place = o.extents.Text(n)
	out.became = isBecame(n)
	seen := map[ast.Node]bool{}
	for _, below := range o.below(n) {
		if !seen[below] {
			seen[below] = true
			out.children = append(out.children, o.parts(below, depth)...)
		}
	}
	return out
}

// below gives the nodes that are shown below a node.
func (o *outliner) below(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.MemberNode:
		base, keys := nodes.ConstantSteps(n)
		if len(keys) > 0 {
			return unlessPlain(base)
		}
		return append(unlessPlain(n.Node), n.Property)
	case *ast.CallNode:
		return n.Arguments
	case *ast.UnaryNode:
		// not in has one place for both of its nodes; what people wrote is one.
		if inner, ok := n.Node.(*ast.BinaryNode); ok && n.Location() == inner.Location() {
			return nodes.Children(inner)
		}
	case *ast.BinaryNode:
		if nodes.IsAnd(n) || nodes.IsOr(n) {
			return append(row(n.Left, nodes.IsAnd(n)), n.Right)
		}
	}
	return nodes.Children(n)
}

// unlessPlain leaves out a base that says nothing which the field read from it does not say.
func unlessPlain(base ast.Node) []ast.Node {
	switch base.(type) {
	case *ast.IdentifierNode, *ast.PointerNode:
		return nil
	}
	return []ast.Node{base}
}

// row gives the operands of && in a row, or of || if and is false.
func row(n ast.Node, and bool) []ast.Node {
	if binary, ok := n.(*ast.BinaryNode); ok &&
		(and && nodes.IsAnd(binary) || !and && nodes.IsOr(binary)) {
		return append(row(binary.Left, and), binary.Right)
	}
	return []ast.Node{n}
}

// isConstant tells whether a node consists of constants alone.
func isConstant(n ast.Node) bool {
	switch n.(type) {
	case *ast.NilNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode,
		*ast.BytesNode, *ast.ConstantNode:
		return true
	case *ast.UnaryNode, *ast.BinaryNode, *ast.ArrayNode, *ast.MapNode, *ast.PairNode:
		for _, child := range nodes.Children(n) {
			if !isConstant(child) {
				return false
			}
		}
		return true
	}
	return false
}

// step makes what is handed out of what was recorded.
func (o *outlined) step(source lang.Expression) Step {
	p := o.part
	s := Step{
		Text: o.text, Line: o.place.Line + max(0, source.Line-1), Column: o.place.Column +
			max(0, source.Column-1),
		Evaluated: p.runs > 0, Runs: p.runs,
	}
	for _, r := range p.first {
		s.add(r, p.depth)
	}
	if p.runs > len(p.first) {
		s.add(p.last, p.depth)
	}
	for _, child := range o.children {
		s.Children = append(s.Children, child.step(source))
	}
	if o.became && s.is("false") && len(s.Children) == 1 && s.Children[0].is("true") {
		s.Note = "it was true of old, too"
	}
	return s
}

// is tells whether a part was evaluated once, and gave the value.
func (s *Step) is(value string) bool {
	return s.Runs == 1 && len(s.Values) == 1 && s.Values[0] == value
}

func isBecame(n ast.Node) bool {
	call, ok := n.(*ast.CallNode)
	if !ok {
		return false
	}
	callee, ok := call.Callee.(*ast.IdentifierNode)
	return ok && callee.Value == "became"
}

func (s *Step) add(r recorded, depth int) {
	text := ""
	for _, item := range r.at[:depth] {
		text += fmt.Sprintf("[%d]", item)
	}
	if depth > 0 {
		text += " "
	}
	text += shortValue(r.value)
	if len(s.Values) > 0 && s.Values[len(s.Values)-1] == text {
		return // a in 1 < a < 9 has one value
	}
	s.Values = append(s.Values, text)
}
