package check

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/syntax"
)

var (
	lookaround = regexp.MustCompile(`\(\?<?[=!]`)
	backtrack  = regexp.MustCompile(`\\[1-9]`)
	notAtBegin = regexp.MustCompile(`^\^\(\?!([^()]*)\)(?:\.[*+]\$?)?$`)
)

// pattern refuses a regular expression, and says what to write in place of one of other languages.
func (in *inspector) pattern(n *ast.BinaryNode, text *ast.StringNode, err error) error {
	if e := in.draft.globMeant(n, text); e != nil {
		return e
	}
	switch {
	case !lookaround.MatchString(text.Value) && backtrack.MatchString(text.Value):
		return in.errorf(text, "%v; there are no references to groups, such as \\1", err)
	case !lookaround.MatchString(text.Value):
		return in.errorf(text, "%v", err)
	}
	const message = "regular expressions have no lookahead and no lookbehind, (?!…) and the like"
	found := notAtBegin.FindStringSubmatch(text.Value)
	texts := nodes.NewExtents(in.draft.Text)
	if at, whole := texts.Span(n); found != nil && whole && !strings.Contains(found[1], "$") {
		pattern := "^" + found[1]
		if strings.Contains(pattern, "|") {
			pattern = "^(" + found[1] + ")"
		}
		at.Text = written(texts, n.Left) + " not matches " + strconv.Quote(pattern)
		if syntax.BindsLoosely(in.draft.Text, at, habits.Habit{Write: "$0 not matches $1"}) {
			at.Text = "(" + at.Text + ")"
		}
		if in.draft.Mends(at, at.From) {
			return in.draft.Proposed(text.Location().From, &at, message+"; write %s", at.Text)
		}
	}
	return in.errorf(text, message+
		`; write not (… matches "…") for what must not be, and && between several patterns`)
}

// globMeant answers a pattern of a shell, which begins with what would repeat something, nil if it
// is none.
func (s draft) globMeant(n *ast.BinaryNode, text *ast.StringNode) error {
	texts := nodes.NewExtents(s.Text)
	at, whole := texts.Span(n)
	at.Text = "glob(" + written(texts, text) + ", " + written(texts, n.Left) + ")"
	if !whole || !shellPattern.MatchString(text.Value) ||
		strings.Contains(written(texts, n), " not matches") {
		return nil
	}
	return s.Proposed(text.Location().From, &at,
		"in a regular expression * repeats what is before it; write %s", at.Text)
}

// shellPattern begins with a *, and has nothing that only a regular expression has.
var shellPattern = regexp.MustCompile(`^\*[\w./:*-]*$`)

// controls warns about a control character in a pattern: "\b" in quotes is a backspace, and the end
// of a word is "\\b".
func (c *schemaCheck) controls(n *ast.BinaryNode) {
	text, ok := n.Right.(*ast.StringNode)
	if !ok || n.Operator != "matches" || !strings.Contains(text.Value, "\b") {
		return
	}
	c.warnf(text, `\b in quotes is a backspace; in a regular expression a backslash is written twice: \\b`)
}
