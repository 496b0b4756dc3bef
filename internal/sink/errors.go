package sink

import "errors"

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
