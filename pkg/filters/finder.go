package filters

import "github.com/informerd/informerd/pkg/informer/object"

// finder says where owner and condition look and for what.
type finder struct {
	name string
	list object.Path
	key  string // of the member that the argument names
	// first is a member that, being true, is looked for first.
	first string
}

var (
	findOwner = finder{"owner", object.MustCompilePath("metadata.ownerReferences"), "kind",
		"controller"}
	findCondition = finder{"condition", object.MustCompilePath("status.conditions"), "type", ""}
)
