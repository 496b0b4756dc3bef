package migrate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/informerd/informerd/internal/config/document"
)

// Level is how much a finding matters.
type Level string

const (
	// Lost is a setting that changes what the tool does, and is not in the result.
	Lost Level = "lost"
	// Differs is a setting that is in the result, and does not do quite the same.
	Differs Level = "differs"
	// Note is a setting that has no effect, is not needed, or belongs elsewhere.
	Note Level = "note"
)

// Finding is something of the original that is not in the result as it was.
type Finding struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Level  Level  `json:"level"`
	// Field is the path of the setting in the document that it is part of.
	Field string `json:"field,omitempty"`
	// Message says what does not map and why, and what to do if anything can be done.
	Message string `json:"message"`
}

// String returns the finding as one line, with the place first.
func (f Finding) String() string {
	text := document.Shown(f.File)
	if f.Line > 0 {
		text += fmt.Sprintf(":%d:%d", f.Line, f.Column)
	}
	text += ": " + string(f.Level) + ": "
	if f.Field != "" {
		text += f.Field + ": "
	}
	return text + f.Message
}

// Placeholder is what the result needs before it runs as it is meant.
type Placeholder struct {
	// Name is an environment variable, or an output of the result.
	Name string `json:"name"`
	Kind string `json:"kind"` // variable or output
	// Message says what it is for.
	Message string `json:"message"`
}

// Report says how much of the original is in the result.
type Report struct {
	From         Peer          `json:"from"`
	Findings     []Finding     `json:"findings"`
	Placeholders []Placeholder `json:"placeholders"`
	// Empty: nothing is left that informerd could run, so there is no configuration.
	Empty bool `json:"empty,omitempty"`
}

// Has reports whether there is a finding of the level.
func (r *Report) Has(level Level) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Level == level })
}

func (r *Report) count(level Level) (n int) {
	for _, f := range r.Findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

// sort orders the findings by place, files as they were read, and removes those that occur twice.
func (r *Report) sort(files []Source) {
	at := map[string]int{}
	for i, f := range files {
		at[f.File] = i
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(at[a.File], at[b.File]), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column))
	})
	seen := map[Finding]bool{}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		twice := seen[f]
		seen[f] = true
		return twice
	})
}

// WriteText writes the report for people: one line for each finding.
func (r *Report) WriteText(w io.Writer) error {
	for _, f := range r.Findings {
		if _, err := fmt.Fprintln(w, f); err != nil {
			return err
		}
	}
	for _, p := range r.Placeholders {
		if _, err := fmt.Fprintf(w, "before you run it: %s %s: %s\n", p.Kind, p.Name,
			p.Message); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, r.summary())
	return err
}

func (r *Report) summary() string {
	lost, differs := r.count(Lost), r.count(Differs)
	text := "converted from " + string(r.From) + ": "
	if r.Empty {
		text = "nothing of it can be converted from " + string(r.From) + ", and nothing is written: "
	}
	if lost == 0 && differs == 0 && !r.Empty {
		return text + "all of it"
	}
	return text + fmt.Sprintf("%d lost, %d with a difference", lost, differs)
}

// WriteJSON writes the report as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	if r.Placeholders == nil {
		r.Placeholders = []Placeholder{}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
