package document

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/informerd/informerd/pkg/filters"
)

// positions finds where each character of a scalar is in the file, for those whose lines are not
// the lines of the file: folded, or in quotes with escapes. It returns nil for others. If the text
// cannot be found, everything is at its beginning.
func (d *decoder) positions(n *yaml.Node, text string) []filters.Position {
	switch {
	case n.Style&yaml.LiteralStyle != 0:
		return nil
	case n.Style&(yaml.FoldedStyle|yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 &&
		d.onLine(n, text):
		return nil
	}
	a := &aligner{lines: d.lines, line: n.Line - 1, style: n.Style}
	switch {
	case n.Style&yaml.FoldedStyle != 0:
		a.indent = math.MaxInt
		a.nextLine()
		a.indent = a.column
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		a.column = n.Column
	default:
		a.column = n.Column - 1
	}
	var all []filters.Position
	for _, r := range text {
		at, ok := a.next(r)
		if !ok {
			return slices.Repeat([]filters.Position{{Line: n.Line, Column: n.Column}},
				len([]rune(text))+1)
		}
		all = append(all, at)
	}
	all = append(all, filters.Position{Line: a.line + 1, Column: a.column + 1})
	for i, at := range all {
		if at.Line != all[0].Line || at.Column != all[0].Column+i {
			return all
		}
	}
	return nil // they follow one another
}

// onLine reports whether a plain scalar is on one line.
func (d *decoder) onLine(n *yaml.Node, text string) bool {
	if n.Line < 1 || n.Line > len(d.lines) {
		return true
	}
	line := []rune(d.lines[n.Line-1])
	return n.Column-1 <= len(line) && strings.HasPrefix(string(line[n.Column-1:]), text)
}

// aligner walks the lines of a file and the text that YAML reads from them at the same time. Here
// the text of a folded scalar is "a && b", and its second space is the line break in the file:
//
//	line 7: deny: >          text   a    ' '  &    &    ' '  b
//	line 8:   a &&           place  8:3  8:4  8:5  8:6  8:7  9:3
//	line 9:   b
//
// Invariant: each character of the text is where the file has it. Line and column count from 0.
type aligner struct {
	lines        []string
	line, column int
	style        yaml.Style
	start        int // where the text of the line begins
	indent       int // of a folded scalar: what follows it on a line is text
	blank        int // lines that were passed, each of which may still be a line break of the text
}

func (a *aligner) rest() string {
	if a.line >= len(a.lines) {
		return ""
	}
	rest := a.lines[a.line]
	for range a.column {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	return strings.TrimRight(rest, "\r")
}

// nextLine moves to the next line that is not blank.
func (a *aligner) nextLine() {
	a.blank = 0
	for a.line++; a.line < len(a.lines) && a.empty(a.lines[a.line]); a.line++ {
		a.blank++
	}
	a.column = 0
	if a.line < len(a.lines) {
		a.column = leadingSpaces(a.lines[a.line])
		if a.style&yaml.FoldedStyle != 0 {
			a.column = min(a.column, a.indent)
		}
	}
	a.start = a.column
}

// empty reports whether a line has no text. Spaces behind the indentation of a folded scalar are
// text.
func (a *aligner) empty(line string) bool {
	return strings.TrimSpace(line) == "" &&
		(a.style&yaml.FoldedStyle == 0 || len(strings.TrimRight(line, "\r")) <= a.indent)
}

// next takes one character of the text.
func (a *aligner) next(r rune) (at filters.Position, ok bool) {
	rest := a.rest()
	if a.style&yaml.DoubleQuotedStyle != 0 && rest == `\` { // the line continues
		a.nextLine()
		rest = a.rest()
	}
	at = filters.Position{Line: a.line + 1, Column: a.column + 1}
	// a folded line keeps its last spaces
	blank := rest == "" || a.style&yaml.FoldedStyle == 0 && strings.TrimSpace(rest) == ""
	switch {
	case r == '\n' && a.column > 0 && !blank && a.atStart() && a.blank > 0:
		a.blank--
		return at, true
	case (r == ' ' || r == '\n') && blank:
		a.nextLine()
		if a.style&yaml.FoldedStyle == 0 {
			a.blank = max(0, a.blank-1) // r was the first of the breaks
		}
		return at, a.line <= len(a.lines)
	case rest == "":
		return at, false
	}
	got, _ := utf8.DecodeRuneInString(rest)
	switch {
	case a.style&yaml.DoubleQuotedStyle != 0 && got == '\\':
		a.column += escapeLength(rest)
	case a.style&yaml.SingleQuotedStyle != 0 && strings.HasPrefix(rest, "''"):
		a.column += 2
	default:
		a.column++
		return at, got == r
	}
	return at, true
}

// atStart reports whether nothing of the line was taken yet.
func (a *aligner) atStart() bool { return a.column == a.start }

// escapeLength is how many characters an escape has.
func escapeLength(text string) int {
	if len(text) < 2 {
		return 1
	}
	switch text[1] {
	case 'x':
		return 4
	case 'u':
		return 6
	case 'U':
		return 10
	}
	return 2
}
