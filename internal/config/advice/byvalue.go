package advice

import (
	"reflect"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/filters"
)

// isText reports whether a value is neither a mapping nor a list.
func isText(is document.Shape) bool { return !is.IsMapping && !is.IsList && len(is.Texts) == 1 }

// RuleByValue is about words for a rule's for, where the value is a duration.
func RuleByValue(path string, is document.Shape) string {
	switch path[strings.LastIndex(path, ".")+1:] {
	case "when", "after", "duration", "wait", "grace":
		if !isText(is) {
			return ""
		}
		if _, ok := filters.ParseDuration(is.Texts[0]); ok {
			return "did you mean for?"
		}
	}
	return ""
}

// InformerByValue is about an informer of a listener or a policy that has the name of one in
// informers in place of a resource.
func InformerByValue(path string, is document.Shape) string {
	if named := strings.HasSuffix("."+path, ".informer.name"); named && isText(is) &&
		slices.Contains(is.Defined("informers"), is.Texts[0]) {
		return "to use the informer of that name, write informer: " + document.Flow(is.Texts[0])
	}
	return ""
}

// OrMisplaced adds what is said of a listener, an informer or an output next to others' fields.
func OrMisplaced(h document.Help, t reflect.Type) func(string, document.Shape) string {
	byValue := h.ByValue
	return func(path string, is document.Shape) (hint string) {
		if byValue != nil {
			hint = byValue(path, is)
		}
		name := path[strings.LastIndex(path, ".")+1:]
		if hint != "" || h.Elsewhere[name] != "" || h.Renamed[name] != "" {
			return hint
		}
		var known []string
		for _, f := range document.FieldsOf(t) {
			known = append(known, f.Name)
		}
		if document.DidYouMean(name, known) != "" {
			return ""
		}
		return misplaced(path, is)
	}
}

// misplaced is about a listener, an informer or an output with its name that is next to the fields
// of another one, or at the top of the file.
func misplaced(path string, is document.Shape) string {
	has := func(name string) bool { return slices.Contains(is.Names, name) }
	list := ""
	switch {
	case has("informer") && !has("files"):
		list = "listeners"
	case slices.ContainsFunc(is.Names, func(name string) bool { return Kinds[name] != "" }):
		list = "outputs"
	case has("resource"):
		list = "informers"
	}
	names := strings.Split(path, ".")
	switch {
	case is.Anchor != "" && len(names) == 1:
		return "a file may have no further fields: put the anchor (&" + is.Anchor + ") where its value is first used"
	case list == "":
	case len(names) == 1:
		return "it looks like one of " + list + ": write it below " + list + ", and indent it"
	case len(names) == 3 && names[0] == list:
		return "it looks like another one of " + list + ": begin it in the column of " + names[1]
	}
	return ""
}
