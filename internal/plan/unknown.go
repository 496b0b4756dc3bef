package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/nearest"
)

// UnknownListener returns the error of a listener that a configuration does not have.
func UnknownListener(cfg *config.Config, name string) error {
	there, hint := slices.Sorted(maps.Keys(cfg.Listeners)), ""
	if near, ok := nearest.Name(name, there); ok {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("there is no listener %q%s; there are %s", name, hint,
		strings.Join(there, ", "))
}
