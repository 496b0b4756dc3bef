package kubeapi

import (
	"encoding/json"
	"errors"
)

// Metadata is what outputs need of an answer.
type Metadata struct {
	Name            string `json:"name"`
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
}

// ReadMetadata reads the metadata of the object that an API server answered with. A proxy may have
// answered instead.
func ReadMetadata(answer []byte) (Metadata, error) {
	var o struct {
		Metadata Metadata `json:"metadata"`
	}
	if err := json.Unmarshal(answer, &o); err != nil || o.Metadata.Name == "" {
		return Metadata{}, errors.New(
			"the answer is not a Kubernetes object; is it the API server's?")
	}
	return o.Metadata, nil
}
