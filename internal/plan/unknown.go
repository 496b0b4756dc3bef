package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/nearest"
)

// UnknownListener returns the error of a listener that a configuration does not have.
func UnknownListener(cfg *config.Config, name string) error {
	return unknown("listener", name, cfg.Listeners)
}

// UnknownCluster returns the error of a cluster that a configuration does not name.
func UnknownCluster(cfg *config.Config, name string) error {
	return unknown("cluster", name, cfg.Clusters)
}

func unknown[T any](what, name string, all map[string]T) error {
	there, hint := slices.Sorted(maps.Keys(all)), ""
	if near, ok := nearest.Name(name, there); ok {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("there is no %s %q%s; there are %s", what, name, hint,
		cmp.Or(strings.Join(there, ", "), "none"))
}
