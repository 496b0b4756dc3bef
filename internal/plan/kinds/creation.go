package kinds

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	openapi "github.com/informerd/informerd/internal/schema"
)

// Creation is what an API server, and kubectl, give an object that says no more.
type Creation struct {
	Namespace string    // of kinds that have one
	Others    bool      // kinds that Kubernetes does not have are such ones
	At        time.Time // zero: it is not created
}

// Of returns the object as it is created, and whether it was given the namespace. What is no object
// stays as it is.
func (c Creation) Of(text []byte) (created []byte, placed bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var o map[string]any
	if decoder.Decode(&o) != nil {
		return text, false
	}
	metadata, ok := o["metadata"].(map[string]any)
	if !ok {
		return text, false
	}
	if begins, _ := metadata["generateName"].(string); begins != "" && metadata["name"] == nil {
		metadata["name"] = begins + "x"
	}
	if metadata["creationTimestamp"] == nil && metadata["uid"] == nil && !c.At.IsZero() {
		metadata["creationTimestamp"] = c.At.UTC().Format(time.RFC3339)
	}
	if ns := metadata["namespace"]; c.Namespace != "" && (ns == nil || ns == "") && c.has(o) {
		metadata["namespace"], placed = c.Namespace, true
	}
	created, err := json.Marshal(o)
	if err != nil { // it was JSON
		panic("kinds: an object that was read as JSON is none: " + err.Error())
	}
	return created, placed
}

// has reports whether objects of the kind are in namespaces.
func (c Creation) has(o map[string]any) bool {
	version, _ := o["apiVersion"].(string)
	kind, _ := o["kind"].(string)
	set, err := openapi.Builtin()
	if err != nil || kind == "" {
		return false
	}
	known, found := set.FindKind(version, kind)
	return found && !OfCluster(known) || !found && c.Others
}

// ResourceOf returns the resource of an object, with its group, "" unless its kind is one of
// Kubernetes' own.
func ResourceOf(text []byte) string {
	var is struct{ APIVersion, Kind string }
	set, err := openapi.Builtin()
	if err != nil || json.Unmarshal(text, &is) != nil {
		return ""
	}
	known, found := set.FindKind(is.APIVersion, is.Kind)
	if !found {
		return ""
	}
	return strings.TrimSuffix(known.Resource+"."+known.Group, ".")
}
