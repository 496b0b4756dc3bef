package sink

import (
	"errors"
	"time"
)

// ErrClosed is the error of Write after Close. It is not permanent: another Sink may take the
// message.
var ErrClosed = errors.New("the output is closed")

// Permanent marks an error that a retry cannot fix: the receiver refuses this message, or is gone
// permanently. It returns nil for nil and does not change the text.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanent{err}
}

// IsPermanent reports whether err, or an error it wraps, was marked by Permanent.
func IsPermanent(err error) bool {
	var p *permanent
	return errors.As(err, &p)
}

type permanent struct{ error }

// Unwrap returns the error that was marked.
func (p *permanent) Unwrap() error { return p.error }

// RetryAfter marks an error of a receiver that asked not to be tried before a delay has passed. It
// returns nil for nil and does not change the text.
func RetryAfter(err error, delay time.Duration) error {
	if err == nil {
		return nil
	}
	return &retryAfter{err, delay}
}

// AskedDelay returns the delay that was asked for by the receiver, 0 if it asked for none.
func AskedDelay(err error) time.Duration {
	var r *retryAfter
	if errors.As(err, &r) {
		return r.delay
	}
	return 0
}

type retryAfter struct {
	error
	delay time.Duration
}

// Unwrap returns the error that was marked.
func (r *retryAfter) Unwrap() error { return r.error }

// Alone marks a transient error that is about one message and says nothing about the receiver: its
// delay is no reason to hold up other messages. It returns nil for nil and does not change the
// text.
func Alone(err error) error {
	if err == nil {
		return nil
	}
	return &alone{err}
}

// IsAlone reports whether err, or an error it wraps, was marked by Alone.
func IsAlone(err error) bool {
	var a *alone
	return errors.As(err, &a)
}

type alone struct{ error }

// Unwrap returns the error that was marked.
func (a *alone) Unwrap() error { return a.error }

// AllFailed returns the result of a Write of n messages that have all failed with one error.
func AllFailed(n int, err error) []error {
	errs := make([]error, n)
	for i := range errs {
		errs[i] = err
	}
	return errs
}
