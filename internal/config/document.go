package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is a file of another kind than those of this package, read as strictly: a case of a
// handler's tests. Who reads it adds what else is wrong with it.
type Document struct {
	*report
	root *yaml.Node
	data []byte
}

// ReadDocument puts a text into a pointer to a struct whose fields have json tags. Noun is what the
// file is called in errors. The error is an Errors about a text with which there is nothing to go
// on; other mistakes are in Err.
func ReadDocument(noun, file string, data []byte, into any) (*Document, error) {
	what := document{noun: noun}
	root, textErr := parseTree(what, file, data)
	if textErr != nil {
		return nil, Errors{*textErr}
	}
	d := newDecoder(what, file, data)
	d.root(root, reflect.ValueOf(into).Elem())
	if d.stopped {
		return nil, gather(d.report)
	}
	return &Document{report: d.report, root: root, data: data}, nil
}

// Err gives all mistakes in the document, as an Errors, nil if there are none.
func (d *Document) Err() error {
	if mistakes := gather(d.report); len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

// Has tells whether the field stands in the document.
func (d *Document) Has(field string) bool { return d.has(field) }

// Missing tells whether the member is surely missing in the mapping, and not only misspelt.
func (d *Document) Missing(mapping, member string) bool { return d.missing(mapping, member) }

// Good tells whether the field stands in the document and nothing is wrong with it so far.
func (d *Document) Good(field string) bool { return d.good(field) }

// Line is the line on which the field's value begins, 0 if it does not stand in the document.
func (d *Document) Line(field string) int { return d.values[field].line }

// Wrong notes a mistake in a field, where it stands. The message names the field.
func (d *Document) Wrong(field, hint, message string) {
	d.failed[field] = true
	d.add(d.place(field), field, hint, "%s", message)
}

// CheckHandler fills in the defaults of a handler's grants and limits, which stand in the mapping
// at path, and checks them as in a configuration. Which informers there are is not known here.
func (d *Document) CheckHandler(g *Grants, l *Limits, path string) {
	d.CheckGrants(g, join(path, "grants"))
	checkLimits(l, join(path, "limits"), d.report)
}

// CheckGrants fills in the defaults of grants and checks them.
func (d *Document) CheckGrants(g *Grants, path string) {
	d.failed["informers"] = true
	checkGrants(&Config{State: State{Dir: "."}}, g, path, d.report)
}

// CheckLimits fills in the defaults of limits and checks them.
func (d *Document) CheckLimits(l *Limits, path string) { checkLimits(l, path, d.report) }

// Item gives the path of a list's item.
func Item(list string, i int) string { return item(list, i) }

// AddToItems gives the text of the document with members added to items of a list, by the item's
// number. A member is YAML, as it stands on the left margin. The rest of the text stays as it is.
func (d *Document) AddToItems(list string, members map[int]string) ([]byte, error) {
	items, next, err := d.items(list)
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(d.data), "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	} else {
		lines[last] += "\n"
	}
	for i := len(items) - 1; i >= 0; i-- { // from the end, so that lines keep their numbers
		end := len(lines) + 1
		switch {
		case i+1 < len(items):
			end = items[i+1].Line
		case next != nil:
			end = next.Line
		}
		member, wanted := members[i]
		if !wanted {
			continue
		}
		at := items[i]
		if at.Kind != yaml.MappingNode || at.Style&yaml.FlowStyle != 0 || at.Line == 0 {
			return nil, Errors{{File: d.file, Line: at.Line, Column: at.Column,
				Field:   item(list, i),
				Message: item(list, i) + " stands in braces, so nothing can be added to it",
				Hint:    "write one field a line"}}
		}
		indent := at.Column - 1
		for end-2 >= at.Line && passable(lines[end-2], indent) {
			end--
		}
		var added []string
		for line := range strings.Lines(strings.TrimSuffix(member, "\n") + "\n") {
			added = append(added, strings.Repeat(" ", indent)+line)
		}
		lines = slices.Insert(lines, end-1, added...)
	}
	return []byte(strings.Join(lines, "")), nil
}

// passable tells whether a line at the end of an item may come behind what is added: a blank one,
// or a comment that is not part of a text in the item, which would be indented.
func passable(line string, indent int) bool {
	text := strings.TrimSpace(line)
	return text == "" || strings.HasPrefix(text, "#") && leadingSpaces(line) < indent
}

// items finds a list in the document, and the key behind it.
func (d *Document) items(list string) (items []*yaml.Node, next *yaml.Node, err error) {
	if d.root.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(d.root.Content); i += 2 {
			if d.root.Content[i].Value != list || d.root.Content[i+1].Kind != yaml.SequenceNode {
				continue
			}
			if i+2 < len(d.root.Content) {
				next = d.root.Content[i+2]
			}
			return d.root.Content[i+1].Content, next, nil
		}
	}
	return nil, nil, fmt.Errorf("%s: there is no list %s", d.file, list)
}

// Members gives the names in the one mapping that a text is, nil if it is none or cannot be read.
func Members(file string, data []byte) (members []string) {
	root, err := parseTree(document{noun: "file"}, file, data)
	if err != nil || root.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		members = append(members, root.Content[i].Value)
	}
	return members
}
