package schema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/filters"
)

// scalars are the types of values that have no fields.
var scalars = []string{"string", "integer", "number", "boolean"}

// maxWork bounds the steps of building the schemas of a document: schemas composed repeatedly of
// the same parts would otherwise grow enormously.
const maxWork = 1_000_000

// objectMeta is the component for an embedded object's metadata.
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// Parse returns the schemas of the resources of an OpenAPI v3 document. It omits resources that
// cannot be read individually or listed, and those without a schema in the document.
func Parse(data []byte) (*Set, error) {
	d, err := readDocument(data)
	if err != nil {
		return nil, err
	}
	b := builder{document: d, made: map[*node]*filters.Schema{}}
	set := &Set{}
	for _, r := range slices.SortedFunc(maps.Keys(d.resources), func(a, b metav1.GroupVersionResource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version),
			cmp.Compare(a.Resource, b.Resource))
	}) {
		if n := d.kinds[d.resources[r]]; n != nil {
			set.entries = append(set.entries, Entry{
				Group: r.Group, Version: r.Version, Resource: r.Resource, Kind: d.resources[r].Kind,
				Schema: b.schemaOf(n),
			})
		}
	}
	if err := b.fillAll(); err != nil {
		return nil, err
	}
	set.sort()
	return set, nil
}

// builder builds the schemas of a document. A schema's parts are filled in later, one after the
// other, since references may be cyclic, and deeper than a stack.
type builder struct {
	*document
	made map[*node]*filters.Schema
	open []*node // nodes whose schema exists and is not yet filled
	work int
}

// fillAll fills the schemas that exist.
func (b *builder) fillAll() error {
	for len(b.open) > 0 {
		n := b.open[len(b.open)-1]
		b.open = b.open[:len(b.open)-1]
		if err := b.fill(b.made[n], n); err != nil {
			return err
		}
	}
	return nil
}

// schemaOf returns the schema of a node, which is filled later.
func (b *builder) schemaOf(n *node) *filters.Schema {
	for range 20 { // more would be a cycle, which fill detects
		next, ok := b.target(n)
		if !ok {
			break
		}
		n = next
	}
	s := b.made[n]
	if s == nil {
		s = &filters.Schema{}
		b.made[n] = s
		b.open = append(b.open, n)
	}
	return s
}

// target returns the component of a node that is nothing but a reference.
func (b *builder) target(n *node) (*node, bool) {
	if n.onlyRefers() && n.ref == "" && len(n.all) == 1 {
		n = n.all[0]
	}
	if !n.onlyRefers() || n.ref == "" || len(n.all) > 0 {
		return nil, false
	}
	target := b.components[n.ref]
	return target, target != nil
}

// onlyRefers reports whether a node consists of references only.
func (n *node) onlyRefers() bool {
	return n.kind == "" && n.format == "" && n.fields == nil && n.items == nil && n.values == nil &&
		len(n.choices) == 0 && n.enum == nil &&
		!n.open && !n.closed && !n.keeps && !n.embedded && !n.intOrString
}

// parts returns the node and everything it consists of by references and allOf, each once.
func (b *builder) parts(n *node) ([]*node, error) {
	seen := map[*node]bool{n: true}
	parts := []*node{n}
	add := func(n *node) {
		if !seen[n] {
			seen[n] = true
			parts = append(parts, n)
		}
	}
	for i := 0; i < len(parts); i++ {
		if b.work++; b.work > maxWork {
			return nil, fmt.Errorf(
				"the OpenAPI document: the schemas of %s refer to too many others",
				"components.schemas."+n.component)
		}
		if ref := parts[i].ref; ref != "" {
			target := b.components[ref]
			if target == nil {
				return nil, fmt.Errorf(
					"the OpenAPI document: %s: unknown component %q",
					"components.schemas."+parts[i].component,
					ref[:min(len(ref), 100)])
			}
			add(target)
		}
		for _, part := range parts[i].all {
			add(part)
		}
	}
	return parts, nil
}

// fill fills a schema from a node.
func (b *builder) fill(s *filters.Schema, n *node) error {
	parts, err := b.parts(n)
	if err != nil {
		return err
	}
	all := merge(parts)
	if b.work += len(all.fields); b.work > maxWork {
		return fmt.Errorf("the OpenAPI document: the schemas of %s have too many fields",
			"components.schemas."+n.component)
	}
	switch {
	case all.intOrString || all.format == "int-or-string":
		// It may be either type.
	case all.kind == "object":
		b.fillObject(s, all)
	case all.kind == "array":
		s.Type = all.kind
		if all.items != nil {
			s.Items = b.schemaOf(all.items)
		}
	case all.kind == "string":
		s.Type, s.Enum = all.kind, all.enum
	case all.kind != "":
		s.Type = all.kind
	default:
		s.Type, s.Open = choice(all)
	}
	return nil
}

// merge combines parts that must all hold. Of several types, formats or enums, the first counts.
func merge(parts []*node) *node {
	if len(parts) == 1 {
		all := *parts[0]
		all.infer()
		return &all
	}
	all := &node{}
	for _, p := range parts {
		all.kind = cmp.Or(all.kind, p.kind)
		all.format = cmp.Or(all.format, p.format)
		if all.enum == nil {
			all.enum = p.enum
		}
		for name, field := range p.fields {
			if all.fields == nil {
				all.fields = map[string]*node{}
			}
			all.fields[name] = combine(all.fields[name], field)
		}
		all.items = combine(all.items, p.items)
		all.values = combine(all.values, p.values)
		all.choices = append(all.choices, p.choices...)
		all.open = all.open || p.open
		all.closed = all.closed || p.closed
		all.keeps = all.keeps || p.keeps
		all.embedded = all.embedded || p.embedded
		all.intOrString = all.intOrString || p.intOrString
	}
	all.infer()
	return all
}

// anything is a node of which nothing is known.
var anything = &node{keeps: true}

// combine returns what is known of a field that two parts describe. Combining different nodes might
// never end, as they may lead back to each other.
func combine(a, b *node) *node {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	case a.ref != "" && a.ref == b.ref && a.onlyRefers() && b.onlyRefers() &&
		len(a.all)+len(b.all) == 0:
		return a
	default:
		return anything
	}
}

// infer sets the type of a node whose content allows only one.
func (n *node) infer() {
	switch {
	case n.kind != "":
	case n.fields != nil || n.values != nil || n.embedded:
		n.kind = "object"
	case n.items != nil:
		n.kind = "array"
	}
}

func (b *builder) fillObject(s *filters.Schema, n *node) {
	s.Type = n.kind
	if len(n.fields) > 0 {
		s.Fields = make(map[string]*filters.Schema, len(n.fields))
	}
	// in order, so that the first mistake is the same each time
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		s.Fields[name] = b.schemaOf(n.fields[name])
	}
	if n.values != nil {
		s.Values = b.schemaOf(n.values)
	}
	onlyRefers := len(n.fields) == 0 && n.values == nil && !n.closed
	s.Open = n.open || n.keeps || onlyRefers || n.choicesHaveMore()
	if n.embedded {
		b.embed(s)
	}
}

// embed adds the fields of every object.
func (b *builder) embed(s *filters.Schema) {
	metadata := &filters.Schema{Type: "object", Open: true}
	if n := b.components[objectMeta]; n != nil {
		metadata = b.schemaOf(n)
	}
	text := &filters.Schema{Type: "string"}
	for name, field := range map[string]*filters.Schema{"apiVersion": text, "kind": text,
		"metadata": metadata} {
		if s.Fields == nil {
			s.Fields = map[string]*filters.Schema{}
		}
		if s.Fields[name] == nil {
			s.Fields[name] = field
		}
	}
}

// choicesHaveMore reports whether a choice may have a field that the node itself does not have.
// Choices in custom resources never have: they only restrict combinations of the node's fields.
func (n *node) choicesHaveMore() bool {
	for _, c := range n.choices {
		if c.ref != "" || len(c.all) > 0 || len(c.choices) > 0 || c.values != nil || c.open ||
			c.keeps {
			return true
		}
		for name := range c.fields {
			if n.fields[name] == nil {
				return true
			}
		}
	}
	return false
}

// choice returns the type of a node without one: that of all choices, or any. It has no fields if
// no choice can have any.
func choice(n *node) (kind string, open bool) {
	if n.keeps {
		return "", true
	}
	var kinds []string
	for _, c := range n.choices {
		if !slices.Contains(scalars, c.kind) {
			return "", true
		}
		kinds = append(kinds, c.kind)
	}
	switch kinds = slices.Compact(kinds); len(kinds) {
	case 0:
		return "", true
	case 1:
		return kinds[0], false
	default:
		return "", false
	}
}
