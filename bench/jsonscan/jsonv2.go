package jsonscan

import (
	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Members not listed here go to Rest. The tag has both names of that option because
// encoding/json/v2 in Go 1.26 (GOEXPERIMENT=jsonv2) calls it inline and the module has renamed it
// to embed.
type v2Object struct {
	APIVersion string         `json:"apiVersion,omitzero"`
	Kind       string         `json:"kind,omitzero"`
	Metadata   v2Metadata     `json:"metadata"`
	Rest       jsontext.Value `json:",inline,embed"`
}

type v2Metadata struct {
	Namespace         string         `json:"namespace,omitzero"`
	Name              string         `json:"name,omitzero"`
	UID               string         `json:"uid,omitzero"`
	ResourceVersion   string         `json:"resourceVersion,omitzero"`
	Generation        int64          `json:"generation,omitzero"`
	DeletionTimestamp string         `json:"deletionTimestamp,omitzero"`
	Labels            jsontext.Value `json:"labels,omitzero"`
	ManagedFields     jsontext.Value `json:"managedFields,omitzero"`
	Rest              jsontext.Value `json:",inline,embed"`
}

// jsonv2Header decodes the header's members and keeps all others raw, for which v2 has a struct
// tag.
func jsonv2Header(raw []byte) (Header, error) {
	var object v2Object
	if err := json.Unmarshal(raw, &object); err != nil {
		return Header{}, err
	}
	meta := &object.Metadata
	meta.ManagedFields = nil
	own, err := json.Marshal(&object)
	if err != nil {
		return Header{}, err
	}
	return Header{
		APIVersion:        object.APIVersion,
		Kind:              object.Kind,
		Namespace:         meta.Namespace,
		Name:              meta.Name,
		UID:               meta.UID,
		ResourceVersion:   meta.ResourceVersion,
		Generation:        meta.Generation,
		DeletionTimestamp: meta.DeletionTimestamp,
		Labels:            meta.Labels,
		Raw:               exact(own),
	}, nil
}

func jsonv2Fields(raw []byte) (Fields, error) {
	var object fieldsObject
	if err := json.Unmarshal(raw, &object); err != nil {
		return Fields{}, err
	}
	return object.fields(), nil
}
