package guest

import (
	"errors"
	"fmt"
)

// ErrClosed is returned for what was closed; package plugins describes it.
var ErrClosed = errors.New("closed")

// Closed returns ErrClosed for a listener's handler.
func Closed(listener string) error {
	return fmt.Errorf("listener %q: handler: %w", listener, ErrClosed)
}
