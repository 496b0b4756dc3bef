package plugins

import (
	"errors"
	"fmt"

	"github.com/informerd/informerd/pkg/informer/event"
)

// ErrClosed is given by calls on a Host, Handler or Instance that was closed.
var ErrClosed = errors.New("closed")

// Reason says why a guest crashed.
type Reason string

// The reasons.
const (
	// ReasonTrap: an instruction failed, such as unreachable or a division by zero.
	ReasonTrap Reason = "trap"
	// ReasonDeadline: the call ran longer than its deadline.
	ReasonDeadline Reason = "deadline"
	// ReasonMemory: the guest trapped or exited with its memory grown close to its limit.
	ReasonMemory Reason = "memory"
	// ReasonExit: the guest called proc_exit, as Go's panic does.
	ReasonExit Reason = "exit"
	// ReasonProtocol: the guest broke the rules of the interface.
	ReasonProtocol Reason = "protocol"
	// ReasonRefused: configure refused, which only a first instance may.
	ReasonRefused Reason = "refused"
)

// CrashError says that a guest crashed. Its instance is gone already.
type CrashError struct {
	Listener string
	// Object and Op are those of the event; both are zero if the guest crashed while it was started.
	Object event.Key
	Op     event.Op
	// Func is the export that ran: on_event, configure, _initialize, or start for the module's start function.
	Func   string
	Reason Reason
	// Cause says more; for a trap it holds the guest's call stack.
	Cause error
}

// Error names the listener, the function and the object.
func (e *CrashError) Error() string {
	where := fmt.Sprintf("listener %q: handler crashed in %s", e.Listener, e.Func)
	if e.Op != 0 {
		where += fmt.Sprintf(" (%s of %q)", e.Op, e.Object)
	}
	return fmt.Sprintf("%s: %s: %v", where, e.Reason, e.Cause)
}

// Unwrap gives the cause.
func (e *CrashError) Unwrap() error {
	return e.Cause
}

// LoadError says why a handler cannot be used.
type LoadError struct {
	Listener string
	Path     string // of the WebAssembly file, as configured
	Err      error
}

// Error names the listener and the file.
func (e *LoadError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("listener %q: handler: %v", e.Listener, e.Err)
	}
	return fmt.Sprintf("listener %q: handler %s: %v", e.Listener, e.Path, e.Err)
}

// Unwrap gives the reason.
func (e *LoadError) Unwrap() error {
	return e.Err
}
