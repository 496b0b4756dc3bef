package serverside

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Steady leaves out the conditions on fields that the filter also reads of old. With a selector for
// one of them, exactly the updates that the filter is about would be adds and deletes, as with
// became(object.status.phase == "Running").
func Steady(f *filters.Filter, conditions []condition.Condition) []condition.Condition {
	before := f.OldPaths()
	return slices.DeleteFunc(slices.Clone(conditions), func(c condition.Condition) bool {
		field := ""
		switch c.Of {
		case condition.OfNamespace, condition.OfName:
			return false // these never change
		case condition.OfLabel:
			path, err := object.CompilePath(fmt.Sprintf("metadata.labels[%q]", c.Key))
			if err != nil {
				return true
			}
			field = path.String()
		case condition.OfField:
			field = c.Key
		}
		return slices.ContainsFunc(before, func(p object.Path) bool {
			return overlap(p.String(), field)
		})
	})
}

// overlap reports whether one of two fields is the other or contains it.
func overlap(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	rest, ok := strings.CutPrefix(b, a)
	return ok && (a == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}
