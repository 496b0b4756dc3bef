package verdict

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/informerd/informerd/internal/config"
)

// Formats are what Write takes, the usual one first.
var Formats = []string{"text", "json", "github"}

// Verdict is what was found in a configuration.
type Verdict struct {
	File                      string
	Listeners, Outputs        int
	Strict                    bool // warnings are mistakes
	Mistakes, Warnings, Notes config.Errors
	Roles                     string // that would grant the missing rights
}

// Warned adds a warning.
func (v *Verdict) Warned(w config.Error) { v.Warnings = append(v.Warnings, w) }

// Noted adds a note.
func (v *Verdict) Noted(n config.Error) { v.Notes = append(v.Notes, n) }

// InOrder sorts the warnings and the notes by file, and within a file by place.
func (v *Verdict) InOrder() {
	inOrder(v.Warnings)
	inOrder(v.Notes)
}

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

// Valid reports whether there is nothing wrong.
func (v *Verdict) Valid() bool {
	return len(v.Mistakes) == 0 && (!v.Strict || len(v.Warnings) == 0)
}

// Write writes the verdict in one of Formats.
func (v *Verdict) Write(format string, stdout, stderr io.Writer) error {
	switch format {
	case "json":
		return v.writeJSON(stdout)
	case "github":
		return v.writeGitHub(stdout)
	}
	return v.writeText(stdout, stderr)
}

func (v *Verdict) writeText(stdout, stderr io.Writer) error {
	WriteMistakes(stderr, v.Mistakes, "")
	WriteMistakes(stderr, v.Warnings, "warning: ")
	if v.Roles != "" {
		fmt.Fprintf(stderr, "\nThese roles would grant the missing rights, once they are bound to the account. informerd rbac prints all that the\nconfiguration needs.\n\n%s", v.Roles)
	}
	if len(v.Mistakes) > 0 {
		return nil
	}
	WriteMistakes(stderr, v.Notes, "note: ")
	if !v.Valid() {
		_, err := fmt.Fprintf(stdout, "%s has %s\n", v.File, count(len(v.Warnings), "warning"))
		return err
	}
	_, err := fmt.Fprintf(stdout, "%s is valid: %s, %s\n", v.File, count(v.Listeners, "listener"),
		count(v.Outputs, "output"))
	return err
}

// count returns a number with its noun: 1 listener, 2 listeners.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// WriteMistakes writes each mistake with its place first, as editors expect it, then word.
func WriteMistakes(w io.Writer, mistakes config.Errors, word string) {
	for _, m := range mistakes {
		if m.File == "" {
			fmt.Fprint(w, "informerd: ")
		}
		m.Message = word + m.Message
		fmt.Fprintln(w, m)
	}
}
