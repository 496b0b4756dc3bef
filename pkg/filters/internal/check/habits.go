package check

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// method refuses a method and proposes what to write instead.
func (in *inspector) method(n *ast.CallNode) error {
	s := in.draft
	plural := s.Kind.Word().Plural
	callee, ok := n.Callee.(*ast.MemberNode)
	if chain, isChain := n.Callee.(*ast.ChainNode); isChain {
		callee, ok = chain.Node.(*ast.MemberNode)
	}
	name, named := "", false
	if ok {
		var key *ast.StringNode
		if key, named = callee.Property.(*ast.StringNode); named {
			name = key.Value
		}
	}
	if !named {
		return in.errorf(n, "methods are not available in %s", plural)
	}
	texts := nodes.NewExtents(s.Text)
	args := []string{written(texts, callee.Node)}
	if habits.OfKeys[strings.ToLower(name)] && len(n.Arguments) == 1 {
		_, ofText := n.Arguments[0].(*ast.StringNode)
		if _, keys := nodes.ConstantSteps(callee.Node); ofText && habits.HasKeys(keys) {
			name = "haskey"
		}
	}
	for _, arg := range n.Arguments {
		args = append(args, written(texts, arg))
	}
	offset := n.Location().From
	whole, ok := texts.Span(n)
	message := fmt.Sprintf("methods are not available in %s", plural)
	if !ok {
		whole = lang.Fix{From: offset, To: offset}
	}
	return s.WithHabit(offset, whole, name, args, message)
}

func written(x *nodes.Extents, n ast.Node) string {
	text, _ := x.Text(n)
	return text
}

// unknownFunction returns the mistake of an unknown function, called at offset, with what
// may have been meant.
func (s draft) unknownFunction(name string, offset int) *lang.CompileError {
	message := fmt.Sprintf("unknown function %q", name)
	if _, exists := builtin.Index[name]; exists {
		message = fmt.Sprintf("the function %s is not available in %s", name, s.Kind.Word().Plural)
	}
	if args, end := s.Arguments(offset + len([]rune(name))); end > 0 {
		if _, known := habits.Table[strings.ToLower(name)]; known {
			return s.WithHabit(offset, lang.Fix{From: offset, To: end}, name, args, message)
		}
	}
	end := offset + len([]rune(name))
	if near := nearestOf(name, s.Kind.Functions()); near != "" {
		return s.Proposed(offset, &lang.Fix{From: offset, To: end, Text: near},
			"%s; did you mean %q?", message, near)
	}
	return s.CompileError(offset, "%s; docs/filters.md has a table of all functions", message)
}

// propose refuses a node and proposes what to write instead.
func (in *inspector) propose(n ast.Node, write, format string, args ...any) error {
	e := in.draft.CompileError(n.Location().From, format, args...)
	if at := n.Location(); at.To > at.From {
		e.Fix = &lang.Fix{From: at.From, To: at.To, Text: write}
	}
	return e
}
