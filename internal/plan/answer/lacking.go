package answer

import (
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/filters"
)

// Lacking returns the field of the object that an evaluated part found to be nil and that an API
// server may fill in, "" if there is none.
func Lacking(s filters.Step) string {
	if !s.Evaluated {
		return ""
	}
	if filledIn(s.Text) && slices.ContainsFunc(s.Values, isNil) {
		return s.Text
	}
	for _, child := range s.Children {
		if field := Lacking(child); field != "" {
			return field
		}
	}
	return ""
}

// isNil reports whether a value is nil, maybe that of one of several items: [4] nil.
func isNil(value string) bool { return value == "nil" || strings.HasSuffix(value, "] nil") }

// fieldWritten is how a field of an object is written, maybe that of an item of it.
var fieldWritten = regexp.MustCompile(`^(object)?(\??\.\w+|\[\d+\])+$`)

// filledIn reports whether an API server may fill in a field. An object's names and marks are those
// that it was written with.
func filledIn(text string) bool {
	rest, ofMetadata := strings.CutPrefix(text, "object.metadata.")
	if ofMetadata {
		return slices.Contains([]string{"uid", "resourceVersion", "generation",
			"creationTimestamp", "managedFields"}, rest)
	}
	return text == "age()" || fieldWritten.MatchString(text)
}
