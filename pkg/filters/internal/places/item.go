package places

import (
	"slices"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// ofItems are names of fields that items of many lists have, for lists of which no schema is known.
var ofItems = []string{"name", "namespace", "kind", "type", "status", "reason", "message", "image",
	"key", "value", "effect", "ready", "port", "restartCount", "uid"}

// OfItem reports whether a name that is not a variable is a field of an item.
func OfItem(item *lang.Schema, name string) bool {
	if item == nil || item.Type == "" && len(item.Fields) == 0 {
		return slices.Contains(ofItems, name)
	}
	return item.Fields[name] != nil
}
