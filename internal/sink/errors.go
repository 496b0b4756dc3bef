package sink

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/backoff"
)

// ErrClosed is the error of Write after Close. It is not permanent: another Sink may take the
// message.
var ErrClosed = errors.New("the output is closed")

// The marks that an error may have.
var (
	errPermanent = errors.New("permanent")
	errAlone     = errors.New("alone")
	errNoRight   = errors.New("no right")
	errMoot      = errors.New("moot")
)

// marked is an error with a mark. It has the error's own text.
type marked struct {
	error
	mark error
}

// mark marks an error. It returns nil for nil.
func mark(err, as error) error {
	if err == nil {
		return nil
	}
	return &marked{err, as}
}

// Unwrap returns the error that was marked.
func (m *marked) Unwrap() error { return m.error }

// Is reports whether target is the mark.
func (m *marked) Is(target error) bool { return target == m.mark }

// Permanent marks an error that a retry cannot fix: the receiver refuses this message, or is gone
// permanently. It returns nil for nil and does not change the text.
func Permanent(err error) error { return mark(err, errPermanent) }

// IsPermanent reports whether err, or an error it wraps, was marked by Permanent.
func IsPermanent(err error) bool { return errors.Is(err, errPermanent) }

// Moot marks an error of a message that nothing needs any more, since what it is about is going: an
// object that is deleted, or its namespace. It is permanent as well. It returns nil for nil and does
// not change the text.
func Moot(err error) error { return mark(Permanent(err), errMoot) }

// IsMoot reports whether err, or an error it wraps, was marked by Moot.
func IsMoot(err error) bool { return errors.Is(err, errMoot) }

// Alone marks a transient error that is about one message and says nothing about the receiver: its
// delay is no reason to hold up other messages. It returns nil for nil and does not change the
// text.
func Alone(err error) error { return mark(err, errAlone) }

// IsAlone reports whether err, or an error it wraps, was marked by Alone.
func IsAlone(err error) bool { return errors.Is(err, errAlone) }

// RetryAfter marks an error of a receiver that asked not to be tried before a delay has passed, see
// backoff.RetryAfter. It returns nil for nil and does not change the text.
func RetryAfter(err error, delay time.Duration) error {
	if err == nil {
		return nil
	}
	return &backoff.RetryAfterError{Err: err, Delay: delay}
}

// ErrorOf begins an error with the name of the output that it is of. It returns nil for nil.
func ErrorOf(output string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", output, err)
}

// AllFailed returns the result of a Write of n messages that have all failed with one error.
func AllFailed(n int, err error) []error { return slices.Repeat([]error{err}, n) }

// Results returns what Write returns, of one error or nil for each message.
func Results(errs []error) []error {
	if slices.ContainsFunc(errs, func(err error) bool { return err != nil }) {
		return errs
	}
	return nil
}
