package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is one mistake in a configuration.
type Error struct {
	File string
	// Line and Column count from 1; 0 means that there is no place to show.
	Line, Column int
	// Field is the path of the field, as in listeners.crash-loops.resync; found while a policy file
	// is read, it is that in the file, as in rules[0].deny. Empty if the text as a whole is meant.
	Field string
	// Message says what is wrong. It names the field.
	Message string
	// Hint says what to do. It may be empty.
	Hint string
	// Snippet is the line of an expression that is meant, and below it a caret. It may be empty.
	Snippet string
}

// Error returns file:line:column: message; hint, and below it the snippet.
func (e Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(shown(e.File))
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
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	if e.Snippet != "" {
		b.WriteString("\n")
		b.WriteString(e.Snippet)
	}
	return b.String()
}

// Errors are all mistakes found in a configuration and its policy files: file by file, the
// configuration first, sorted by line. The last entries may be about the mistakes: how many are not
// shown, and which policy files are not loaded although nothing is wrong with them. It is never
// empty when returned as an error.
type Errors []Error

// Error gives one mistake a line.
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

// maxErrors is how many mistakes are reported at most: nobody reads more, and a generated file may
// have a million.
const maxErrors = 100

// gather gives the mistakes in several files: file by file, in each sorted by line. It is nil if
// there are none.
func gather(reports ...*report) Errors {
	var all Errors
	hidden, hiddenIn := 0, map[string]bool{}
	for _, r := range reports {
		r.trim()
		all = append(all, r.errs...)
		if r.hidden > 0 {
			hidden += r.hidden
			hiddenIn[r.file] = true
		}
	}
	return all.cut(hidden, hiddenIn)
}

// trim sorts the mistakes by line and keeps as many as may be reported.
func (r *report) trim() {
	slices.SortStableFunc(r.errs, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Field, b.Field))
	})
	if more := len(r.errs) - maxErrors; more > 0 {
		r.errs = slices.Clone(r.errs[:maxErrors]) // the rest may be large
		r.hidden += more
	}
}

// cut leaves as many mistakes as may be reported and says how many there are beyond them, and those
// that were hidden before.
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

// maxNotLoaded is how many files are named that were not loaded because of mistakes in others.
const maxNotLoaded = 20

// notLoaded adds an entry that names the policy files without mistakes, of the configuration that
// names them.
func (e Errors) notLoaded(by string, files []string) Errors {
	if len(files) == 0 {
		return e
	}
	var names []string
	for _, file := range files[:min(len(files), maxNotLoaded)] {
		names = append(names, shown(file))
	}
	message := "not loaded because of that: " + strings.Join(names, ", ")
	if more := len(files) - maxNotLoaded; more > 0 {
		message += fmt.Sprintf(" and %d more", more)
	}
	return append(e, Error{File: by, Message: message})
}

// NotLoaded completes mistakes that were found in the configuration after it was read, such as
// expressions that do not compile: if some are in policy files, a last entry names the policy files
// without mistakes, which cannot be loaded because of the others. As when a configuration is read,
// no more than 100 mistakes are left.
func (c *Config) NotLoaded(mistakes Errors) Errors {
	wrong := make(map[string]bool, len(mistakes))
	for _, err := range mistakes {
		wrong[err.File] = true
	}
	var good []string
	for _, p := range c.policies {
		if !wrong[p.file] {
			good = append(good, p.file)
		}
	}
	all := slices.Clone(mistakes).cut(0, map[string]bool{})
	if len(good) < len(c.policies) {
		all = all.notLoaded(c.source.file, good)
	}
	return all
}

// maxQuoted is how many characters of a value an error shows.
const maxQuoted = 64

// quote shows a value from the file: quoted, so that it cannot break a log line, and short.
func quote(s string) string {
	if utf8.RuneCountInString(s) > maxQuoted {
		s = string([]rune(s)[:maxQuoted]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// shown gives the path of a file, quoted if it has characters that could break a log line: a
// pattern finds files of any name.
func shown(path string) string {
	if utf8.ValidString(path) && !strings.ContainsFunc(path, func(r rune) bool {
		return !unicode.IsPrint(r)
	}) {
		return path
	}
	return strconv.Quote(path)
}
