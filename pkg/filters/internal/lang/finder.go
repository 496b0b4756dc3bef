package lang

import "github.com/informerd/informerd/pkg/informer/object"

// Finder says where owner and condition look and for what.
type Finder struct {
	Name string
	List object.Path
	Key  string // of the member that the argument names
	// first is a member that, being true, is looked for first.
	First string
}

var (
	FindOwner = Finder{"owner", object.MustCompilePath("metadata.ownerReferences"), "kind",
		"controller"}
	FindCondition = Finder{"condition", object.MustCompilePath("status.conditions"), "type", ""}
)
