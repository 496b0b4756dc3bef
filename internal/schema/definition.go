package schema

import (
	"fmt"

	"github.com/informerd/informerd/pkg/filters"
)

// ParseDefinition returns the schemas of a CustomResourceDefinition, as JSON: one for each version
// that is served and has one. They are those that the API server publishes for it.
func ParseDefinition(data []byte) (*Set, error) {
	const title = "the CustomResourceDefinition"
	var doc struct {
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Plural string `json:"plural"`
				Kind   string `json:"kind"`
			} `json:"names"`
			// Open is what v1 has only of older versions.
			Open     bool `json:"preserveUnknownFields"`
			Versions []struct {
				Name   string `json:"name"`
				Served bool   `json:"served"`
				Schema struct {
					Root *written `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := unmarshal(title, data, &doc); err != nil {
		return nil, err
	}
	set := &Set{}
	spec := doc.Spec
	if spec.Open {
		return set, nil
	}
	b := builder{document: &document{}, made: map[*node]*filters.Schema{}}
	var roots []*filters.Schema
	for _, v := range spec.Versions {
		if !v.Served || v.Schema.Root == nil {
			continue
		}
		n, err := b.node(v.Schema.Root, spec.Names.Kind)
		if err != nil {
			return nil, fmt.Errorf("%s: version %s: %w", title, v.Name, err)
		}
		n.embedded = true // every object has metadata
		root := b.schemaOf(n)
		roots = append(roots, root)
		set.entries = append(set.entries, Entry{Group: spec.Group, Version: v.Name,
			Resource: spec.Names.Plural, Kind: spec.Names.Kind, Schema: root})
	}
	if err := b.fillAll(); err != nil {
		return nil, err
	}
	metadata := metadataOf()
	for _, root := range roots {
		if root.Fields != nil { // what the definition says of metadata only restricts names
			root.Fields["metadata"] = metadata
		}
	}
	set.sort()
	return set, nil
}

// metadataOf returns the schema of every object's metadata.
func metadataOf() *filters.Schema {
	if any := AnyObject(); any != nil {
		return any.Fields["metadata"]
	}
	return &filters.Schema{Type: "object", Open: true}
}
