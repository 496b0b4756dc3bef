package schema

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/filters"
)

// The form of the built-in schemas is text, one line each, compressed:
//
//	Kubernetes v1.36.3
//	schemas 3
//	object apiVersion=1 labels=2
//	string
//	object {}=1
//	resource apps/v1 deployments Deployment 0 deploy
//
// A schema's line has its type, or any, with a + if it is open, and then its items ([]), values
// ({}) and fields, each with the number of its schema, from 0. A string has the texts that it may
// be, each after a |. A resource's line has its schema's
// number and its short names.

// decode reads the built-in schemas, which dev/schemas writes.
func decode(packed []byte) (set *Set, kubernetes string, err error) {
	text, err := decompress(packed)
	if err != nil {
		return nil, "", err
	}
	d := decoder{lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), set: &Set{}}
	if err := d.decode(); err != nil {
		return nil, "", fmt.Errorf("line %d: %w", d.line, err)
	}
	return d.set, d.kubernetes, nil
}

type decoder struct {
	lines      []string
	line       int
	kubernetes string
	schemas    []filters.Schema
	set        *Set
}

func (d *decoder) decode() error {
	var count string
	for _, header := range []struct {
		word string
		into *string
	}{{"Kubernetes ", &d.kubernetes}, {"schemas ", &count}} {
		text, ok := strings.CutPrefix(d.next(), header.word)
		if !ok {
			return fmt.Errorf("want %s", header.word)
		}
		*header.into = text
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || n > len(d.lines)-d.line {
		return fmt.Errorf("%q is not a number of schemas", count)
	}
	d.schemas = make([]filters.Schema, n)
	for i := range d.schemas {
		if err := d.schema(&d.schemas[i], d.next()); err != nil {
			return err
		}
	}
	for d.line < len(d.lines) {
		if err := d.resource(strings.Split(d.next(), " ")); err != nil {
			return err
		}
	}
	d.set.sort()
	return nil
}

func (d *decoder) next() string {
	if d.line == len(d.lines) {
		return ""
	}
	d.line++
	return d.lines[d.line-1]
}

func (d *decoder) schema(s *filters.Schema, line string) error {
	kind, parts, _ := strings.Cut(line, " ")
	kind, s.Open = strings.CutSuffix(kind, "+")
	if kind != "any" {
		s.Type = kind
	}
	for part := ""; parts != ""; {
		part, parts, _ = strings.Cut(parts, " ")
		if strings.HasPrefix(part, "|") && s.Type == "string" {
			var err error
			if s.Enum, err = decodeEnum(part); err != nil {
				return err
			}
			continue
		}
		name, number, _ := strings.Cut(part, "=")
		schema, err := d.numbered(number)
		if err != nil {
			return err
		}
		switch name {
		case "[]":
			s.Items = schema
		case "{}":
			s.Values = schema
		default:
			if s.Fields == nil {
				s.Fields = make(map[string]*filters.Schema, strings.Count(parts, " ")+2)
			}
			s.Fields[name] = schema
		}
	}
	return nil
}

func (d *decoder) resource(words []string) error {
	if len(words) < 5 || words[0] != "resource" {
		return errors.New("want a resource")
	}
	schema, err := d.numbered(words[4])
	if err != nil {
		return err
	}
	group, version, ok := strings.Cut(words[1], "/")
	if !ok {
		group, version = "", group
	}
	d.set.entries = append(d.set.entries, Entry{
		Group: group, Version: version, Resource: words[2], Kind: words[3], Schema: schema,
		ShortNames: words[5:],
	})
	return nil
}

func (d *decoder) numbered(number string) (*filters.Schema, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(d.schemas) {
		return nil, fmt.Errorf("%q is not a schema", number)
	}
	return &d.schemas[n], nil
}

func decompress(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, maxDocument))
}
