package schema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/informerd/informerd/pkg/filters"
)

// scalars are the types of values that have no fields.
var scalars = []string{"string", "integer", "number", "boolean"}

// maxWork bounds the steps that making schemas of a document takes: schemas that are put together
// of the same parts again and again would make much of little.
const maxWork = 1_000_000

// objectMeta is the component that an embedded object's metadata has.
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// Parse gives the schemas of the resources of an OpenAPI v3 document. Resources that cannot be read
// one by one or listed, and those that the document has no schema for, are left out.
func Parse(data []byte) (*Set, error) {
	d, err := readDocument(data)
	if err != nil {
		return nil, err
	}
	b := builder{document: d, made: map[*node]*filters.Schema{}}
	set := &Set{}
	for _, r := range slices.SortedFunc(maps.Keys(d.resources), func(a, b gvr) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.version, b.version),
			cmp.Compare(a.resource, b.resource))
	}) {
		if n := d.kinds[d.resources[r]]; n != nil {
			set.entries = append(set.entries, entry{
				group: r.group, version: r.version, resource: r.resource, kind: d.resources[r].kind,
				schema: b.want(n),
			})
		}
	}
	for len(b.open) > 0 {
		n := b.open[len(b.open)-1]
		b.open = b.open[:len(b.open)-1]
		if err := b.fill(b.made[n], n); err != nil {
			return nil, err
		}
	}
	set.sort()
	return set, nil
}

// builder makes schemas of a document. What a schema consists of is made later, one after the
// other: references may go in circles, and be longer than a stack.
type builder struct {
	*document
	made map[*node]*filters.Schema
	open []*node // those whose schema is made and not yet filled
	work int
}

// want gives the schema of a node, which is filled later.
func (b *builder) want(n *node) *filters.Schema {
	for range 20 { // more would be a circle, which fill sees
		next, ok := b.standsFor(n)
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

// standsFor gives the component that a node only refers to.
func (b *builder) standsFor(n *node) (*node, bool) {
	if n.saysNothing() && n.ref == "" && len(n.all) == 1 {
		n = n.all[0]
	}
	if !n.saysNothing() || n.ref == "" || len(n.all) > 0 {
		return nil, false
	}
	target := b.components[n.ref]
	return target, target != nil
}

// saysNothing tells whether nothing but references make the node.
func (n *node) saysNothing() bool {
	return n.kind == "" && n.format == "" && n.fields == nil && n.items == nil && n.values == nil &&
		len(n.choices) == 0 &&
		!n.open && !n.closed && !n.keeps && !n.embedded && !n.intOrString
}

// parts gives the node and all that it consists of by references and allOf, each once.
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
				place([]string{"components", "schemas", n.component}))
		}
		if ref := parts[i].ref; ref != "" {
			target := b.components[ref]
			if target == nil {
				return nil, fmt.Errorf(
					"the OpenAPI document: %s: it refers to the component %q, which is not there",
					place([]string{"components", "schemas", parts[i].component}),
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

// fill says in a schema what a node says.
func (b *builder) fill(s *filters.Schema, n *node) error {
	parts, err := b.parts(n)
	if err != nil {
		return err
	}
	all := merge(parts)
	if b.work += len(all.fields); b.work > maxWork {
		return fmt.Errorf("the OpenAPI document: the schemas of %s have too many fields",
			place([]string{"components", "schemas", n.component}))
	}
	switch {
	case all.intOrString || all.format == "int-or-string":
		// It may be either.
	case all.kind == "object":
		b.fillObject(s, all)
	case all.kind == "array":
		s.Type = all.kind
		if all.items != nil {
			s.Items = b.want(all.items)
		}
	case all.kind != "":
		s.Type = all.kind
	default:
		s.Type, s.Open = choice(all)
	}
	return nil
}

// merge puts parts together that must all hold. Of types and formats, the first counts.
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
		for name, field := range p.fields {
			if all.fields == nil {
				all.fields = map[string]*node{}
			}
			all.fields[name] = both(all.fields[name], field)
		}
		all.items = both(all.items, p.items)
		all.values = both(all.values, p.values)
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

// anything is a node that nothing is known of.
var anything = &node{keeps: true}

// both is what is known of something of which two parts speak. To put different nodes together
// could go on for ever, as they may lead back to each other.
func both(a, b *node) *node {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	case a.ref != "" && a.ref == b.ref && a.saysNothing() && b.saysNothing() &&
		len(a.all)+len(b.all) == 0:
		return a
	default:
		return anything
	}
}

// infer gives a type to what only one type can have.
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
	// in order, for the first mistake to be the same each time
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		s.Fields[name] = b.want(n.fields[name])
	}
	if n.values != nil {
		s.Values = b.want(n.values)
	}
	saysNothing := len(n.fields) == 0 && n.values == nil && !n.closed
	s.Open = n.open || n.keeps || saysNothing || n.choicesHaveMore()
	if n.embedded {
		b.embed(s)
	}
}

// embed adds what every object has.
func (b *builder) embed(s *filters.Schema) {
	metadata := &filters.Schema{Type: "object", Open: true}
	if n := b.components[objectMeta]; n != nil {
		metadata = b.want(n)
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

// choicesHaveMore tells whether a choice may have a field that the node itself does not have. Those
// of custom resources never have: they only say which of the node's fields go together.
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

// choice gives the type of what has none itself: that of all choices, or any. It has no fields if
// no choice can have some.
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
