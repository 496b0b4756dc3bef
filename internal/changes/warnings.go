package changes

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// Warn adds the warnings of the new configuration that the one before does not have, wherever they
// are in its files, and that no line has.
func (c *Comparison) Warn(before, after config.Errors) {
	for _, w := range after {
		had := slices.ContainsFunc(before, func(b config.Error) bool {
			return b.Field == w.Field && b.Message == w.Message
		})
		if !had && !c.says(w.Message) {
			c.Warnings = append(c.Warnings, w.Error())
		}
	}
}

// says reports whether a line of a part has a warning.
func (c *Comparison) says(warning string) bool {
	return slices.ContainsFunc(slices.Concat(c.Changes, c.Others), func(one Change) bool {
		return slices.ContainsFunc(one.Added, func(line string) bool {
			return strings.HasPrefix(line, "warning ") && strings.Contains(line, warning)
		})
	})
}
