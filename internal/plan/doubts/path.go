package doubts

import (
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/object"
)

// pathDoubt reports whether objects with the schema have no field at a path, and what to write.
func pathDoubt(resource string, schema *filters.Schema, path string, drop bool) (wrong bool,
	hint string) {
	steps, err := object.PathSteps(path)
	if err != nil {
		return false, ""
	}
	at := schema
	for i, step := range steps {
		before := strings.TrimRight(path[:step.Offset], `.["`)
		switch {
		case at == nil || at.Type == "" && len(at.Fields) == 0:
			return false, ""
		case step.IsIndex && at.Type != "array":
			return true, before + " is not a list: remove the index"
		case step.IsIndex:
			at = at.Items
		case at.Type == "array":
			if drop {
				return true, before + " is a list: drop all of it, as in drop: [" + before + "]"
			}
			return true, before + " is a list: name one of its items, as in " + before + "[0]" +
				path[len(before):]
		case at.Fields[step.Key] != nil:
			at = at.Fields[step.Key]
		case at.Values != nil:
			at = at.Values
		case at.Open:
			return false, ""
		case at.Type != "object" && len(at.Fields) == 0:
			return true, before + " is a " + at.Type
		default:
			return unknownStep(resource, schema, at, steps[i:], path, before)
		}
	}
	return false, ""
}

// unknownStep returns what may be meant by a path whose first of the steps is unknown.
func unknownStep(resource string, schema, at *filters.Schema, steps []object.PathStep, path,
	before string) (wrong bool, hint string) {
	rest := path[steps[0].Offset:]
	is := func(text string) bool {
		wrong, _ := pathDoubt(resource, schema, text, false)
		return !wrong
	}
	if below, found := strings.CutPrefix(path, "object."); found && is(below) {
		return true, "paths begin in the object: write " + below
	}
	if before == "" {
		for _, top := range []string{"metadata", "spec", "status"} {
			if _, has := at.Fields[top]; has && is(top+"."+rest) {
				return true, "did you mean " + top + "." + rest + "?"
			}
		}
	} else {
		before += "."
	}
	names := slices.Sorted(maps.Keys(at.Fields))
	if near, found := nearest.Name(steps[0].Key, names); found {
		meant := before + near + strings.TrimPrefix(rest, steps[0].Key)
		if is(meant) {
			return true, "did you mean " + meant + "?"
		}
	}
	if before != "" && len(names) <= 12 {
		return true, "the fields there are " + strings.Join(names, ", ")
	}
	return true, "kubectl explain " + strings.TrimRight(resource+"."+before, ".") + " lists the fields"
}
