package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
)

// encode writes resources in the form of the built-in schemas, which decode in internal/schema
// reads. Equal resources have equal output: equal schemas are written once.
func encode(entries []schema.Entry, kubernetes string) ([]byte, error) {
	var text bytes.Buffer
	fmt.Fprintf(&text, "Kubernetes %s\n", kubernetes)
	roots := make([]*filters.Schema, 0, len(entries))
	for _, e := range entries {
		roots = append(roots, e.Schema)
	}
	schemas, number := equivalent(roots)
	fmt.Fprintf(&text, "schemas %d\n", len(schemas))
	for _, s := range schemas {
		if err := writeSchema(&text, s, number); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		fmt.Fprintf(&text, "resource %s %s %s %d",
			strings.TrimPrefix(e.Group+"/"+e.Version, "/"), e.Resource, e.Kind, number[e.Schema])
		for _, name := range e.ShortNames {
			text.WriteString(" " + name)
		}
		text.WriteString("\n")
	}
	return compress(text.Bytes())
}

func writeSchema(w *bytes.Buffer, s *filters.Schema, number map[*filters.Schema]int) error {
	kind := s.Type
	if kind == "" {
		kind = "any"
	}
	w.WriteString(kind)
	if s.Open {
		w.WriteByte('+')
	}
	if len(s.Enum) > 0 {
		w.WriteByte(' ')
		for _, text := range s.Enum {
			w.WriteString("|" + url.QueryEscape(text))
		}
	}
	if s.Items != nil {
		fmt.Fprintf(w, " []=%d", number[s.Items])
	}
	if s.Values != nil {
		fmt.Fprintf(w, " {}=%d", number[s.Values])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
		if name == "" || name == "[]" || name == "{}" || strings.ContainsAny(name, " =\n\r") {
			return fmt.Errorf("the field name %q cannot be written", name)
		}
		fmt.Fprintf(w, " %s=%d", name, number[s.Fields[name]])
	}
	w.WriteByte('\n')
	return nil
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
