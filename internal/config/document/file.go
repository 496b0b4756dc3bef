package document

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// File is a file that was read. Checks add to its report what else is wrong with it.
type File struct {
	*Report
	// Nodes is how many values the file has, those behind an alias counted each time it is used.
	Nodes int

	root *yaml.Node
	data []byte
}

// Read puts a text into a pointer to a struct whose fields have json tags. The error is an [Errors]
// about a text that could not be read to its end; then only Nodes may be used. Other mistakes are
// in the report, and the fields that they are about keep their zero value.
func Read(kind *Kind, file string, data []byte, into any) (*File, error) {
	return ReadAll(kind, []Text{{file, data}}, into)
}

// ReadAll is Read for several texts that are read as one. There must be one.
func ReadAll(kind *Kind, texts []Text, into any) (*File, error) {
	root, parts, mistakes := join(kind, texts)
	if len(mistakes) > 0 {
		return &File{}, mistakes.Cut()
	}
	d := newDecoder(kind, texts[0].File, texts[0].Data)
	if len(texts) > 1 {
		d.parts = parts
		for _, t := range texts[1:] {
			d.lines = append(d.lines, strings.Split(string(t.Data), "\n")...)
		}
	}
	d.root(root, reflect.ValueOf(into).Elem())
	f := &File{Report: d.Report, Nodes: d.nodes, root: root, data: texts[0].Data}
	if d.stopped {
		return f, Gather(d.Report)
	}
	return f, nil
}

// Err returns all mistakes in the file, as an [Errors], nil if there are none.
func (f *File) Err() error {
	if mistakes := Gather(f.Report); len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

// Members returns the names at the top of the file, in its order.
func (f *File) Members() []string { return shapeOf(f.root, nil).Names }

// MembersOf returns the names of the members that the items of a list at the top have.
func (f *File) MembersOf(list string) (names []string) {
	if f.root.Kind != yaml.MappingNode {
		return nil
	}
	at := memberOf(f.root, list)
	if at < 0 || f.root.Content[at+1].Kind != yaml.SequenceNode {
		return nil
	}
	for _, item := range f.root.Content[at+1].Content {
		if item.Kind == yaml.MappingNode {
			names = append(names, shapeOf(item, nil).Names...)
		}
	}
	return names
}

// Line returns the line on which the field's value begins, 0 if the file does not have it.
func (f *File) Line(field string) int { return f.Value(field).Line }

// Wrong notes a mistake in a field, at its place or the innermost one around it. The message names
// the field.
func (f *File) Wrong(field, hint, message string) {
	f.SetFailed(field)
	f.Add(f.Place(field), field, hint, "%s", message)
}

// AddToItems returns the text of the file with members added to items of a list, by the item's
// number. A member is YAML that begins at the left margin. The rest of the text does not change,
// but for a line break at the end of a file that has none.
func (f *File) AddToItems(list string, members map[int]string) ([]byte, error) {
	items, next, err := f.items(list)
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(f.data), "\n")
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
			return nil, Errors{{File: f.file, Line: at.Line, Column: at.Column,
				Field:   Item(list, i),
				Message: Item(list, i) + " is in braces, so nothing can be added to it",
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

// passable reports whether a line at the end of an item may follow what is added: a blank one,
// or a comment that is not part of a text in the item, which would be indented.
func passable(line string, indent int) bool {
	text := strings.TrimSpace(line)
	return text == "" || strings.HasPrefix(text, "#") && leadingSpaces(line) < indent
}

// items returns the items of a list in the file, and the key after it.
func (f *File) items(list string) (items []*yaml.Node, next *yaml.Node, err error) {
	if f.root.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(f.root.Content); i += 2 {
			if f.root.Content[i].Value != list || f.root.Content[i+1].Kind != yaml.SequenceNode {
				continue
			}
			if i+2 < len(f.root.Content) {
				next = f.root.Content[i+2]
			}
			return f.root.Content[i+1].Content, next, nil
		}
	}
	return nil, nil, fmt.Errorf("%s: there is no list %s", f.file, list)
}

// Members returns the names in the one mapping that a text is, nil if it is none or cannot be read.
func Members(file string, data []byte) (names []string) {
	eachMember(file, data, func(name, _ string) { names = append(names, name) })
	return names
}

// Member returns the text of a member of the one mapping that a text is, "" if there is none.
func Member(file string, data []byte, name string) (text string) {
	eachMember(file, data, func(member, value string) {
		if member == name && text == "" {
			text = value
		}
	})
	return text
}

// TextAt returns the text at a path of members, as in state, dir; "" if there is none. The rest of
// the file may have mistakes, as long as it is YAML or JSON.
func TextAt(file string, data []byte, path ...string) string {
	at, err := parse(&Kind{Noun: "file"}, file, data)
	if err != nil {
		return ""
	}
	for _, name := range path {
		var next *yaml.Node
		for i := 0; at.Kind == yaml.MappingNode && i+1 < len(at.Content); i += 2 {
			if at.Content[i].Value == name {
				next = at.Content[i+1]
			}
		}
		if next == nil {
			return ""
		}
		at = next
	}
	return at.Value
}

func eachMember(file string, data []byte, each func(name, text string)) {
	root, err := parse(&Kind{Noun: "file"}, file, data)
	if err != nil || root.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		each(root.Content[i].Value, root.Content[i+1].Value)
	}
}
