package kinds

import (
	"encoding/json"
	"fmt"
)

// Lacks returns what keeps JSON from being a Kubernetes object, "" if it may be one. Places in
// the text are not those of the file, which may be YAML.
func Lacks(text []byte) string {
	var is struct{ APIVersion, Kind, Metadata any }
	if json.Unmarshal(text, &is) != nil {
		return ""
	}
	kind, _ := is.Kind.(string)
	version, _ := is.APIVersion.(string)
	metadata, isMap := is.Metadata.(map[string]any)
	name, isText := metadata["name"].(string)
	switch {
	case kind == "" || version == "":
		return "this is not a Kubernetes object: it needs apiVersion and kind, as texts"
	case is.Metadata != nil && !isMap:
		return "metadata is not a mapping: it has the object's name"
	case metadata["name"] != nil && !isText:
		return fmt.Sprintf("metadata.name is %v, and must be a text: put it in quotes",
			metadata["name"])
	case name == "":
		return fmt.Sprintf("the %s has no metadata.name", kind)
	}
	return ""
}
