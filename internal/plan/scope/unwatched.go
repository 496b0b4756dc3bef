package scope

import (
	"fmt"
	"strings"
)

// UnwatchedError is the error of an object that a listener's informer does not watch, although it
// is one of its resource.
type UnwatchedError struct {
	Path, Listener string
	Reasons        []string
}

func (e *UnwatchedError) Error() string {
	return fmt.Sprintf("%s: the listener %q gets no event of this object: %s", e.Path, e.Listener,
		strings.Join(e.Reasons, "; "))
}
