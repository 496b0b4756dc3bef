package document

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// File is a file that was read. Checks add to its report what else is wrong with it.
type File struct {
	*Report
	// Nodes is how many values the file has, those behind an alias counted each time it is used.
	Nodes int

	root *yaml.Node
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
	f := &File{Report: d.Report, Nodes: d.nodes, root: root}
	if d.stopped {
		return f, Gather(d.Report)
	}
	return f, nil
}

// Members returns the names at the top of the file, in its order.
func (f *File) Members() (names []string) {
	for i := 0; f.root.Kind == yaml.MappingNode && i < len(f.root.Content); i += 2 {
		names = append(names, f.root.Content[i].Value)
	}
	return names
}

// Line returns the line on which the field's value begins, 0 if the file does not have it.
func (f *File) Line(field string) int { return f.Value(field).Line }

// Wrong notes a mistake in a field, at its place or the innermost one around it. The message names
// the field.
func (f *File) Wrong(field, message string) *Error {
	f.SetFailed(field)
	return f.Add(f.Place(field), field, "%s", message)
}

// Members returns the names in the one mapping that a text is, nil if it is none or cannot be read.
func Members(file string, data []byte) []string {
	root, err := parse(&Kind{Noun: "file"}, file, data)
	if err != nil {
		return nil
	}
	return (&File{root: root}).Members()
}

// TextAt returns the text at a path of members, as in state, dir; "" if there is none. The rest of
// the file may have mistakes, as long as it is YAML or JSON.
func TextAt(file string, data []byte, path ...string) string {
	at, err := parse(&Kind{Noun: "file"}, file, data)
	if err != nil {
		return ""
	}
	for _, name := range path {
		i := memberOf(at, name)
		if i < 0 {
			return ""
		}
		at = at.Content[i+1]
	}
	return at.Value
}
