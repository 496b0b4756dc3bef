package document

import (
	"encoding/json"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/informerd/informerd/pkg/filters"
)

// Expression is the text of an expression with the place of its first character, so that mistakes
// in it have their places. The zero Expression is none.
type Expression struct {
	Text string
	File string
	// Line and Column count from 1. Lines of a literal block (|) follow one another in the file as
	// they do in Text.
	Line, Column int
	// Comment is what YAML took for a comment after the text. It may have been meant as a part of
	// the text.
	Comment string

	positions *[]filters.Position // nil: characters follow one another as in Text
}

// Positions returns where each character of Text is, and its end. It is nil if that follows from
// Line and Column.
func (e Expression) Positions() []filters.Position {
	if e.positions == nil {
		return nil
	}
	return *e.positions
}

// IsZero reports whether there is no expression.
func (e Expression) IsZero() bool { return e.Text == "" }

// MarshalJSON returns the text.
func (e Expression) MarshalJSON() ([]byte, error) { return json.Marshal(e.Text) }

func (d *decoder) expression(n *yaml.Node, into *Expression, path string) {
	if !d.scalar(n, path, "!!str", "a string") {
		return
	}
	*into = Expression{Text: n.Value, File: d.file, Line: n.Line, Column: n.Column}
	if n.Style == 0 {
		into.Comment = n.LineComment
	}
	if continuation.MatchString(into.Comment) {
		d.Warn(placeOf(n), path, `%s ends before " #", where YAML begins a comment: %s`, path,
			Quote(into.Comment))
	}
	if all := d.positions(n, n.Value); all != nil {
		into.positions = &all
	}
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		into.Line, into.Column = n.Line+1, d.blockIndent(n.Line, n.Value)+1
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		into.Column++
	}
	d.locate(into)
}

// continuation matches a comment that reads as the rest of an expression.
var continuation = regexp.MustCompile(`^#+\s*(&&|\|\||and\b|or\b|in\b|[=!<>]=?|[-+)\]?:])`)

// locate makes the places of an expression those in its file.
func (d *decoder) locate(x *Expression) {
	file, at := d.Located(Place{Line: x.Line})
	moved := x.Line - at.Line
	x.File, x.Line = file, at.Line
	if x.positions != nil {
		for i := range *x.positions {
			(*x.positions)[i].Line -= moved
		}
	}
}

// blockIndent returns how far the text of a block scalar is indented. It compares the first line
// that is not blank in the file, after the header, with that of the text.
func (d *decoder) blockIndent(header int, text string) int {
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			for _, source := range d.lines[min(header, len(d.lines)):] {
				if strings.TrimSpace(source) != "" {
					return max(0, leadingSpaces(source)-leadingSpaces(line))
				}
			}
		}
	}
	return 0
}
