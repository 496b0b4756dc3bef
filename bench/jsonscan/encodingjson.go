package jsonscan

import "encoding/json"

type stdMetadata struct {
	Namespace         string          `json:"namespace"`
	Name              string          `json:"name"`
	UID               string          `json:"uid"`
	ResourceVersion   string          `json:"resourceVersion"`
	Generation        int64           `json:"generation"`
	DeletionTimestamp string          `json:"deletionTimestamp"`
	Labels            json.RawMessage `json:"labels"`
}

// encodingjsonHeader splits the object into raw members, which keeps unknown ones, and joins them
// again without managedFields. encoding/json reports no positions, so a part cannot be cut out of
// the input.
func encodingjsonHeader(raw []byte) (Header, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return Header{}, err
	}
	var h Header
	var meta stdMetadata
	for _, part := range []struct {
		raw  json.RawMessage
		into any
	}{{top["apiVersion"], &h.APIVersion}, {top["kind"], &h.Kind}, {top["metadata"], &meta}} {
		if part.raw == nil {
			continue
		}
		if err := json.Unmarshal(part.raw, part.into); err != nil {
			return Header{}, err
		}
	}
	if top["metadata"] != nil {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(top["metadata"], &members); err != nil {
			return Header{}, err
		}
		delete(members, "managedFields")
		kept, err := json.Marshal(members)
		if err != nil {
			return Header{}, err
		}
		top["metadata"] = kept
	}
	own, err := json.Marshal(top)
	if err != nil {
		return Header{}, err
	}
	h.Namespace, h.Name, h.UID = meta.Namespace, meta.Name, meta.UID
	h.ResourceVersion, h.Generation = meta.ResourceVersion, meta.Generation
	h.DeletionTimestamp, h.Labels = meta.DeletionTimestamp, meta.Labels
	h.Raw = exact(own)
	return h, nil
}

func encodingjsonFields(raw []byte) (Fields, error) {
	var object fieldsObject
	if err := json.Unmarshal(raw, &object); err != nil {
		return Fields{}, err
	}
	return object.fields(), nil
}

// fieldsObject is the part of a pod that has the two fields.
type fieldsObject struct {
	Spec struct {
		Containers []struct {
			Image string `json:"image"`
		} `json:"containers"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

func (o *fieldsObject) fields() Fields {
	f := Fields{Phase: o.Status.Phase}
	if len(o.Spec.Containers) > 0 {
		f.Image = o.Spec.Containers[0].Image
	}
	return f
}

// exact returns a copy without spare capacity.
func exact(b []byte) []byte {
	own := make([]byte, len(b))
	copy(own, b)
	return own
}
