package lang

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrUnknown matches every [EvalError]: the expression has no answer for the event, which is
// neither yes nor no.
var ErrUnknown = errors.New("no answer")

// ErrBudget matches an [EvalError] of an expression that exceeded a bound on steps or
// memory.
var ErrBudget = errors.New("over budget")

// CompileError is a mistake in an expression, with its place.
type CompileError struct {
	Expression Expression
	Line       int // in the file, or in the expression if its first line is unknown
	// in characters from 1; in the file, or within the expression's own line if Expression.Column
	// is unknown
	Column  int
	Message string
	Offset  int // of the place in the text, in characters

	line   string // of the expression that has the place
	column int    // in that line
}

// Error returns the place and the message, then the line with a caret below the place.
func (e *CompileError) Error() string {
	return e.Expression.position(e.Offset) + ": " + e.Detail()
}

// Detail is Error without the place, for callers that show it in another way.
func (e *CompileError) Detail() string {
	return e.Expression.owner() + e.Message + snippet(e.line, e.column)
}

// CompileError returns a mistake at the offset-th character.
func (s Expression) CompileError(offset int, format string, args ...any) *CompileError {
	// blanks at the end are not shown
	if end := utf8.RuneCountInString(strings.TrimRight(s.Text, " \t\r\n")); offset > end {
		offset = end
	}
	p, line := s.at(offset)
	at := s.inFile(offset, p)
	return &CompileError{
		Expression: s, Line: at.Line, Column: at.Column,
		Message: fmt.Sprintf(format, args...), Offset: offset, line: line, column: p.Column,
	}
}

// EvalError is why an expression has no answer for an event. It names types, never values:
// those may be secret.
type EvalError struct {
	Listener string
	Rule     string // "" if the expression does not belong to a rule
	Output   string // "" if it does not belong to an output
	Place    string // file:line:column of the expression's part that failed
	Message  string

	err error
}

// EvalError returns an error at the offset-th character. The cause is ErrBudget or nil.
func (s Expression) EvalError(offset int, message string, cause error) *EvalError {
	return &EvalError{
		Listener: s.Listener, Rule: s.Rule, Output: s.Output, Place: s.position(offset),
		Message: message, err: cause,
	}
}

// Error is one line.
func (e *EvalError) Error() string {
	owner := Expression{Listener: e.Listener, Rule: e.Rule, Output: e.Output}.owner()
	return fmt.Sprintf("%s: %s%s", e.Place, owner, e.Message)
}

// Is reports whether the target is [ErrUnknown], which every EvalError matches.
func (e *EvalError) Is(target error) bool { return target == ErrUnknown }

// Unwrap returns ErrBudget or nil.
func (e *EvalError) Unwrap() error { return e.err }

// Mistakes returns the mistakes that an error of Compile consists of, none if it is another
// error.
func Mistakes(err error) (all []*CompileError) {
	var several interface{ Unwrap() []error }
	var one *CompileError
	switch {
	case errors.As(err, &several):
		for _, err := range several.Unwrap() {
			all = append(all, Mistakes(err)...)
		}
	case errors.As(err, &one):
		all = append(all, one)
	}
	return all
}

// MaxMistakes is how many mistakes of one expression are reported.
const MaxMistakes = 20
