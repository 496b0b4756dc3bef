package document

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/wording"
)

// Error is one mistake in a file.
type Error struct {
	File string `json:"file,omitempty"`
	// Line and Column count from 1; 0 is an unknown place.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Field is the path of the field in the file, as in listeners.crash-loops.resync, or
	// rules[0].deny in a policy file. It is empty for a mistake in the text as a whole.
	Field string `json:"field,omitempty"`
	// Message says what is wrong. It names the field.
	Message string `json:"message"`
	// Hint says what to do. It may be empty.
	Hint string `json:"hint,omitempty"`
	// Snippet is a line of an expression, with a caret below the mistake. It may be empty.
	Snippet string `json:"snippet,omitempty"`
	// Absent reports that nothing is wrong with the file: what it names is not on this machine, or
	// costs something.
	Absent bool `json:"-"`
}

// Error returns file:line:column: message; hint, and below it the snippet.
func (e Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(Shown(e.File))
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
			if e.Column > 0 {
				fmt.Fprintf(&b, ":%d", e.Column)
			}
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	if e.Snippet != "" {
		b.WriteString("\n" + e.Snippet)
	}
	return b.String()
}

// Errors are all mistakes that were found, file by file, in each sorted by line. The last entries
// may be about the others: how many are not shown, and which files without mistakes are not loaded.
// Errors are never empty when returned as an error.
type Errors []Error

// Error returns the mistakes, one a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single Error.
func (e Errors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, err := range e {
		errs[i] = err
	}
	return errs
}

// maxErrors is how many mistakes are reported: nobody reads more, and a generated file may have a
// million.
const maxErrors = 100

// Gather returns the mistakes in several files: file by file, in each sorted by line. The result is
// nil if there are none.
func Gather(reports ...*Report) Errors {
	var all Errors
	hidden, hiddenIn := 0, map[string]bool{}
	for _, r := range reports {
		r.Trim()
		all = append(all, r.errs...)
		if r.hidden > 0 {
			hidden += r.hidden
			hiddenIn[r.file] = true
		}
	}
	return all.cut(hidden, hiddenIn)
}

// Trim sorts the mistakes by line and keeps as many as are reported.
func (r *Report) Trim() {
	slices.SortStableFunc(r.errs, func(a, b Error) int {
		return cmp.Or(cmp.Compare(r.order(a.File), r.order(b.File)), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Field, b.Field))
	})
	if more := len(r.errs) - maxErrors; more > 0 {
		r.errs = slices.Clone(r.errs[:maxErrors]) // the rest may be large
		r.hidden += more
	}
}

// Cut keeps as many mistakes as are reported, and says in a last entry how many more there are.
func (e Errors) Cut() Errors { return e.cut(0, map[string]bool{}) }

// cut is Cut for mistakes of which some were hidden before, in the files of hiddenIn.
func (e Errors) cut(hidden int, hiddenIn map[string]bool) Errors {
	if more := len(e) - maxErrors; more > 0 {
		for _, err := range e[maxErrors:] {
			hiddenIn[err.File] = true
		}
		hidden += more
		e = e[:maxErrors:maxErrors]
	}
	if hidden == 0 {
		return e
	}
	rest := Error{Message: fmt.Sprintf("%d more mistakes are not shown", hidden)}
	if len(hiddenIn) == 1 {
		for file := range hiddenIn {
			rest.File = file
		}
	}
	return append(e, rest)
}

// maxQuoted is how many characters of a value an error shows.
const maxQuoted = 64

// Quote shows a value from the file: quoted, so that it cannot break a log line, and short.
func Quote(s string) string {
	return fmt.Sprintf("%q", wording.Shorten(s, maxQuoted))
}

// Shown returns the path of a file, quoted if it has characters that could break a log line: a
// pattern finds files of any name.
func Shown(path string) string {
	if utf8.ValidString(path) && !strings.ContainsFunc(path, func(r rune) bool {
		return !unicode.IsPrint(r)
	}) {
		return path
	}
	return strconv.Quote(path)
}

// Printable returns the text of an error that may quote a file, as one line of bounded length.
func Printable(err error) string {
	return wording.Shorten(strings.Join(strings.Fields(err.Error()), " "), 300)
}

// Reason returns the text of an error of the file system without the path, which is shown already.
func Reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
