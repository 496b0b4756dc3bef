package document

import (
	"encoding/json"

	"github.com/informerd/informerd/pkg/filters"
)

// Expression is the text of an expression and the place of its first character, so that mistakes in
// it can be shown where they stand. The zero Expression is none.
type Expression struct {
	Text string
	File string
	// Line and Column count from 1. Lines of a literal block (|) follow one another in the file as
	// they do in Text.
	Line, Column int
	// Comment is what YAML took for a comment behind the text, which may have been meant as a part
	// of it.
	Comment string

	positions *[]filters.Position // nil: characters follow one another as in Text
}

// Positions are where each of Text's characters is, and its end, if that does not follow from Line
// and Column.
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
