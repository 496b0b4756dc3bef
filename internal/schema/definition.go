package schema

import (
	"bytes"
	"encoding/json"

	"github.com/informerd/informerd/pkg/filters"
)

// definition is the content of a CustomResourceDefinition that schemas are built of.
type definition struct {
	document

	group, plural, kind string
	open                bool // spec.preserveUnknownFields, which v1 has only of older versions
	versions            []definedVersion
}

type definedVersion struct {
	name   string
	served bool
	root   *node // nil without a schema
}

// ParseDefinition returns the schemas of a CustomResourceDefinition, as JSON: one for each version
// that is served and has one. They are those that the API server publishes for it.
func ParseDefinition(data []byte) (*Set, error) {
	d := &definition{}
	d.title = "the CustomResourceDefinition"
	d.dec = json.NewDecoder(bytes.NewReader(data))
	d.dec.UseNumber()
	err := d.object(func(key string) error {
		if key != "spec" {
			return d.skip()
		}
		return d.object(d.readSpec)
	})
	if err == nil {
		err = d.end()
	}
	if err != nil {
		return nil, err
	}
	set := &Set{}
	if d.open {
		return set, nil
	}
	b := builder{document: &d.document, made: map[*node]*filters.Schema{}}
	var roots []*filters.Schema
	for _, v := range d.versions {
		if !v.served || v.root == nil {
			continue
		}
		v.root.embedded = true // every object has metadata
		root := b.schemaOf(v.root)
		roots = append(roots, root)
		set.entries = append(set.entries, entry{group: d.group, version: v.name,
			resource: d.plural, kind: d.kind, schema: root})
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

func (d *definition) readSpec(key string) error {
	switch key {
	case "group":
		return d.string(&d.group)
	case "names":
		return d.object(func(key string) error {
			switch key {
			case "plural":
				return d.string(&d.plural)
			case "kind":
				return d.string(&d.kind)
			default:
				return d.skip()
			}
		})
	case "preserveUnknownFields":
		return d.bool(&d.open)
	case "versions":
		return d.array(func() error {
			var v definedVersion
			err := d.object(func(key string) error {
				switch key {
				case "name":
					return d.string(&v.name)
				case "served":
					return d.bool(&v.served)
				case "schema":
					return d.object(func(key string) (err error) {
						if key == "openAPIV3Schema" {
							v.root, err = d.readSchema()
							return err
						}
						return d.skip()
					})
				default:
					return d.skip()
				}
			})
			d.versions = append(d.versions, v)
			return err
		})
	default:
		return d.skip()
	}
}
