package schema

import (
	"bytes"
	"compress/gzip"
	"encoding/json"

	"github.com/informerd/informerd/pkg/filters"
)

// Packed are schemas as they are embedded in the program: compressed JSON, which dev/schemas writes.
// Each schema is there once; others refer to it by its place.
type Packed struct {
	Kubernetes string // the version that they are of
	Schemas    []PackedSchema
	Resources  []PackedResource
}

// PackedSchema is a filters.Schema with places in place of schemas; -1 is none.
type PackedSchema struct {
	Type          string         `json:",omitempty"`
	Open          bool           `json:",omitempty"`
	Enum          []string       `json:",omitempty"`
	Items, Values int            // places
	Fields        map[string]int `json:",omitempty"`
}

// PackedResource is an Entry with the place of its schema.
type PackedResource struct {
	Group, Version, Resource, Kind string
	ShortNames                     []string `json:",omitempty"`
	Schema                         int
}

// unpack reads what dev/schemas has written.
func unpack(packed []byte) (*Set, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var p Packed
	if err := json.NewDecoder(r).Decode(&p); err != nil {
		return nil, err
	}
	schemas := make([]filters.Schema, len(p.Schemas))
	at := func(place int) *filters.Schema {
		if place < 0 {
			return nil
		}
		return &schemas[place]
	}
	for i, s := range p.Schemas {
		schemas[i] = filters.Schema{Type: s.Type, Open: s.Open, Enum: s.Enum, Items: at(s.Items),
			Values: at(s.Values)}
		if len(s.Fields) > 0 {
			schemas[i].Fields = make(map[string]*filters.Schema, len(s.Fields))
		}
		for name, place := range s.Fields {
			schemas[i].Fields[name] = at(place)
		}
	}
	entries := make([]Entry, 0, len(p.Resources))
	for _, e := range p.Resources {
		entries = append(entries, Entry{Group: e.Group, Version: e.Version,
			Resource: e.Resource, Kind: e.Kind, ShortNames: e.ShortNames, Schema: at(e.Schema)})
	}
	return NewSet(entries), nil
}
