package lang

import "github.com/informerd/informerd/pkg/informer/object"

// Finder describes owner or condition: the list that it searches, and for what.
type Finder struct {
	Name string
	List object.Path
	Key  string // the member that is compared with the argument
	// First is a member: an item in which it is true is preferred.
	First string
}

// Finders are the functions that search a list of the object, by name.
var Finders = map[string]Finder{
	"owner":     {"owner", object.MustCompilePath("metadata.ownerReferences"), "kind", "controller"},
	"condition": {"condition", object.MustCompilePath("status.conditions"), "type", ""},
}
