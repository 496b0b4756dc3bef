package lang

import (
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

// Extents finds the text that each node was written as. expr keeps one token of a node. The
// others are those between its parts, and the brackets that belong to them.
type Extents struct {
	source string
	text   []rune // of the source
	tokens []lexer.Token
	at     map[int]int // the token that begins at a character
	pair   []int       // the token of the other bracket, or the token itself
	found  map[ast.Node]extent
}

// extent is from the first to the last token; none if last is before first.
type extent struct{ first, last int }

var nowhere = extent{0, -1}

// NewExtents returns the extents of an expression.
func NewExtents(source string) *Extents {
	tokens, _ := lexer.Lex(file.NewSource(source)) // it was read before
	x := &Extents{source: source, text: []rune(source), tokens: tokens, at: map[int]int{},
		pair: make([]int, len(tokens)), found: map[ast.Node]extent{}}
	var open []int
	for i, token := range tokens {
		x.at[token.From], x.pair[i] = i, i
		if token.Kind != lexer.Bracket {
			continue
		}
		switch token.Value {
		case "(", "[", "{":
			open = append(open, i)
		default:
			if len(open) > 0 {
				other := open[len(open)-1]
				open = open[:len(open)-1]
				x.pair[i], x.pair[other] = other, i
			}
		}
	}
	return x
}

// Text returns the text that a node was written as, and its place in the expression.
func (x *Extents) Text(n ast.Node) (string, Position) {
	from, text := n.Location().From, ""
	if e := x.of(n); e.first <= e.last {
		from = x.tokens[e.first].From
		text = string(x.text[from:x.tokens[e.last].To])
	} else {
		text = n.String()
	}
	place, _ := Expression{Text: x.source}.at(from)
	return text, place
}

func (x *Extents) of(n ast.Node) extent {
	if e, ok := x.found[n]; ok {
		return e
	}
	e := x.own(n)
	for _, child := range Children(n) {
		e = e.and(x.of(child))
	}
	if e.first <= e.last {
		e = x.whole(n, x.closed(e))
	}
	x.found[n] = e
	return e
}

// own returns the token that expr keeps of a node.
func (x *Extents) own(n ast.Node) extent {
	switch n.(type) {
	case *ast.ConditionalNode, *ast.SequenceNode: // none, or one of another node
		return nowhere
	}
	i, ok := x.at[n.Location().From]
	if !ok {
		return nowhere
	}
	return extent{i, i}
}

func (e extent) and(other extent) extent {
	switch {
	case e.first > e.last:
		return other
	case other.first > other.last:
		return e
	}
	return extent{min(e.first, other.first), max(e.last, other.last)}
}

// closed extends an extent to the other bracket of each bracket in it.
func (x *Extents) closed(e extent) extent {
	for i := e.first; i <= e.last; i++ {
		if other := x.pair[i]; other > e.last {
			e.last = other
		} else if other < e.first {
			e.first, i = other, other
		}
	}
	return e
}

// whole extends an extent to the words and brackets around the parts of a node.
func (x *Extents) whole(n ast.Node, e extent) extent {
	switch n := n.(type) {
	case *ast.CallNode, *ast.BuiltinNode: // name(…), also with a list before it: list | name(…)
		if i, ok := x.at[n.Location().From]; ok && x.is(i+1, "(") {
			e = x.closed(e.and(extent{i, i + 1}))
		}
		if x.is(e.first-1, "::") {
			e.first--
		}
	case *ast.PointerNode:
		if n.Name != "" && e.last+1 < len(x.tokens) {
			e.last++
		}
	case *ast.VariableDeclaratorNode:
		if x.is(e.first-1, "let") {
			e.first--
		}
	case *ast.ConditionalNode:
		if n.Ternary {
			break
		}
		for x.is(e.first-1, "(") {
			e = x.closed(extent{e.first - 1, e.last})
		}
		if x.is(e.first-1, "if") {
			e.first--
		}
		if brace := x.of(n.Exp2).first - 1; x.is(brace, "{") {
			e = x.closed(e.and(extent{brace, brace}))
		}
	}
	return e
}

func (x *Extents) is(i int, value string) bool {
	return i >= 0 && i < len(x.tokens) && x.tokens[i].Value == value &&
		x.tokens[i].Kind != lexer.String
}
