package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/nearest"
	openapi "github.com/informerd/informerd/internal/schema"
)

// Hint returns what is probably wrong about an object's kind or apiVersion, if these are of no
// common resource: did you mean …? It is "" if that is not known.
func Hint(apiVersion, kind string) string {
	set, err := openapi.Builtin()
	if err != nil || kind == "" {
		return ""
	}
	group := openapi.GroupOf(apiVersion)
	if _, known := set.FindKind(apiVersion, kind); known {
		return ""
	}
	meant, known := set.Find(kind)
	if known && meant.Group == group {
		return fmt.Sprintf("did you mean kind: %s?", meant.Kind)
	}
	if near, ok := nearest.Name(kind, set.Kinds(group)); ok {
		return fmt.Sprintf("did you mean kind: %s?", near)
	}
	near, ok := nearest.Name(group, set.Groups())
	misspelt := ok && near == meant.Group
	if !known || group != "" && group != oldGroup && !slices.Contains(set.Groups(), group) &&
		!misspelt {
		return "" // a group of its own may have any kind
	}
	return fmt.Sprintf("did you mean apiVersion: %s and kind: %s?",
		set.APIVersions(meant.Group, meant.Kind)[0], meant.Kind)
}

// oldGroup had kinds that have groups of their own since Kubernetes v1.16.
const oldGroup = "extensions"

// OtherVersion returns a note about an object of a common kind in a version that the kind does
// not have, as far as is known; "" if there is nothing to note.
func OtherVersion(apiVersion, kind string) string {
	set, err := openapi.Builtin()
	if err != nil {
		return ""
	}
	group := openapi.GroupOf(apiVersion)
	if group == oldGroup {
		meant, _ := set.Find(kind)
		group = meant.Group
	}
	versions := set.APIVersions(group, kind)
	if len(versions) == 0 || slices.Contains(versions, apiVersion) {
		return ""
	}
	return fmt.Sprintf("informerd knows no %s of apiVersion %s, only of %s; a listener gets objects in the version that its informer watches",
		kind, apiVersion, strings.Join(versions, ", "))
}

// NoNamespace returns a note about an object that has no namespace, and is one of a resource whose
// objects have one; "" if that is not so, as far as is known.
func NoNamespace(resource, kind string) string {
	set, err := openapi.Builtin()
	if err != nil {
		return ""
	}
	if known, ok := set.Find(resource); !ok || OfCluster(known) {
		return ""
	}
	return fmt.Sprintf("the %s has no metadata.namespace, and is taken as one in no namespace; kubectl creates it in that of its context, or in default",
		kind)
}

// Unsure returns a note about an object that may be of another kind than a resource's, "" if there
// is none. Only an API server knows all resources.
func Unsure(resource, apiVersion, kind string) string {
	not, sure := Not(resource, apiVersion, kind)
	if not == "" || sure {
		return ""
	}
	return fmt.Sprintf("the object is a %s and the informer watches %s; if these are not the same, the listener never sees it",
		not, resource)
}
