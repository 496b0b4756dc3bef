package filters

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/file"
)

// ErrUnknown is what every [EvalError] is: the expression has no answer for the event, which is
// neither yes nor no.
var ErrUnknown = errors.New("no answer")

// ErrBudget is what an [EvalError] is when the expression overran a bound on steps or memory.
var ErrBudget = errors.New("over budget")

// CompileError is a mistake in an expression.
type CompileError struct {
	Expression Expression
	Line       int // in the file, or in the expression if its first line is unknown
	// in characters from 1; in the file, or within the expression's own line if Expression.Column
	// is unknown
	Column  int
	Message string

	place  place
	offset int  // of the place, in characters of the text
	fix    *Fix // what the message proposes, nil if that is no text
	mend   *Fix // a change with which the text can be read on, instead of fix; it is not proposed
}

// Error gives the place and message, then the line and a caret below the place.
func (e *CompileError) Error() string {
	return e.Expression.position(e.offset) + ": " + e.Detail()
}

// Detail is Error without the place, for those who show that in their own way.
func (e *CompileError) Detail() string {
	return e.Expression.owner() + e.Message + e.place.snippet()
}

// Rest is what follows the place, without the token there.
func (e *CompileError) Rest() string {
	text := []rune(e.Expression.Text)
	line := 1
	for i, r := range text {
		if line == e.place.line {
			from := min(i+e.place.column, len(text))
			if e.Expression.unclosed() {
				return ""
			}
			return string(text[from:])
		}
		if r == '\n' {
			line++
		}
	}
	return ""
}

// unclosed reports whether a quote is open at the end of the text.
func (s Expression) unclosed() bool {
	quote := rune(0)
	for _, r := range s.Text {
		switch {
		case quote == 0 && (r == '"' || r == '\'' || r == '`'):
			quote = r
		case r == quote:
			quote = 0
		}
	}
	return quote != 0
}

func (s Expression) compileError(offset int, format string, args ...any) *CompileError {
	// a blank end is not in sight
	if end := utf8.RuneCountInString(strings.TrimRight(s.Text, " \t\r\n")); offset > end {
		offset = end
	}
	p := s.at(offset)
	at := s.inFile(offset, p)
	return &CompileError{
		Expression: s, Line: at.Line, Column: at.Column,
		Message: fmt.Sprintf(format, args...), place: p, offset: offset,
	}
}

// EvalError says why an expression gave no answer for an event. It names types, never values: those
// may be secret.
type EvalError struct {
	Listener string
	Rule     string // "" if the expression is none of a rule
	Place    string // file:line:column of the expression's part that failed
	Message  string

	err error
}

// Error is one line.
func (e *EvalError) Error() string {
	return fmt.Sprintf("%s: %s%s", e.Place, Expression{Listener: e.Listener, Rule: e.Rule}.owner(),
		e.Message)
}

// Is makes every EvalError an [ErrUnknown].
func (e *EvalError) Is(target error) bool { return target == ErrUnknown }

// Unwrap returns ErrBudget or nil.
func (e *EvalError) Unwrap() error { return e.err }

// fault is what an operation panics with to end a run; expr's VM recovers it and adds the place.
type fault struct {
	message string
	err     error
}

func (f *fault) Error() string { return f.message }

func fail(format string, args ...any) {
	panic(&fault{message: fmt.Sprintf(format, args...)})
}

func overBudget(format string, args ...any) {
	panic(&fault{message: fmt.Sprintf(format, args...), err: ErrBudget})
}

// evalError makes an EvalError of what the VM returned. Messages of expr itself may quote values
// and are not passed on.
func evalError(s Expression, err error) *EvalError {
	e := &EvalError{Listener: s.Listener, Rule: s.Rule, Place: s.position(0),
		Message: "the expression failed"}
	var where *file.Error
	if errors.As(err, &where) {
		e.Place = s.position(where.From)
		if where.Message == "memory budget exceeded" {
			e.Message, e.err = fmt.Sprintf("the expression made lists of more than %d items",
				MaxMemory), ErrBudget
		}
	}
	var f *fault
	if errors.As(err, &f) {
		e.Message, e.err = f.message, f.err
	}
	return e
}
