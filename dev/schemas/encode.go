package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
)

// encode writes resources in the form of the built-in schemas. Equal resources have equal output:
// equal schemas are written once.
func encode(entries []schema.Entry, kubernetes string) ([]byte, error) {
	p := schema.Packed{Kubernetes: kubernetes}
	roots := make([]*filters.Schema, 0, len(entries))
	for _, e := range entries {
		roots = append(roots, e.Schema)
	}
	schemas, number := equivalent(roots)
	at := func(s *filters.Schema) int {
		if s == nil {
			return -1
		}
		return number[s]
	}
	for _, s := range schemas {
		packed := schema.PackedSchema{Type: s.Type, Open: s.Open, Enum: s.Enum, Items: at(s.Items),
			Values: at(s.Values), Fields: map[string]int{}}
		for name, field := range s.Fields {
			packed.Fields[name] = at(field)
		}
		p.Schemas = append(p.Schemas, packed)
	}
	for _, e := range entries {
		p.Resources = append(p.Resources, schema.PackedResource{Group: e.Group, Version: e.Version,
			Resource: e.Resource, Kind: e.Kind, ShortNames: e.ShortNames, Schema: at(e.Schema)})
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return compress(text)
}

// equivalent numbers all schemas reachable from the roots, equal ones with the same number, and
// returns one schema for each number. Since schemas may be cyclic, it starts with all of them in
// one class, and splits classes until no reference distinguishes members of the same class.
func equivalent(roots []*filters.Schema) ([]*filters.Schema, map[*filters.Schema]int) {
	all := reachable(roots)
	class := make(map[*filters.Schema]int, len(all))
	for known := 0; ; {
		classes := map[string]int{}
		next := make(map[*filters.Schema]int, len(all))
		var first []*filters.Schema
		for _, s := range all {
			says := signature(s, class)
			n, seen := classes[says]
			if !seen {
				n = len(first)
				classes[says] = n
				first = append(first, s)
			}
			next[s] = n
		}
		class = next
		if len(first) == known {
			return first, class
		}
		known = len(first)
	}
}

// signature returns the same text for schemas that are equal, as far as their parts are
// distinguished so far.
func signature(s *filters.Schema, class map[*filters.Schema]int) string {
	of := func(part *filters.Schema) int {
		if part == nil {
			return -1
		}
		return class[part]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %t %d %d %q", s.Type, s.Open, of(s.Items), of(s.Values), s.Enum)
	for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
		fmt.Fprintf(&b, " %q %d", name, of(s.Fields[name]))
	}
	return b.String()
}

// reachable returns the schemas reachable from the roots, the roots first, in an order that depends
// only on their content.
func reachable(roots []*filters.Schema) []*filters.Schema {
	var all []*filters.Schema
	seen := map[*filters.Schema]bool{nil: true}
	add := func(s *filters.Schema) {
		if !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	for _, root := range roots {
		add(root)
	}
	for i := 0; i < len(all); i++ {
		add(all[i].Items)
		add(all[i].Values)
		for _, name := range slices.Sorted(maps.Keys(all[i].Fields)) {
			add(all[i].Fields[name])
		}
	}
	return all
}

func compress(text []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}
