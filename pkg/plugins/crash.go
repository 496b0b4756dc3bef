package plugins

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/informerd/informerd/pkg/informer/event"
)

// CrashError says that a guest crashed, in which Func, why, and how it came there. Its instance is
// gone already.
type CrashError struct {
	Listener string // empty in an error that names it already
	// Object and Op are those of the event, in a batch of the one at hand; both are zero if the
	// guest crashed while it was started.
	Object event.Key
	Op     event.Op
	// Func is the export that ran: on_event, on_batch, _start, configure, _initialize, or start for
	// the module's start function.
	Func   string
	Reason Reason
	// Cause says more, in one line. If the guest gave a message before it ended, that is in it,
	// too.
	Cause error
	// Stack is how the guest came there, a line each, for people to read: what a Go guest wrote
	// about its panic, and the functions it was in, the innermost first, by their names if the
	// module has a name section, else by their numbers. Without either, it is empty. The lines are
	// of bounded length and number, and hold no control characters.
	Stack []string
}

// Error returns the cause, with the listener, the function and the event.
func (e *CrashError) Error() string {
	listener := ""
	if e.Listener != "" {
		listener = fmt.Sprintf("listener %q: ", e.Listener)
	}
	if e.Reason == ReasonRefused {
		return fmt.Sprintf("%shandler refuses its configuration: %v", listener, e.Cause)
	}
	where := "handler crashed in " + e.Func
	if e.Op != 0 {
		where += fmt.Sprintf(" (%s of %q)", e.Op, e.Object)
	}
	return fmt.Sprintf("%s%s: %s: %v", listener, where, e.Reason, e.Cause)
}

// Unwrap returns the cause.
func (e *CrashError) Unwrap() error { return e.Cause }

// crash returns the crash of a call that failed.
func (g *guest) crash(function string, reason Reason, cause error) error {
	e := &CrashError{Listener: g.handler.spec.Listener, Func: function, Reason: reason, Cause: cause}
	if reason == ReasonRefused {
		e.Cause = &lineError{oneLine(cause.Error()), cause}
		return e
	}
	text, _, _ := strings.Cut(cause.Error(), traceBegin)
	text = strings.ReplaceAll(strings.TrimSuffix(text, recovered), recovered+":", ":")
	if reason == ReasonTrap || reason == ReasonExit || reason == ReasonMemory {
		lines := lastLogLines(g.stderr.tail.bytes())
		if message := lastMessage(g.events.message, lines); message != "" {
			text += fmt.Sprintf(": the handler said %q", message)
		}
		e.Stack = lines
		g.stderr.held.crashed(lines)
	}
	e.Stack = append(e.Stack, frames(g.failure, len(g.handler.compiled.ImportedFunctions()))...)
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

// stderr is what a guest writes to its standard error: its lines go to a log, except for those of a
// panic that a crash has in its stack.
type stderr struct {
	lines lines
	held  heldLines
	tail  tail // of what the running call wrote
}

// newStderr returns the standard error of a new guest, whose lines go to a log.
func newStderr(log func(ctx context.Context, line string)) *stderr {
	s := &stderr{held: heldLines{to: log}}
	s.lines.to = s.held.line
	return s
}

// write takes what the guest writes.
func (s *stderr) write(ctx context.Context, b []byte) {
	s.tail.add(b)
	s.lines.write(ctx, b)
}

// begin is called before a function of the guest is.
func (s *stderr) begin(function string) {
	s.tail.reset()
	s.held.begin(function)
}

// end is called when the function has ended, and its crash was made if it crashed.
func (s *stderr) end(ctx context.Context) { s.held.end(ctx) }

// flush ends the last line.
func (s *stderr) flush(ctx context.Context) { s.lines.flush(ctx) }
