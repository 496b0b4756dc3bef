package places

import (
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// Bounds of a search: how many steps deep, and how many fields it looks at.
const (
	maxDepth  = 4
	maxFields = 3000
)

// place is a field below another one. Each of its steps is a field. Those of lists are followed by
// a field of an item.
type place struct {
	steps  []string
	lists  []bool // whether the step is a list
	schema *lang.Schema
}

// find returns the fields of a name on the first level below a field that has one.
func find(from *lang.Schema, name string) []place {
	level, looked := []place{{schema: from}}, 0
	for range maxDepth {
		var next, found []place
		for _, at := range level {
			for _, key := range slices.Sorted(maps.Keys(at.schema.Fields)) {
				field := at.schema.Fields[key]
				if looked++; field == nil || looked > maxFields {
					continue
				}
				to := at.to(key, field)
				if key == name && len(at.steps) > 0 {
					found = append(found, to)
				}
				if len(to.schema.Fields) > 0 {
					next = append(next, to)
				}
			}
		}
		if len(found) > 0 {
			return found
		}
		level = next
	}
	return nil
}

// to returns a field of the place. Of a list it is an item.
func (p place) to(key string, field *lang.Schema) place {
	to := place{append(slices.Clip(p.steps), key), append(slices.Clip(p.lists), false), field}
	if field.Type == "array" && field.Items != nil && len(field.Items.Fields) > 0 {
		to.lists[len(to.lists)-1], to.schema = true, field.Items
	}
	return to
}

// rare begin the names of lists that have the fields of another list, which is meant if nothing
// else is said.
var rare = []string{"init", "ephemeral"}

// usual returns the place of several that is meant, false if each may be.
func usual(found []place) (place, bool) {
	if len(found) > 1 {
		found = slices.DeleteFunc(slices.Clone(found), func(p place) bool {
			return slices.ContainsFunc(rare, func(prefix string) bool {
				return slices.ContainsFunc(p.steps, func(step string) bool {
					return strings.HasPrefix(step, prefix)
				})
			})
		})
	}
	if len(found) > 1 { // what containers have, others seldom do
		if at := slices.IndexFunc(found, func(p place) bool {
			return slices.Contains(p.steps, "containers")
		}); at >= 0 {
			found = found[at : at+1]
		}
	}
	if len(found) != 1 {
		return place{}, false
	}
	return found[0], true
}
