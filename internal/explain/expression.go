package explain

import "github.com/informerd/informerd/pkg/filters"

// expression is an evaluated expression as JSON.
type expression struct {
	Text    string `json:"text"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Matched *bool  `json:"matched,omitempty"` // of a condition, unless it failed
	Value   string `json:"value,omitempty"`
	Error   string `json:"error,omitempty"`
	Note    string `json:"note,omitempty"`
	Parts   []part `json:"parts,omitempty"`
}

// part is a part of an expression. Its values are JSON or similar, of at most 10,000 characters;
// several are those of the first two runs and of the last one, each with the index of the item.
type part struct {
	Text    string   `json:"text"`
	Values  []string `json:"values,omitempty"`
	Runs    int      `json:"runs,omitempty"` // if more than one
	Skipped bool     `json:"skipped,omitempty"`
	Note    string   `json:"note,omitempty"`
	Parts   []part   `json:"parts,omitempty"`
}

func expressionOf(x filters.Explanation) *expression {
	e := &expression{Text: x.Root.Text, Line: x.Root.Line, Column: x.Root.Column, Value: x.Value,
		Note: x.Root.Note, Parts: parts(x.Root)}
	last := len(x.Root.Whole) - 1
	if last >= 0 && x.Value == x.Root.Values[last] {
		e.Value = x.Root.Whole[last] // else it is a text, without quotes
	}
	switch {
	case x.Err != nil:
		e.Error = x.Err.Error()
	case last >= 0 && (x.Root.Values[last] == "true" || x.Root.Values[last] == "false"):
		e.Matched, e.Value = &x.Matched, ""
	}
	return e
}

func parts(s filters.Step) (all []part) {
	for _, child := range s.Children {
		p := part{Text: child.Text, Values: child.Whole, Note: child.Note,
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
