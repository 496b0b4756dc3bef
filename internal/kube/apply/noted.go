package apply

import (
	"encoding/json"
	"reflect"
)

// Noted returns the object that Merge has made with what kubectl notes in it, in the annotation
// kubectl.kubernetes.io/last-applied-configuration, and whether it notes anything else than before:
// it does if the object is not applied server-side, and somebody has written something else now, or
// kubectl notes it for the first time.
func Noted(current, merged, written []byte) (noted []byte, differs bool, err error) {
	objects := make([]map[string]any, 3)
	for i, text := range [][]byte{current, merged, written} {
		if objects[i], err = decode(text); err != nil {
			return nil, false, err
		}
	}
	is, result, to := objects[0], objects[1], objects[2]
	before := appliedBefore(is)
	if before == nil && len(appliers(is, to)) > 0 {
		return merged, false, nil
	}
	strip(to)
	if before != nil {
		if strip(before); reflect.DeepEqual(before, to) {
			return merged, false, nil
		}
	}
	metadata, ok := result["metadata"].(map[string]any)
	text, err := json.Marshal(to)
	if !ok || err != nil {
		return merged, false, err
	}
	annotations, ok := metadata["annotations"].(map[string]any)
	if !ok {
		annotations = map[string]any{}
		metadata["annotations"] = annotations
	}
	annotations[lastApplied] = string(text) + "\n"
	if generation, counts := mapIn(is, "metadata")["generation"]; counts {
		metadata["generation"] = generation
	}
	Objects{}.countGeneration(is, result)
	noted, err = json.Marshal(result)
	return noted, true, err
}

// Same reports whether a server has the same of an object twice, but for who manages which field.
func Same(a, b []byte) bool {
	is, err := decode(a)
	to, other := decode(b)
	if err != nil || other != nil {
		return false
	}
	for _, object := range []map[string]any{is, to} {
		metadata := mapIn(object, "metadata")
		delete(metadata, "managedFields")
		delete(metadata, "resourceVersion")
	}
	return reflect.DeepEqual(is, to)
}
