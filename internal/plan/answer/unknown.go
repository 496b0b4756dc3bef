package answer

import (
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/nearest"
)

// UnknownListenerError is the error of a listener that a configuration does not have.
type UnknownListenerError struct {
	Name  string
	There []string // those that it has
}

func (e *UnknownListenerError) Error() string {
	hint := ""
	if near, ok := nearest.Name(e.Name, e.There); ok {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Sprintf("there is no listener %q%s; there are %s", e.Name, hint,
		strings.Join(e.There, ", "))
}
