package plugins

import (
	"errors"
	"fmt"

	"github.com/informerd/informerd/pkg/plugins/internal/code"
)

// ErrClosed is returned by calls on a Host, Handler or Instance that was closed.
var ErrClosed = errors.New("closed")

// Reason says why a guest crashed.
type Reason string

// The reasons.
const (
	// ReasonTrap: an instruction failed, such as a division by zero, or unreachable, where a Go
	// panic ends.
	ReasonTrap Reason = "trap"
	// ReasonDeadline: the call ran longer than its deadline.
	ReasonDeadline Reason = "deadline"
	// ReasonFuel: the call used more fuel than its budget.
	ReasonFuel Reason = "fuel"
	// ReasonMemory: the guest trapped or exited with its memory grown close to its limit.
	ReasonMemory Reason = "memory"
	// ReasonExit: the guest called proc_exit, as Go's os.Exit does; with 0, this is how a command
	// ends.
	ReasonExit Reason = "exit"
	// ReasonProtocol: the guest broke the rules of the interface.
	ReasonProtocol Reason = "protocol"
	// ReasonRefused: configure gave a result other than 0.
	ReasonRefused Reason = "refused"
)

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
		named := *crash
		named.Listener = "" // which is named already
		reason = named.Error()
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
