package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The limits of a document. The largest one of Kubernetes has 1.6 MB and some thousand schemas.
const (
	maxDocument  = 32 << 20
	maxNodes     = 500_000
	maxResources = 10_000
)

// refPrefix is the prefix of every reference.
const refPrefix = "#/components/schemas/"

// document is the content of an OpenAPI document that schemas are built of.
type document struct {
	components map[string]*node
	kinds      map[metav1.GroupVersionKind]*node // the components that state their kind
	resources  map[metav1.GroupVersionResource]metav1.GroupVersionKind

	nodes int
}

// node is a schema of the document.
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

// written is a schema as written in the document.
type written struct {
	Ref         string              `json:"$ref"`
	Types       types               `json:"type"`
	Format      string              `json:"format"`
	Enum        enum                `json:"enum"`
	Properties  map[string]*written `json:"properties"`
	Items       *written            `json:"items"`
	Values      values              `json:"additionalProperties"`
	AllOf       []*written          `json:"allOf"`
	OneOf       []*written          `json:"oneOf"`
	AnyOf       []*written          `json:"anyOf"`
	Keeps       bool                `json:"x-kubernetes-preserve-unknown-fields"`
	Embedded    bool                `json:"x-kubernetes-embedded-resource"`
	IntOrString bool                `json:"x-kubernetes-int-or-string"`
	Kinds       json.RawMessage     `json:"x-kubernetes-group-version-kind"` // of components
}

// types are those that a value may have, of which OpenAPI 3.1 allows several.
type types []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *types) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*[]string)(t)) == nil {
		return nil
	}
	var one string
	err := json.Unmarshal(data, &one)
	*t = types{one}
	return err
}

// values are additionalProperties: a schema, true or false.
type values struct {
	schema       *written
	open, closed bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *values) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &v.open) == nil {
		v.closed = !v.open
		return nil
	}
	return json.Unmarshal(data, &v.schema)
}

// unmarshal reads a document of a title. Errors have the place.
func unmarshal(title string, data []byte, into any) error {
	err := json.Unmarshal(data, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: %.300s: unexpected %s", title, wrong.Field, wrong.Value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", title, err)
	}
	return nil
}

func readDocument(data []byte) (*document, error) {
	const title = "the OpenAPI document"
	if len(data) > maxDocument {
		return nil, fmt.Errorf("%s: it has %d bytes, at most %d MiB are allowed", title, len(data),
			maxDocument>>20)
	}
	var doc struct {
		OpenAPI    string `json:"openapi"`
		Components struct {
			Schemas map[string]*written `json:"schemas"`
		} `json:"components"`
		Paths map[string]struct {
			Get struct {
				Kind *metav1.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
			} `json:"get"`
		} `json:"paths"`
	}
	if err := unmarshal(title, data, &doc); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.") {
		return nil, fmt.Errorf("%s: unsupported version: openapi is %.20q, want 3.x", title,
			doc.OpenAPI)
	}
	d := &document{components: map[string]*node{}, kinds: map[metav1.GroupVersionKind]*node{},
		resources: map[metav1.GroupVersionResource]metav1.GroupVersionKind{}}
	for path, of := range doc.Paths {
		if r, ok := resourceOf(path); ok && of.Get.Kind != nil {
			d.resources[r] = *of.Get.Kind
		}
	}
	if len(d.resources) > maxResources {
		return nil, fmt.Errorf("%s: more than %d resources", title, maxResources)
	}
	for name, w := range doc.Components.Schemas {
		n, err := d.node(w, name)
		if err != nil {
			return nil, fmt.Errorf("%s: components.schemas.%.100s: %w", title, name, err)
		}
		// Older servers declare a quantity as a string, although it may also be written as a number.
		n.intOrString = n.intOrString || strings.HasSuffix(name, ".api.resource.Quantity")
		d.components[name] = n
		var kinds []metav1.GroupVersionKind
		if w != nil && json.Unmarshal(w.Kinds, &kinds) == nil {
			for _, k := range kinds {
				d.kinds[k] = n
			}
		}
	}
	return d, nil
}

// node returns the node of a schema that is part of a component.
func (d *document) node(w *written, component string) (*node, error) {
	if d.nodes++; d.nodes > maxNodes {
		return nil, fmt.Errorf("more than %d schemas", maxNodes)
	}
	n := &node{component: component}
	if w == nil {
		return n, nil
	}
	n.format, n.enum, n.open, n.closed = w.Format, w.Enum, w.Values.open, w.Values.closed
	n.keeps, n.embedded, n.intOrString = w.Keeps, w.Embedded, w.IntOrString
	if w.Ref != "" {
		name, ok := strings.CutPrefix(w.Ref, refPrefix)
		if !ok {
			return nil, fmt.Errorf("%.100q is not a reference to a component of the document", w.Ref)
		}
		n.ref = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	kinds := slices.DeleteFunc(w.Types, func(kind string) bool { return kind == "null" })
	if len(kinds) == 1 && (kinds[0] == "object" || kinds[0] == "array" ||
		slices.Contains(scalars, kinds[0])) { // an unknown type is any
		n.kind = kinds[0]
	}
	var err error
	part := func(w *written) *node {
		if err != nil {
			return nil
		}
		var made *node
		made, err = d.node(w, component)
		return made
	}
	if w.Properties != nil {
		n.fields = make(map[string]*node, len(w.Properties))
	}
	for name, field := range w.Properties {
		n.fields[name] = part(field)
	}
	if w.Items != nil {
		n.items = part(w.Items)
	}
	if w.Values.schema != nil {
		n.values = part(w.Values.schema)
	}
	for _, w := range w.AllOf {
		n.all = append(n.all, part(w))
	}
	for _, w := range slices.Concat(w.OneOf, w.AnyOf) {
		n.choices = append(n.choices, part(w))
	}
	return n, err
}

// resourceOf returns the resource of a path such as
// /apis/apps/v1/namespaces/{namespace}/deployments/{name}.
func resourceOf(path string) (metav1.GroupVersionResource, bool) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	var r metav1.GroupVersionResource
	switch {
	case len(parts) > 2 && parts[0] == "api":
		r.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		r.Group, r.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return metav1.GroupVersionResource{}, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" && parts[1] == "{namespace}" {
		parts = parts[2:]
	}
	r.Resource = parts[0]
	ofResource := len(parts) == 1 || len(parts) == 2 && parts[1] == "{name}"
	return r, ofResource && r.Resource != "" && !strings.Contains(r.Resource, "{")
}
