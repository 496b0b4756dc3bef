package sink

import "errors"

// ErrClosed is what Write gives after Close. It is not permanent: the message itself is fine, and
// belongs to whatever takes the Sink's place.
var ErrClosed = errors.New("the output is closed")

// Permanent marks an error that trying again cannot mend: the receiver refuses this message, or is
// gone for good. It gives nil for nil and leaves the text as it is.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanent{err}
}

// IsPermanent tells whether err, or an error it wraps, was marked by Permanent.
func IsPermanent(err error) bool {
	var p *permanent
	return errors.As(err, &p)
}

type permanent struct{ error }

// Unwrap gives the error that was marked.
func (p *permanent) Unwrap() error { return p.error }
