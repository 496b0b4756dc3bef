// Package crash is what is known of a guest's call that failed: the reason, the cause in one line,
// and the stack, in which come the lines that the guest wrote last and the functions it was in. All
// texts are of bounded length, and hold no control characters.
package crash

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/informerd/informerd/pkg/plugins/internal/guestlog"
)

// Reason is why a guest crashed.
type Reason string

// The reasons; package plugins describes them.
const (
	Trap     Reason = "trap"
	Deadline Reason = "deadline"
	Fuel     Reason = "fuel"
	Memory   Reason = "memory"
	Exit     Reason = "exit"
	Protocol Reason = "protocol"
	Refused  Reason = "refused"
)

// Error is a crash in a function of the guest.
type Error struct {
	Func   string
	Reason Reason
	Cause  error // in one line
	Stack  []string
}

// Error returns the cause, with the function.
func (e *Error) Error() string {
	return fmt.Sprintf("handler crashed in %s: %s: %v", e.Func, e.Reason, e.Cause)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Fault is why a host function ended a call.
type Fault struct {
	Reason Reason
	Err    error
}

// Error returns what was wrong.
func (f *Fault) Error() string { return f.Err.Error() }

// Call is a call that failed.
type Call struct {
	Func    string
	Failure error   // of the engine, with its stack; may be nil
	Message string  // that the guest gave to result.v1 error
	Stderr  *Stderr // of the guest
	Imports int     // functions that the metered module imports
}

// New returns the crash that a call was for a reason.
func New(c Call, reason Reason, cause error) *Error {
	e := &Error{Func: c.Func, Reason: reason, Cause: cause}
	if reason == Refused {
		e.Cause = &lineError{oneLine(cause.Error()), cause}
		return e
	}
	text, _, _ := strings.Cut(cause.Error(), traceBegin)
	text = strings.ReplaceAll(strings.TrimSuffix(text, recovered), recovered+":", ":")
	if reason == Trap || reason == Exit || reason == Memory {
		lines := lastLogLines(c.Stderr.tail.bytes())
		if message := lastMessage(c.Message, lines); message != "" {
			text += fmt.Sprintf(": the handler said %q", message)
		}
		e.Stack = lines
		c.Stderr.held.crashed(lines)
	}
	e.Stack = append(e.Stack, frames(c.Failure, c.Imports)...)
	e.Cause = &lineError{oneLine(text), cause}
	return e
}

// oneLine puts spaces in place of line breaks and the like.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// lineError is an error with a text of one line, in place of one that has the engine's stack.
type lineError struct {
	text string
	err  error
}

func (e *lineError) Error() string { return e.text }
func (e *lineError) Unwrap() error { return e.err }

// Stderr is what a guest writes to its standard error: its lines go to a log, except for those of a
// panic that a crash has in its stack.
type Stderr struct {
	lines guestlog.Lines
	held  heldLines
	tail  tail // of what the running call wrote
}

// NewStderr returns the standard error of a new guest, whose lines go to a log.
func NewStderr(log func(ctx context.Context, line string)) *Stderr {
	s := &Stderr{held: heldLines{to: log}}
	s.lines.To = s.held.line
	return s
}

// Write takes what the guest writes.
func (s *Stderr) Write(ctx context.Context, b []byte) {
	s.tail.add(b)
	s.lines.Write(ctx, b)
}

// Begin is called before a function of the guest is.
func (s *Stderr) Begin(function string) {
	s.tail.reset()
	s.held.begin(function)
}

// End is called when the function has ended, and its crash was made if it crashed.
func (s *Stderr) End(ctx context.Context) { s.held.end(ctx) }

// Flush ends the last line.
func (s *Stderr) Flush(ctx context.Context) { s.lines.Flush(ctx) }
