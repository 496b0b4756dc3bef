package informerd

import (
	"errors"
	"strconv"
)

// What the host answers when it does not do what it is asked to. The errors of this package wrap
// one of them, so ask with errors.Is; ErrNotFound is given as it is.
var (
	ErrNotFound    = errors.New("not found")
	ErrBadArgument = errors.New("bad argument")
	ErrDenied      = errors.New("denied")      // by the grant
	ErrQuota       = errors.New("quota")       // more than the grant allows
	ErrUnavailable = errors.New("unavailable") // now; it may be later
	ErrWrongPhase  = errors.New("wrong phase") // this is for OnEvent only, or for Configure only
)

// statusNotFound is the one status that is no surprise.
const statusNotFound = -1

// callError says which call failed, and may say it in better words than the status has.
type callError struct {
	text string
	is   error
}

func (e *callError) Error() string { return e.text }

func (e *callError) Unwrap() error { return e.is }

// statusError is the error of a negative result.
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

// failed is the error of a call's result, nil if that is not negative. Of is what it was about, if
// that may be shown.
func failed(call, of string, status int32) error {
	switch {
	case status >= 0:
		return nil
	case status == statusNotFound:
		return ErrNotFound
	case of != "":
		call += " " + strconv.Quote(of)
	}
	err := statusError(status)
	return &callError{call + ": " + err.Error(), err}
}
