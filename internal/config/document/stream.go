package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"

	"go.yaml.in/yaml/v3"
)

// Part is one document of a text that has several.
type Part struct {
	// Place is where it begins.
	Place Place

	decoder *decoder
	node    *yaml.Node
}

// Stream calls each for the documents of a YAML text, but for empty ones, until it returns an
// error. Its own error is an [Errors].
func Stream(kind *Kind, file string, data []byte, each func(Part) error) error {
	if json.Valid(data) {
		data = asYAML(data)
	}
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
		node, err := nextDocument(decoder)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return Errors{*syntaxError(kind, file, data, err)}
		}
		if len(node.Content) != 1 || isNull(node.Content[0]) {
			continue // an empty document between two ---
		}
		root := node.Content[0]
		if err := each(Part{placeOf(root), newDecoder(kind, file, data), root}); err != nil {
			return err
		}
	}
}

// HasMember reports whether the document is a mapping with a member of this name.
func (p Part) HasMember(name string) bool { return memberOf(p.node, name) >= 0 }

// Node returns the document as the library has it.
func (p Part) Node() *yaml.Node { return p.node }

// Decode puts the document into a pointer to a struct whose fields have json tags. The error is an
// [Errors].
func (p Part) Decode(into any) error {
	p.decoder.root(p.node, reflect.ValueOf(into).Elem())
	return p.decoder.Err()
}

// JSON returns the document as JSON. Members keep their order, numbers their digits. The error is
// an [Errors].
func (p Part) JSON() ([]byte, error) {
	var b bytes.Buffer
	p.decoder.writeJSON(&b, p.node, "", 0)
	return b.Bytes(), p.decoder.Err()
}
