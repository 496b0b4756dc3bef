package answer

import "github.com/informerd/informerd/pkg/filters"

// Expression is an evaluated expression.
type Expression struct {
	Is      string   `json:"is,omitempty"` // deny, of the old object
	Text    string   `json:"text"`
	Line    int      `json:"line,omitempty"`
	Column  int      `json:"column,omitempty"`
	Matched *bool    `json:"matched,omitempty"` // of a condition, unless it failed
	Value   string   `json:"value,omitempty"`
	Error   string   `json:"error,omitempty"`
	Missing []string `json:"missing,omitempty"` // informers whose objects it depends on
	Note    string   `json:"note,omitempty"`
	Parts   []Part   `json:"parts,omitempty"`
}

// Part is a part of an expression. Its values are JSON or similar, of at most 10,000 characters;
// several are those of the first two runs and of the last one, each with the index of the item.
type Part struct {
	Text    string   `json:"text"`
	Values  []string `json:"values,omitempty"`
	Runs    int      `json:"runs,omitempty"` // if more than one
	Skipped bool     `json:"skipped,omitempty"`
	Note    string   `json:"note,omitempty"`
	Parts   []Part   `json:"parts,omitempty"`
}

// NewExpression returns an evaluated expression, with what it is.
func NewExpression(is string, x filters.Explanation) *Expression {
	e := &Expression{Is: is, Text: x.Root.Text, Line: x.Root.Line, Column: x.Root.Column,
		Value: x.Value, Note: x.Root.Note, Parts: parts(x.Root)}
	if last := len(x.Root.Whole) - 1; last >= 0 && x.Value == x.Root.Values[last] {
		e.Value = x.Root.Whole[last] // else it is a text, without quotes
	}
	if x.Err != nil {
		e.Error = x.Err.Error()
		return e
	}
	if last := len(x.Root.Values) - 1; last >= 0 && // else it is a text, in quotes
		(x.Root.Values[last] == "true" || x.Root.Values[last] == "false") {
		e.Matched, e.Value = &x.Matched, ""
	}
	return e
}

func parts(s filters.Step) (all []Part) {
	for _, child := range s.Children {
		p := Part{Text: child.Text, Values: child.Whole, Note: child.Note,
			Skipped: !child.Evaluated}
		if child.Runs > 1 {
			p.Runs = child.Runs
		}
		if child.Evaluated {
			p.Parts = parts(child)
		}
		all = append(all, p)
	}
	return all
}
