package document

import (
	"encoding/json"

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
