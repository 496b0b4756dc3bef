package advice

import (
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
