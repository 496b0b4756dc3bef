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
	return s.withHabit(offset, whole, name, args, message)
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
	if args, end := s.arguments(offset + len([]rune(name))); end > 0 {
		if _, known := habits.Table[strings.ToLower(name)]; known {
			return s.withHabit(offset, lang.Fix{From: offset, To: end}, name, args, message)
		}
	}
	end := offset + len([]rune(name))
	if near := nearestOf(name, s.Kind.Functions()); near != "" {
		return s.Proposed(offset, &lang.Fix{From: offset, To: end, Text: near},
			"%s; did you mean %q?", message, near)
	}
	return s.CompileError(offset, "%s; docs/filters.md has a table of all functions", message)
}

// arguments returns the texts between the brackets that open at offset, and where the
// brackets end; 0 if they do not.
func (s draft) arguments(offset int) (args []string, end int) {
	text := []rune(s.Text)
	for offset < len(text) && text[offset] == ' ' {
		offset++
	}
	if offset >= len(text) || text[offset] != '(' {
		return nil, 0
	}
	depth, from := 0, offset+1
	for i := offset; i < len(text); i++ {
		switch r := text[i]; r {
		case '"', '\'', '`':
			for i++; i < len(text) && text[i] != r; i++ {
				if text[i] == '\\' && r != '`' {
					i++
				}
			}
		case '(', '[', '{':
			depth++
		case ',':
			if depth == 1 {
				args = append(args, strings.TrimSpace(string(text[from:i])))
				from = i + 1
			}
		case ')', ']', '}':
			if depth--; depth == 0 {
				if last := strings.TrimSpace(string(text[from:i])); last != "" || len(args) > 0 {
					args = append(args, last)
				}
				return args, i + 1
			}
		}
	}
	return nil, 0
}

// withHabit adds to a message what to write instead of a function or method with these
// arguments.
func (s draft) withHabit(offset int, at lang.Fix, name string, args []string,
	message string) *lang.CompileError {
	h := habits.Table[strings.ToLower(name)]
	switch {
	case h.Write == "" && h.Note == "":
		return s.CompileError(offset, "%s", message)
	case h.Write == "":
		return s.CompileError(offset, "%s; %s", message, h.Note)
	case h.Args == len(args) || h.Item && len(args) == 3:
		if len(args) == 3 && h.Item {
			args = []string{args[0], habits.OfItem(args[2], args[1])}
		}
		at.Text = h.Fill(args)
		for _, text := range []string{at.Text, "(" + at.Text + ")"} {
			at.Text = text
			if at.To > at.From && s.mends(at, at.From) && !bindsLoosely(s.Text, at, h) {
				e := s.Proposed(offset, &at, "%s; write %s", message, text)
				e.General = message + "; write " + h.Example()
				return e
			}
		}
	}
	return s.CompileError(offset, "%s; write %s", message, h.Example())
}

// bindsLoosely reports whether an operator before or after the place would bind more tightly
// than the new text.
func bindsLoosely(text string, at lang.Fix, h habits.Habit) bool {
	if strings.HasPrefix(at.Text, "(") || !strings.Contains(h.Write, " ") ||
		strings.HasSuffix(h.Write, ")") && !strings.HasPrefix(h.Write, "(") {
		return false
	}
	runes := []rune(text)
	before, behind := strings.TrimSpace(string(runes[:at.From])),
		strings.TrimSpace(string(runes[min(at.To, len(runes)):]))
	loose := func(text string, edge func(string, string) bool) bool {
		if text == "" {
			return true
		}
		for _, word := range []string{"&&", "||", "and", "or", "(", ")", ",", ";", "?", ":", "{",
			"}"} {
			if edge(text, word) {
				return true
			}
		}
		return false
	}
	return !loose(before, strings.HasSuffix) || !loose(behind, strings.HasPrefix)
}

// propose refuses a node and proposes what to write instead.
func (in *inspector) propose(n ast.Node, write, format string, args ...any) error {
	e := in.draft.CompileError(n.Location().From, format, args...)
	if at := n.Location(); at.To > at.From {
		e.Fix = &lang.Fix{From: at.From, To: at.To, Text: write}
	}
	return e
}
