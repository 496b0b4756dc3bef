package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The limits of a document. The largest one of Kubernetes has 1.6 MB and some thousand schemas,
// nested at most 5 deep; those of custom resources are nested deeper, since they repeat schemas
// instead of referring to them.
const (
	maxDocument  = 32 << 20
	maxDepth     = 100
	maxNodes     = 500_000
	maxResources = 10_000
)

// refPrefix is the prefix of every reference.
const refPrefix = "#/components/schemas/"

// document is the content of an OpenAPI document that schemas are built of.
type document struct {
	reader

	openapi    string
	components map[string]*node
	kinds      map[gvk]*node // the components that state their kind
	resources  map[gvr]gvk

	component string // the component that is being read
	depth     int
	nodes     int
}

type gvk struct{ group, version, kind string }

type gvr struct{ group, version, resource string }

// node is a schema as written in the document.
type node struct {
	ref       string // the component it refers to
	component string // that contains it
	kind      string // its type
	format    string
	fields    map[string]*node // properties
	items     *node
	values    *node   // additionalProperties
	all       []*node // allOf
	choices   []*node // oneOf, anyOf
	enum      enum

	open        bool // additionalProperties: true
	closed      bool // additionalProperties: false
	keeps       bool // x-kubernetes-preserve-unknown-fields
	embedded    bool // x-kubernetes-embedded-resource
	intOrString bool // x-kubernetes-int-or-string
}

func readDocument(data []byte) (*document, error) {
	if len(data) > maxDocument {
		return nil, fmt.Errorf("the OpenAPI document: it has %d bytes, at most %d MiB are allowed",
			len(data), maxDocument>>20)
	}
	d := &document{components: map[string]*node{}, kinds: map[gvk]*node{}, resources: map[gvr]gvk{}}
	d.title = "the OpenAPI document"
	d.dec = json.NewDecoder(bytes.NewReader(data))
	d.dec.UseNumber() // numbers that are ignored may be of any size
	err := d.object(func(key string) error {
		switch key {
		case "openapi":
			return d.string(&d.openapi)
		case "components":
			return d.object(func(key string) error {
				if key != "schemas" {
					return d.skip()
				}
				return d.object(d.readComponent)
			})
		case "paths":
			return d.object(d.readPath)
		default:
			return d.skip()
		}
	})
	if err == nil {
		err = d.end()
	}
	if err == nil && !strings.HasPrefix(d.openapi, "3.") {
		err = d.failf("unsupported version: openapi is %q, want 3.x",
			d.openapi[:min(len(d.openapi), 20)])
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (d *document) readComponent(name string) error {
	d.component = name
	var kinds []gvk
	if err := d.begin(); err != nil {
		return err
	}
	n, err := d.readBegunSchema(&kinds)
	if err != nil {
		return err
	}
	// Older servers declare a quantity as a string, although it may also be written as a number.
	if strings.HasSuffix(name, ".api.resource.Quantity") {
		n.intOrString = true
	}
	d.components[name] = n
	for _, k := range kinds {
		d.kinds[k] = n
	}
	return nil
}

func (d *document) readSchema() (*node, error) {
	if err := d.begin(); err != nil {
		return nil, err
	}
	return d.readBegunSchema(nil)
}

// readBegunSchema reads a schema after its opening brace; kinds, if not nil, receives the kinds
// that it states.
func (d *document) readBegunSchema(kinds *[]gvk) (*node, error) {
	if d.depth++; d.depth > maxDepth {
		return nil, d.failf("nested deeper than %d schemas", maxDepth)
	}
	defer func() { d.depth-- }()
	if d.nodes++; d.nodes > maxNodes {
		return nil, d.failf("more than %d schemas", maxNodes)
	}
	n := &node{component: d.component}
	err := d.members(func(key string) error {
		switch key {
		case "$ref":
			return d.readRef(n)
		case "type":
			return d.readType(n)
		case "format":
			return d.string(&n.format)
		case "enum":
			return d.decode(&n.enum)
		case "properties":
			return d.object(func(name string) error {
				field, err := d.readSchema()
				if n.fields == nil {
					n.fields = map[string]*node{}
				}
				n.fields[name] = field
				return err
			})
		case "items":
			items, err := d.readSchema()
			n.items = items
			return err
		case "additionalProperties":
			return d.readValues(n)
		case "allOf":
			return d.readList(&n.all)
		case "oneOf", "anyOf":
			return d.readList(&n.choices)
		case "x-kubernetes-preserve-unknown-fields":
			return d.bool(&n.keeps)
		case "x-kubernetes-embedded-resource":
			return d.bool(&n.embedded)
		case "x-kubernetes-int-or-string":
			return d.bool(&n.intOrString)
		case "x-kubernetes-group-version-kind":
			if kinds == nil {
				return d.skip()
			}
			return d.array(func() error {
				k, err := d.readKind()
				*kinds = append(*kinds, k)
				return err
			})
		default:
			return d.skip()
		}
	})
	return n, err
}

func (d *document) readList(into *[]*node) error {
	return d.array(func() error {
		n, err := d.readSchema()
		*into = append(*into, n)
		return err
	})
}

func (d *document) readRef(n *node) error {
	var ref string
	if err := d.string(&ref); err != nil {
		return err
	}
	name, ok := strings.CutPrefix(ref, refPrefix)
	if !ok {
		return d.failf("%q is not a reference to a component of the document",
			ref[:min(len(ref), 100)])
	}
	n.ref = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	return nil
}

// readType reads a type, of which OpenAPI 3.1 allows several. An unknown type is any.
func (d *document) readType(n *node) error {
	token, err := d.token()
	if err != nil {
		return err
	}
	var kinds []string
	switch t := token.(type) {
	case string:
		kinds = []string{t}
	default:
		if t != json.Delim('[') {
			return d.mustBe("a string", token)
		}
		err := d.reader.items(func() error {
			var kind string
			err := d.string(&kind)
			kinds = append(kinds, kind)
			return err
		})
		if err != nil {
			return err
		}
	}
	kinds = slices.DeleteFunc(kinds, func(kind string) bool { return kind == "null" })
	if len(kinds) == 1 && (kinds[0] == "object" || kinds[0] == "array" ||
		slices.Contains(scalars, kinds[0])) {
		n.kind = kinds[0]
	}
	return nil
}

// readValues reads additionalProperties, which are a schema, true or false.
func (d *document) readValues(n *node) error {
	token, err := d.token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case bool:
		n.open, n.closed = t, !t
	default:
		if t != json.Delim('{') {
			return d.mustBe("an object, true or false", token)
		}
		n.values, err = d.readBegunSchema(nil)
	}
	return err
}

func (d *document) readKind() (gvk, error) {
	var k gvk
	err := d.object(func(key string) error {
		switch key {
		case "group":
			return d.string(&k.group)
		case "version":
			return d.string(&k.version)
		case "kind":
			return d.string(&k.kind)
		default:
			return d.skip()
		}
	})
	return k, err
}

// readPath reads from a path of the server its resource and the kind of its objects.
func (d *document) readPath(path string) error {
	resource, ok := resourceOf(path)
	if !ok {
		return d.skip()
	}
	return d.object(func(key string) error {
		if key != "get" {
			return d.skip()
		}
		return d.object(func(key string) error {
			if key != "x-kubernetes-group-version-kind" {
				return d.skip()
			}
			kind, err := d.readKind()
			d.resources[resource] = kind
			if len(d.resources) > maxResources {
				return d.failf("more than %d resources", maxResources)
			}
			return err
		})
	})
}

// resourceOf returns the resource of a path such as
// /apis/apps/v1/namespaces/{namespace}/deployments/{name}.
func resourceOf(path string) (gvr, bool) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	var r gvr
	switch {
	case len(parts) > 2 && parts[0] == "api":
		r.version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		r.group, r.version, parts = parts[1], parts[2], parts[3:]
	default:
		return gvr{}, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" && parts[1] == "{namespace}" {
		parts = parts[2:]
	}
	r.resource = parts[0]
	ofResource := len(parts) == 1 || len(parts) == 2 && parts[1] == "{name}"
	return r, ofResource && r.resource != "" && !strings.Contains(r.resource, "{")
}
