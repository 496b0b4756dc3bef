package jsonscan

import (
	"errors"

	"github.com/tidwall/gjson"
)

// The walking contenders visit every member once. They pass gjson the input as a string without
// copying it; gjson's functions for bytes copy their results, or all of the input.
func gjsonWalkHeader(raw []byte) (Header, error) {
	object := gjson.Parse(alias(raw))
	if !object.IsObject() {
		return Header{}, errNotObject
	}
	var l layout
	object.ForEach(func(key, value gjson.Result) bool {
		if key.Str == "metadata" {
			value.ForEach(func(key, value gjson.Result) bool {
				noteResult(l.meta(key.Str), value)
				return true
			})
			return true
		}
		noteResult(l.top(key.Str), value)
		return true
	})
	return l.build(raw)
}

func noteResult(where *span, value gjson.Result) {
	if where != nil {
		*where = span{value.Index, value.Index + len(value.Raw)}
	}
}

// gjsonValidWalkHeader shows the cost of gjson when malformed input must be detected.
func gjsonValidWalkHeader(raw []byte) (Header, error) {
	if !gjson.ValidBytes(raw) {
		return Header{}, errors.New("invalid JSON")
	}
	return gjsonWalkHeader(raw)
}

var gjsonHeaderPaths = []string{
	"apiVersion", "kind", "metadata.namespace", "metadata.name", "metadata.uid",
	"metadata.resourceVersion",
	"metadata.generation", "metadata.deletionTimestamp", "metadata.labels",
	"metadata.managedFields",
}

// places returns where to store the values of gjsonHeaderPaths, in the same order.
func (l *layout) places() [10]*span {
	return [10]*span{
		&l.apiVersion, &l.kind, &l.namespace, &l.name, &l.uid, &l.resourceVersion,
		&l.generation, &l.deletionTimestamp, &l.labels, &l.managedFields,
	}
}

func gjsonGetHeader(raw []byte) (Header, error) {
	var l layout
	text := alias(raw)
	for i, where := range l.places() {
		if value := gjson.Get(text, gjsonHeaderPaths[i]); value.Exists() {
			noteResult(where, value)
		}
	}
	return l.build(raw)
}

func gjsonGetManyHeader(raw []byte) (Header, error) {
	var l layout
	places := l.places()
	for i, value := range gjson.GetManyBytes(raw, gjsonHeaderPaths...) {
		if value.Exists() {
			noteResult(places[i], value)
		}
	}
	return l.build(raw)
}

func gjsonWalkFields(raw []byte) (Fields, error) {
	var f Fields
	gjson.Parse(alias(raw)).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "spec":
			f.Image = value.Get("containers.0.image").Str
		case "status":
			f.Phase = value.Get("phase").Str
		}
		return true
	})
	return f, nil
}

func gjsonGetFields(raw []byte) (Fields, error) {
	text := alias(raw)
	return Fields{
		Phase: gjson.Get(text, "status.phase").Str,
		Image: gjson.Get(text, "spec.containers.0.image").Str,
	}, nil
}

func gjsonGetManyFields(raw []byte) (Fields, error) {
	values := gjson.GetManyBytes(raw, "status.phase", "spec.containers.0.image")
	return Fields{Phase: values[0].Str, Image: values[1].Str}, nil
}
