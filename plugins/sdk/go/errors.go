package informerd

import (
	"errors"
	"strconv"
)

// The errors of host calls. This package's errors wrap one of them, so compare with errors.Is;
// ErrNotFound is returned unwrapped.
var (
	ErrNotFound    = errors.New("not found")
	ErrBadArgument = errors.New("bad argument")
	ErrDenied      = errors.New("denied")      // by the grant
	ErrQuota       = errors.New("quota")       // more than the grant allows
	ErrUnavailable = errors.New("unavailable") // for now; a later call may succeed
	// the call belongs to OnEvent only, or to Configure only
	ErrWrongPhase = errors.New("wrong phase")
)

// statusNotFound is the only status that is an expected answer.
const statusNotFound = -1

// callError names the call that failed. Its text may be more precise than the status.
type callError struct {
	text    string
	wrapped error
}

func (e *callError) Error() string { return e.text }

func (e *callError) Unwrap() error { return e.wrapped }

// statusError returns the error of a negative status.
func statusError(status int32) error {
	switch status {
	case statusNotFound:
		return ErrNotFound
	case -2:
		return ErrBadArgument
	case -3:
		return ErrDenied
	case -4:
		return ErrQuota
	case -6:
		return ErrWrongPhase
	}
	return ErrUnavailable
}

// checkStatus returns the error of a call's result, nil if the result is not negative. The subject
// is what the call was about, empty if it must not be shown.
func checkStatus(call, subject string, status int32) error {
	switch {
	case status >= 0:
		return nil
	case status == statusNotFound:
		return ErrNotFound
	case subject != "":
		call += " " + strconv.Quote(subject)
	}
	err := statusError(status)
	return &callError{call + ": " + err.Error(), err}
}
