package document

import (
	"reflect"

	"go.yaml.in/yaml/v3"
)

// Value is a value in a file that a type of a [Kind] decodes in its own way.
type Value struct {
	// Path is the path of its field.
	Path string

	decoder *decoder
	node    *yaml.Node
	depth   int
}

// IsMapping reports whether it is a mapping.
func (v Value) IsMapping() bool { return v.node.Kind == yaml.MappingNode }

// IsText reports whether it is a string.
func (v Value) IsText() bool { return v.node.Kind == yaml.ScalarNode && v.node.Tag == "!!str" }

// Text returns a string. Anything else is reported, with what it must be instead.
func (v Value) Text(want string) (text string, ok bool) {
	return v.node.Value, v.decoder.scalar(v.node, v.Path, "!!str", want)
}

// Decode puts the value into a pointer, by the kind of the Go type.
func (v Value) Decode(into any) {
	v.decoder.plain(v.node, reflect.ValueOf(into).Elem(), v.Path, v.depth)
}

// Wrong notes a mistake in the value.
func (v Value) Wrong(format string, args ...any) *Error {
	return v.decoder.BadValue(v.Path, format, args...)
}
