package kinds

import (
	"bytes"
	"encoding/json"
	"strings"

	openapi "github.com/informerd/informerd/internal/schema"
)

// InNamespace returns an object with a namespace, if it says none, and its kind has one. Whether a
// kind that Kubernetes does not have has one is what others says. What is no object stays as it is.
func InNamespace(text []byte, namespace string, others bool) []byte {
	if namespace == "" {
		return text
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var o map[string]any
	if decoder.Decode(&o) != nil {
		return text
	}
	metadata, ok := o["metadata"].(map[string]any)
	if !ok || metadata["namespace"] != nil && metadata["namespace"] != "" {
		return text
	}
	version, _ := o["apiVersion"].(string)
	kind, _ := o["kind"].(string)
	set, err := openapi.Builtin()
	if err != nil {
		return text
	}
	if known, found := set.FindKind(version, kind); found && OfCluster(known) || !found && !others {
		return text
	}
	metadata["namespace"] = namespace
	with, err := json.Marshal(o)
	if err != nil {
		return text
	}
	return with
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

// Named returns an object with a name, if an API server makes one up from metadata.generateName.
func Named(text []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var o map[string]any
	if !bytes.Contains(text, []byte(`"generateName"`)) || decoder.Decode(&o) != nil {
		return text
	}
	metadata, _ := o["metadata"].(map[string]any)
	begins, _ := metadata["generateName"].(string)
	if begins == "" || metadata["name"] != nil {
		return text
	}
	metadata["name"] = begins + "x"
	named, err := json.Marshal(o)
	if err != nil {
		return text
	}
	return named
}
