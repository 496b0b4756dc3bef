package filters

import (
	"fmt"
	"slices"
	"sync"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/check"
	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Explanation is how an expression came to its answer for an event.
type Explanation struct {
	Matched bool   // the answer of Match
	Value   string // of the whole expression; of a message, the text itself
	Err     error  // the answer of Match
	Root    Step   // the whole expression

	message bool // the value is a text
}

// Step is a part of the expression that is neither a constant nor the name of a function.
// Steps of one field, such as object.spec.replicas, are one part. So are a && b && c and a + b + c,
// whose children are a, b and c. The children of changed are its paths, each with what differs.
type Step struct {
	Text         string // as it is written
	Line, Column int    // like those of a CompileError
	Evaluated    bool   // false for what did not matter
	Runs         int    // more than one within any(…) and the like, and for a in 1 < a < 9
	// Values are those of the first two runs and of the last one, as JSON or similar, of at most
	// 80 characters. Within a predicate a value begins with the index of the item: [4] true.
	// A part that failed has the value "failed".
	Values   []string
	Whole    []string // the same of up to 10,000 characters, and durations with all digits
	Note     string   // the reason, if the parts do not show it; else ""
	Children []Step
}

// recordedProgram returns a program that evaluates as p does, one event at a time, and passes each
// evaluation to a function.
func recordedProgram(p *eval.Program, to func(event.Event, Explanation)) (*eval.Program, error) {
	again, t, outline, err := traced(p.Expression)
	if err != nil {
		return nil, err
	}
	var running sync.Mutex // the evaluators of the program share the trace
	again.Around = func(ev event.Event, run func() (any, error)) (any, error) {
		running.Lock()
		defer running.Unlock()
		t.reset()
		result, err := run()
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
		x.Root = outline.step(p.Expression, &ev)
		to(ev, x)
		return result, err
	}
	return again, nil
}

// traced compiles an expression so that the trace records the values of its parts. The
// outline is how they are shown.
func traced(s lang.Expression) (p *eval.Program, t *trace, root *part, err error) {
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
	p, err = eval.Compile(s, tree, t)
	return p, t, root, err
}

// outline makes the parts of an expression.
func (t *trace) outline(tree *parser.Tree, expression lang.Expression) *part {
	t.extents = lang.NewExtents(expression.Text)
	return t.part(tree.Node, 0)
}

// shownAs returns the parts that a node is shown as.
func (t *trace) shownAs(n ast.Node, depth int) []*part {
	switch n := n.(type) {
	case nil:
		return nil
	case *ast.ChainNode:
		return t.shownAs(n.Node, depth)
	case *ast.PredicateNode:
		return t.shownAs(n.Node, depth+1)
	case *ast.PairNode:
		return t.shownAs(n.Value, depth)
	}
	if isConstant(n) {
		return nil
	}
	return []*part{t.part(n, depth)}
}

// part returns the part that a node in depth predicates is.
func (t *trace) part(n ast.Node, depth int) *part {
	if chain, ok := n.(*ast.ChainNode); ok {
		return t.part(chain.Node, depth)
	}
	if p, ok := t.parts[n]; ok { // the parser puts one node in two places for 1 < a < 9 and a ?: b
		return p
	}
	p := &part{number: len(t.list), depth: min(depth, lang.MaxNesting), became: calls(n, "became"),
		changed: changedPaths(n)}
	t.parts[n], t.list = p, append(t.list, p)
	p.text, p.place = t.extents.Text(n)
	seen := map[ast.Node]bool{}
	for _, below := range below(n) {
		if !seen[below] {
			seen[below] = true
			p.children = append(p.children, t.shownAs(below, depth)...)
		}
	}
	return p
}

// below returns the nodes that are shown below a node.
func below(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.MemberNode:
		base, keys := lang.ConstantSteps(n)
		if len(keys) > 0 {
			return unlessPlain(base)
		}
		return append(unlessPlain(n.Node), n.Property)
	case *ast.CallNode:
		return n.Arguments
	case *ast.UnaryNode:
		// Both nodes of not in have the same place: they were written as one.
		if inner, ok := n.Node.(*ast.BinaryNode); ok && n.Location() == inner.Location() {
			return lang.Children(inner)
		}
	case *ast.BinaryNode:
		if lang.IsAnd(n) || lang.IsOr(n) || n.Operator == "+" {
			return append(operands(n.Left, n), n.Right)
		}
	}
	return lang.Children(n)
}

// unlessPlain leaves out a base that shows no more than the field that is read from it.
func unlessPlain(base ast.Node) []ast.Node {
	switch base.(type) {
	case *ast.IdentifierNode, *ast.PointerNode:
		return nil
	}
	return []ast.Node{base}
}

// operands returns the operands of a row of &&, of || or of +, as in the operation of.
func operands(n ast.Node, of *ast.BinaryNode) []ast.Node {
	binary, ok := n.(*ast.BinaryNode)
	if ok && (lang.IsAnd(of) && lang.IsAnd(binary) || lang.IsOr(of) && lang.IsOr(binary) ||
		of.Operator == "+" && binary.Operator == "+") {
		return append(operands(binary.Left, of), binary.Right)
	}
	return []ast.Node{n}
}

// isConstant reports whether a node consists of constants.
func isConstant(n ast.Node) bool {
	switch n.(type) {
	case *ast.NilNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode,
		*ast.BytesNode, *ast.ConstantNode:
		return true
	case *ast.UnaryNode, *ast.BinaryNode, *ast.ArrayNode, *ast.MapNode, *ast.PairNode:
		return !slices.ContainsFunc(lang.Children(n), func(child ast.Node) bool {
			return !isConstant(child)
		})
	}
	return false
}

// step returns a recorded part of the evaluation of an event as it is handed out.
func (p *part) step(expression lang.Expression, ev *event.Event) Step {
	s := Step{
		Text: p.text, Line: p.place.Line + max(0, expression.Line-1), Column: p.place.Column +
			max(0, expression.Column-1),
		Evaluated: p.runs > 0, Runs: p.runs,
	}
	for _, r := range p.first {
		s.add(r, p.depth)
	}
	if p.runs > len(p.first) {
		s.add(p.last, p.depth)
	}
	for _, child := range p.children {
		s.Children = append(s.Children, child.step(expression, ev))
	}
	s.Children = append(s.Children, changedSteps(s, p.changed, ev)...)
	if p.became && s.is("false") && len(s.Children) == 1 && s.Children[0].is("true") {
		s.Note = "it was true of old, too"
	}
	return s
}

// is reports whether a part was evaluated once, with that value.
func (s *Step) is(value string) bool {
	return s.Runs == 1 && len(s.Values) == 1 && s.Values[0] == value
}

// calls reports whether a node is a call of a function.
func calls(n ast.Node, function string) bool {
	call, ok := n.(*ast.CallNode)
	return ok && lang.IsName(call.Callee, function)
}

func (s *Step) add(r recorded, depth int) {
	text := ""
	for _, item := range r.at[:depth] {
		text += fmt.Sprintf("[%d]", item)
	}
	if depth > 0 {
		text += " "
	}
	whole := text + valueText(r.value, wholeValue)
	if len(s.Whole) > 0 && s.Whole[len(s.Whole)-1] == whole {
		return // a in 1 < a < 9 has one value
	}
	s.Values, s.Whole = append(s.Values, text+shortValue(r.value)), append(s.Whole, whole)
}
