package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Error is one mistake in a configuration.
type Error struct {
	File string
	// Line and Column count from 1; 0 means that there is no place to show.
	Line, Column int
	// Field is the path of the field, as in listeners.crash-loops.resync. Empty if the text as a whole is meant.
	Field string
	// Message says what is wrong. It names the field.
	Message string
	// Hint says what to do. It may be empty.
	Hint string
}

// Error gives file:line:column: message; hint.
func (e Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
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
	return b.String()
}

// Errors are all mistakes found in a configuration, sorted by line. It is never empty when returned as an error.
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

// maxErrors is how many mistakes are reported at most: nobody reads more, and a generated file may have a million.
const maxErrors = 100

// asError sorts the mistakes and gives them as an error, nil if there are none.
func (e Errors) asError() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Field, b.Field))
	})
	if more := len(e) - maxErrors; more > 0 {
		e = append(e[:maxErrors:maxErrors], Error{File: e[0].File, Message: fmt.Sprintf("%d more mistakes are not shown", more)})
	}
	return e
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
