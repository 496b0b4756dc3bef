package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/nearest"
)

// UnknownListenerError is the error of a listener that a configuration does not have.
type UnknownListenerError struct {
	name  string
	there []string // those that it has
}

// UnknownListener returns the error of a listener that a configuration does not have.
func UnknownListener(cfg *config.Config, name string) error {
	return &UnknownListenerError{name, slices.Sorted(maps.Keys(cfg.Listeners))}
}

func (e *UnknownListenerError) Error() string {
	hint := ""
	if near, ok := nearest.Name(e.name, e.there); ok {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Sprintf("there is no listener %q%s; there are %s", e.name, hint,
		strings.Join(e.there, ", "))
}
