package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/wording"
)

// verdict is what was found in a configuration.
type verdict struct {
	File                      string
	Listeners, Outputs        int
	Strict                    bool // warnings are mistakes
	Mistakes, Warnings, Notes config.Errors
}

// warned adds a warning.
func (v *verdict) warned(w config.Error) { v.Warnings = append(v.Warnings, w) }

// noted adds a note.
func (v *verdict) noted(n config.Error) { v.Notes = append(v.Notes, n) }

// inOrder sorts warnings or notes by file, and within a file by place.
func inOrder(all config.Errors) {
	files := map[string]int{}
	for _, w := range all {
		if _, seen := files[w.File]; !seen {
			files[w.File] = len(files)
		}
	}
	slices.SortStableFunc(all, func(a, b config.Error) int {
		return cmp.Or(cmp.Compare(files[a.File], files[b.File]), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column))
	})
}

// valid reports whether there is nothing wrong.
func (v *verdict) valid() bool {
	return len(v.Mistakes) == 0 && (!v.Strict || len(v.Warnings) == 0)
}

func (v *verdict) write(asJSON bool, stdout, stderr io.Writer) error {
	if asJSON {
		return v.writeJSON(stdout)
	}
	writeMistakes(stderr, v.Mistakes, "")
	writeMistakes(stderr, v.Warnings, "warning: ")
	if len(v.Mistakes) > 0 {
		return nil
	}
	writeMistakes(stderr, v.Notes, "note: ")
	if !v.valid() {
		_, err := fmt.Fprintf(stdout, "%s has %s\n", v.File, wording.Count(len(v.Warnings), "warning"))
		return err
	}
	_, err := fmt.Fprintf(stdout, "%s is valid: %s, %s\n", v.File, wording.Count(v.Listeners, "listener"),
		wording.Count(v.Outputs, "output"))
	return err
}

// writeMistakes writes each mistake with its place first, as editors expect it, then word.
func writeMistakes(w io.Writer, mistakes config.Errors, word string) {
	for _, m := range mistakes {
		if m.File == "" {
			fmt.Fprint(w, "informerd: ")
		}
		m.Message = word + m.Message
		fmt.Fprintln(w, m)
	}
}

// finding is one mistake, warning or note of validate, as JSON.
type finding struct {
	Severity string `json:"severity"` // error, warning or note
	config.Error
}

func findings(severity string, errs config.Errors) []finding {
	all := make([]finding, len(errs))
	for i, e := range errs {
		all[i] = finding{severity, e}
	}
	return all
}

// writeJSON writes one object.
func (v *verdict) writeJSON(w io.Writer) error {
	all := append(findings("error", v.Mistakes), findings("warning", v.Warnings)...)
	all = append(all, findings("note", v.Notes)...)
	return wording.WriteJSON(w, struct {
		File      string    `json:"file"`
		Valid     bool      `json:"valid"`
		Listeners int       `json:"listeners"`
		Outputs   int       `json:"outputs"`
		Findings  []finding `json:"findings"`
	}{v.File, v.valid(), v.Listeners, v.Outputs, all}, "")
}
