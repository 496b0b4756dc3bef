package jsonscan

import (
	"sync"

	"github.com/valyala/fastjson"
)

// fastjsonState is reused. Values belong to the parser, so results must be copied.
type fastjsonState struct {
	parser  fastjson.Parser
	scratch []byte
}

var fastjsonStates = sync.Pool{New: func() any { return new(fastjsonState) }}

func fastjsonHeader(raw []byte) (Header, error) {
	s := fastjsonStates.Get().(*fastjsonState)
	defer fastjsonStates.Put(s)
	object, err := s.parser.ParseBytes(raw)
	if err != nil {
		return Header{}, err
	}
	if object.Type() != fastjson.TypeObject {
		return Header{}, errNotObject
	}
	meta := object.Get("metadata")
	h := Header{
		APIVersion:        string(object.GetStringBytes("apiVersion")),
		Kind:              string(object.GetStringBytes("kind")),
		Namespace:         string(meta.GetStringBytes("namespace")),
		Name:              string(meta.GetStringBytes("name")),
		UID:               string(meta.GetStringBytes("uid")),
		ResourceVersion:   string(meta.GetStringBytes("resourceVersion")),
		Generation:        meta.GetInt64("generation"),
		DeletionTimestamp: string(meta.GetStringBytes("deletionTimestamp")),
	}
	if labels := meta.Get("labels"); labels != nil {
		h.Labels = labels.MarshalTo(nil)
	}
	meta.Del("managedFields")
	s.scratch = object.MarshalTo(s.scratch[:0])
	h.Raw = exact(s.scratch)
	return h, nil
}

func fastjsonFields(raw []byte) (Fields, error) {
	s := fastjsonStates.Get().(*fastjsonState)
	defer fastjsonStates.Put(s)
	object, err := s.parser.ParseBytes(raw)
	if err != nil {
		return Fields{}, err
	}
	return Fields{
		Phase: string(object.GetStringBytes("status", "phase")),
		Image: string(object.GetStringBytes("spec", "containers", "0", "image")),
	}, nil
}
