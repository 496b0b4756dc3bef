package plugins

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/internal/code"
	"github.com/informerd/informerd/pkg/plugins/internal/crash"
	"github.com/informerd/informerd/pkg/plugins/internal/guest"
)

// ErrClosed is returned by calls on a Host, Handler or Instance that was closed.
var ErrClosed = guest.ErrClosed

// Reason says why a guest crashed.
type Reason string

// The reasons.
const (
	// ReasonTrap: an instruction failed, such as a division by zero, or unreachable, where a Go
	// panic ends.
	ReasonTrap = Reason(crash.Trap)
	// ReasonDeadline: the call ran longer than its deadline.
	ReasonDeadline = Reason(crash.Deadline)
	// ReasonFuel: the call used more fuel than its budget.
	ReasonFuel = Reason(crash.Fuel)
	// ReasonMemory: the guest trapped or exited with its memory grown close to its limit.
	ReasonMemory = Reason(crash.Memory)
	// ReasonExit: the guest called proc_exit, as Go's os.Exit does; with 0, this is how a command
	// ends.
	ReasonExit = Reason(crash.Exit)
	// ReasonProtocol: the guest broke the rules of the interface.
	ReasonProtocol = Reason(crash.Protocol)
	// ReasonRefused: configure gave a result other than 0.
	ReasonRefused = Reason(crash.Refused)
)

// CrashError says that a guest crashed. Its instance is gone already.
type CrashError struct {
	Listener string
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

// crashError returns a CrashError for a guest's crash, and other errors as they are.
func crashError(listener string, err error) error {
	var c *crash.Error
	if !errors.As(err, &c) {
		return err
	}
	return &CrashError{Listener: listener, Func: c.Func, Reason: Reason(c.Reason), Cause: c.Cause,
		Stack: c.Stack}
}

// attrs returns what is logged of the crash.
func (e *CrashError) attrs() []slog.Attr {
	return []slog.Attr{slog.String("object", e.Object.String()), slog.String("op", e.Op.String()),
		slog.String("func", e.Func), slog.String("reason", string(e.Reason)),
		slog.String("error", e.Cause.Error()),
		slog.String("stack", strings.Join(e.Stack, "\n"))}
}

// Error names the listener, the function and the object, in one line.
func (e *CrashError) Error() string {
	return fmt.Sprintf("listener %q: %s", e.Listener, e.text())
}

func (e *CrashError) text() string {
	if e.Reason == ReasonRefused {
		return fmt.Sprintf("handler refuses its configuration: %v", e.Cause)
	}
	where := "handler crashed in " + e.Func
	if e.Op != 0 {
		where += fmt.Sprintf(" (%s of %q)", e.Op, e.Object)
	}
	return fmt.Sprintf("%s: %s: %v", where, e.Reason, e.Cause)
}

// Unwrap returns the cause.
func (e *CrashError) Unwrap() error {
	return e.Cause
}

// MissingGrantsError is why a handler cannot be used that needs more than it is granted.
type MissingGrantsError = code.MissingGrantsError

// LoadError says why a handler cannot be used.
type LoadError struct {
	Listener string
	Path     string // of the WebAssembly file, as configured
	Err      error
}

func newLoadError(spec Spec, err error) *LoadError {
	return &LoadError{Listener: spec.Listener, Path: spec.Path, Err: err}
}

// Error names the listener and the file.
func (e *LoadError) Error() string {
	reason := e.Err.Error()
	if crash := (*CrashError)(nil); errors.As(e.Err, &crash) {
		reason = crash.text() // the listener is named already
	}
	if e.Path == "" {
		return fmt.Sprintf("listener %q: handler: %s", e.Listener, reason)
	}
	return fmt.Sprintf("listener %q: handler %s: %s", e.Listener, e.Path, reason)
}

// Unwrap returns the reason.
func (e *LoadError) Unwrap() error {
	return e.Err
}
