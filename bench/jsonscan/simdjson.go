package jsonscan

import (
	"errors"
	"sync"

	"github.com/minio/simdjson-go"
)

// simdjsonState is reused: the parsed form is several times as large as the object.
type simdjsonState struct {
	parsed  *simdjson.ParsedJson
	scratch []byte
}

var simdjsonStates = sync.Pool{New: func() any { return new(simdjsonState) }}

func simdjsonSupported() bool { return simdjson.SupportedCPU() }

// parse returns an iterator at the top-level value, and that value as an object.
func (s *simdjsonState) parse(raw []byte) (*simdjson.Iter, *simdjson.Object, error) {
	parsed, err := simdjson.Parse(raw, s.parsed, simdjson.WithCopyStrings(false))
	if err != nil {
		return nil, nil, err
	}
	s.parsed = parsed
	iter := parsed.Iter()
	iter.Advance()
	_, root, err := iter.Root(nil)
	if err != nil {
		return nil, nil, err
	}
	object, err := root.Object(nil)
	return root, object, err
}

func simdjsonHeader(raw []byte) (Header, error) {
	s := simdjsonStates.Get().(*simdjsonState)
	defer simdjsonStates.Put(s)
	root, object, err := s.parse(raw)
	if err != nil {
		return Header{}, err
	}
	var h Header
	err = simdjsonMembers(object, func(key []byte, value simdjson.Iter) (err error) {
		switch string(key) {
		case "apiVersion":
			h.APIVersion, err = value.String()
		case "kind":
			h.Kind, err = value.String()
		case "metadata":
			err = simdjsonMetadata(&h, &value)
		}
		return err
	})
	if err != nil {
		return Header{}, err
	}
	if s.scratch, err = root.MarshalJSONBuffer(s.scratch[:0]); err != nil {
		return Header{}, err
	}
	h.Raw = exact(s.scratch)
	return h, nil
}

// simdjsonMembers is Object.ForEach with a visit function that can fail.
func simdjsonMembers(object *simdjson.Object,
	visit func(key []byte, value simdjson.Iter) error) error {
	var failed error
	err := object.ForEach(func(key []byte, value simdjson.Iter) {
		failed = errors.Join(failed, visit(key, value))
	}, nil)
	return errors.Join(failed, err)
}

var managedFieldsOnly = map[string]struct{}{"managedFields": {}}

func simdjsonMetadata(h *Header, value *simdjson.Iter) error {
	meta, err := value.Object(nil)
	if err != nil {
		return err
	}
	err = simdjsonMembers(meta, func(key []byte, value simdjson.Iter) (err error) {
		switch string(key) {
		case "namespace":
			h.Namespace, err = value.String()
		case "name":
			h.Name, err = value.String()
		case "uid":
			h.UID, err = value.String()
		case "resourceVersion":
			h.ResourceVersion, err = value.String()
		case "generation":
			h.Generation, err = value.Int()
		case "deletionTimestamp":
			h.DeletionTimestamp, err = value.String()
		}
		return err
	})
	if err != nil {
		return err
	}
	// ForEach's iterators continue to the end of the object when marshalled; FindKey's do not.
	if labels := meta.FindKey("labels", nil); labels != nil {
		if h.Labels, err = labels.Iter.MarshalJSON(); err != nil {
			return err
		}
	}
	return meta.DeleteElems(func([]byte, simdjson.Iter) bool { return true }, managedFieldsOnly)
}

func simdjsonFields(raw []byte) (Fields, error) {
	s := simdjsonStates.Get().(*simdjsonState)
	defer simdjsonStates.Put(s)
	_, object, err := s.parse(raw)
	if err != nil {
		return Fields{}, err
	}
	phase, err := simdjsonText(object, "status", "phase")
	if err != nil {
		return Fields{}, err
	}
	first, err := simdjsonFirst(object, "spec", "containers")
	if err != nil || first == nil {
		return Fields{Phase: phase}, err
	}
	image, err := simdjsonText(first, "image")
	return Fields{Phase: phase, Image: image}, err
}

// simdjsonText returns the string at the path, empty if there is none.
func simdjsonText(object *simdjson.Object, path ...string) (string, error) {
	var element simdjson.Element
	if _, err := object.FindPath(&element, path...); err != nil {
		return "", ignoreAbsent(err)
	}
	return element.Iter.String()
}

// simdjsonFirst returns the first element of the array at the path, which paths cannot express. It
// returns nil if the array is missing or empty.
func simdjsonFirst(object *simdjson.Object, path ...string) (*simdjson.Object, error) {
	var element simdjson.Element
	if _, err := object.FindPath(&element, path...); err != nil {
		return nil, ignoreAbsent(err)
	}
	array, err := element.Iter.Array(nil)
	if err != nil || array.FirstType() != simdjson.TypeObject {
		return nil, err
	}
	iter := array.Iter()
	iter.Advance()
	return iter.Object(nil)
}

func ignoreAbsent(err error) error {
	if errors.Is(err, simdjson.ErrPathNotFound) {
		return nil
	}
	return err
}
