package outbound

import (
	"errors"
	"fmt"
)

// What a request fails for. Any other error says that there was no usable answer.
var (
	ErrBad      = errors.New("bad request")
	ErrDenied   = errors.New("denied")
	ErrTooLarge = errors.New("too large")
)

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrBad}, args...)...)
}

func denied(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDenied}, args...)...)
}
