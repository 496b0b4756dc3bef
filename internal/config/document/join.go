package document

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Text is a file and what is in it.
type Text struct {
	File string
	Data []byte
}

// part is one of the files that are read as one. While they are, each line has the number that it
// would have if the files followed one another: that of the file, and before.
type part struct {
	file   string
	before int // lines
}

// join reads the texts as one tree: what one of them has is added to what those before have. A
// member that several have is there several times, which is a mistake, except for those that are
// mappings or lists of the kind's Joined, and for those of the kind's Same.
func join(kind *Kind, texts []Text) (root *yaml.Node, parts []part, mistakes Errors) {
	before := 0
	for i, t := range texts {
		n, err := parse(kind, t.File, t.Data)
		if err != nil {
			mistakes = append(mistakes, *err)
			continue
		}
		parts = append(parts, part{t.File, before})
		switch {
		case i == 0:
			root = n
			if len(texts) > 1 {
				mistakes = append(mistakes, lacking(kind, t.File, n)...)
			}
		default:
			if more := lacking(kind, t.File, n); len(more) > 0 || root == nil {
				mistakes = append(mistakes, more...)
				break
			}
			shift(n, before)
			mistakes = append(mistakes, add(kind, root, n, parts)...)
		}
		before += strings.Count(string(t.Data), "\n") + 1
	}
	return root, parts, mistakes
}

// lacking returns what is missing for a file to be one of several.
func lacking(kind *Kind, file string, n *yaml.Node) (mistakes Errors) {
	at := Error{File: file, Line: n.Line, Column: n.Column}
	if n.Kind != yaml.MappingNode {
		at.Message = "the " + kind.Noun + " must be a mapping"
		return Errors{at}
	}
	for _, name := range kind.Same {
		if memberOf(n, name) < 0 {
			at.Field, at.Message = name, missing("", name)
			mistakes = append(mistakes, at)
		}
	}
	return mistakes
}

// memberOf returns where the key of a member is in a mapping, -1 if there is none.
func memberOf(n *yaml.Node, name string) int {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == name {
			return i
		}
	}
	return -1
}

// shift makes the lines of a tree follow those of others.
func shift(n *yaml.Node, lines int) {
	n.Line += lines
	for _, child := range n.Content {
		shift(child, lines)
	}
}

// add puts the members of a mapping into another one.
func add(kind *Kind, to, from *yaml.Node, parts []part) (mistakes Errors) {
	for i := 0; i+1 < len(from.Content); i += 2 {
		key, value := from.Content[i], from.Content[i+1]
		at := memberOf(to, key.Value)
		switch {
		case at < 0 || key.Kind != yaml.ScalarNode:
		case slices.Contains(kind.Same, key.Value):
			other := to.Content[at+1]
			if other.Kind != value.Kind || other.Value != value.Value {
				file, line := locate(parts, value.Line)
				first, firstLine := locate(parts, other.Line)
				mistakes = append(mistakes, Error{File: file, Line: line, Column: value.Column,
					Field: key.Value, Message: fmt.Sprintf("%s is %s here, and %s at %s:%d",
						key.Value, Quote(value.Value), Quote(other.Value), Shown(first),
						firstLine)})
			}
			continue
		case slices.Contains(kind.Joined, key.Value) && to.Content[at+1].Kind == value.Kind &&
			(value.Kind == yaml.MappingNode || value.Kind == yaml.SequenceNode):
			to.Content[at+1].Content = append(to.Content[at+1].Content, value.Content...)
			continue
		}
		to.Content = append(to.Content, key, value)
	}
	return mistakes
}

// locate returns the file of a line, and which line of it that is.
func locate(parts []part, line int) (file string, at int) {
	for i := len(parts) - 1; i > 0; i-- {
		if line > parts[i].before {
			return parts[i].file, line - parts[i].before
		}
	}
	return parts[0].file, line
}

// Located returns the file that a place is in, and where it is there.
func (s Source) Located(p Place) (file string, at Place) {
	if len(s.parts) < 2 {
		return s.file, p
	}
	file, p.Line = locate(s.parts, p.Line)
	return file, p
}

// Files are the paths of the files that were read as one.
func (s Source) Files() (files []string) {
	if len(s.parts) == 0 {
		return []string{s.file}
	}
	for _, p := range s.parts {
		files = append(files, p.file)
	}
	return files
}

// order returns where a file is among those that were read as one.
func (s Source) order(file string) int {
	return slices.IndexFunc(s.parts, func(p part) bool { return p.file == file })
}
