package kube

import (
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Reference names an object of a cluster, as in pod/default/web or node/n1.
type Reference struct{ Resource, Namespace, Name string }

// ParseReference parses RESOURCE/NAMESPACE/NAME or RESOURCE/NAME, and reports whether the text can
// be a reference.
func ParseReference(text string) (ref Reference, ok bool) {
	parts := strings.Split(text, "/")
	switch len(parts) {
	case 2:
		ref = Reference{Resource: parts[0], Name: parts[1]}
	case 3:
		ref = Reference{parts[0], parts[1], parts[2]}
		ok = len(validation.IsDNS1123Label(ref.Namespace)) == 0
	}
	if slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(ref.Name)) {
		return Reference{}, false // it is the name of a missing file
	}
	ok = (ok || len(parts) == 2) && ref.Name != "" &&
		len(validation.IsDNS1123Subdomain(strings.ToLower(ref.Resource))) == 0
	return ref, ok
}

func (r Reference) String() string {
	if r.Namespace == "" {
		return r.Resource + "/" + r.Name
	}
	return r.Resource + "/" + r.Namespace + "/" + r.Name
}
