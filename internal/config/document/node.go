package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Node is a value of a text that is not one of our files: of any shape, with its place. Aliases and
// merge keys are followed.
type Node struct {
	Place
	// Members are those of a mapping, in the order of the text, Items those of a list.
	Members []NodeMember
	Items   []*Node
	// Text is that of a scalar as it is written, without quotes.
	Text string

	kind   nodeKind
	quoted bool
	// inside is where the first character of a literal block is, nowhere for other scalars.
	inside Place
}

// NodeMember is a member of a mapping.
type NodeMember struct {
	Name  string
	Place Place // of the name
	Value *Node
}

type nodeKind byte

const (
	scalarNode nodeKind = iota
	nullNode
	mappingNode
	listNode
)

// IsMapping reports the shape of the value, as IsList, IsText and IsNull do; a nil Node has none.
// Numbers and the like are texts.
func (n *Node) IsMapping() bool { return n != nil && n.kind == mappingNode }
func (n *Node) IsList() bool    { return n != nil && n.kind == listNode }
func (n *Node) IsText() bool    { return n != nil && n.kind == scalarNode }
func (n *Node) IsNull() bool    { return n != nil && n.kind == nullNode }

// IsTrue reports whether the value is true, without quotes.
func (n *Node) IsTrue() bool {
	return n.IsText() && !n.quoted && strings.EqualFold(n.Text, "true")
}

// IsPlain reports whether the value is a text without quotes, such as a number.
func (n *Node) IsPlain() bool { return n.IsText() && !n.quoted }

// Get returns the member of that name, nil if there is none.
func (n *Node) Get(name string) *Node {
	if n != nil {
		for _, m := range n.Members {
			if m.Name == name {
				return m.Value
			}
		}
	}
	return nil
}

// String returns the text of the member of that name, "" if it has none.
func (n *Node) String(name string) string {
	if v := n.Get(name); v.IsText() {
		return v.Text
	}
	return ""
}

// List returns the items of the list that the member of that name is.
func (n *Node) List(name string) []*Node {
	if v := n.Get(name); v != nil {
		return v.Items
	}
	return nil
}

// Inside returns the place in the file of a place in the text of the node.
func (n *Node) Inside(at Place) Place {
	if n.inside.Line == 0 || at.Line == 0 {
		return n.Place
	}
	return Place{n.inside.Line + at.Line - 1, n.inside.Column + at.Column - 1}
}

// Nodes reads the documents of a text, but for empty ones. Members that are defined twice are
// mistakes, as for every reader of YAML in Kubernetes. The error is an [Errors].
func Nodes(kind *Kind, file string, data []byte) ([]*Node, error) {
	if len(data) > MaxSize {
		return nil, Errors{{File: file,
			Message: fmt.Sprintf("the %s is larger than %d bytes", kind.Noun, MaxSize)}}
	}
	if err := CheckCharacters(file, data); err != nil {
		return nil, Errors{*err}
	}
	if json.Valid(data) {
		data = asYAML(data)
	}
	r := nodeReader{decoder: newDecoder(kind, file, data)}
	var all []*Node
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); !r.stopped; {
		document, err := nextDocument(decoder)
		switch {
		case errors.Is(err, io.EOF):
			return all, r.err()
		case err != nil:
			return nil, Errors{*syntaxError(file, data, err)}
		case len(document.Content) == 1 && !isNull(document.Content[0]):
			all = append(all, r.node(document.Content[0], "", 0))
		}
	}
	return nil, r.err()
}

// nodeReader makes Nodes of those of the library.
type nodeReader struct{ *decoder }

func (r nodeReader) err() error {
	if mistakes := Gather(r.Report); len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

func (r nodeReader) node(y *yaml.Node, path string, depth int) *Node {
	n := &Node{Place: placeOf(y)}
	if y.Style&yaml.TaggedStyle != 0 && strings.HasPrefix(y.Tag, "!!") {
		y.Style &^= yaml.TaggedStyle // others read it
	}
	y, ok := r.follow(y, path, depth, false)
	if !ok {
		return n
	}
	switch {
	case isNull(y):
		n.kind = nullNode
	case y.Kind == yaml.MappingNode:
		n.kind = mappingNode
		r.mappingOf(n, y, path, depth)
	case y.Kind == yaml.SequenceNode:
		n.kind = listNode
		for i, item := range y.Content {
			n.Items = append(n.Items, r.node(item, Item(path, i), depth+1))
		}
	default:
		n.Text = y.Value
		n.quoted = y.Style != 0
		if y.Style&yaml.LiteralStyle != 0 {
			n.inside = r.block(y)
		}
	}
	return n
}

// mappingOf reads the members of a mapping, and then those that merge keys add.
func (r nodeReader) mappingOf(n *Node, y *yaml.Node, path string, depth int) {
	own := *y
	own.Content = nil
	var merged []*yaml.Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		if key, value := y.Content[i], y.Content[i+1]; key.Tag == "!!merge" {
			merged = append(merged, value)
		} else {
			own.Content = append(own.Content, key, value)
		}
	}
	r.members(&own, path, func(key, value *yaml.Node) {
		n.Members = append(n.Members, NodeMember{key.Value, placeOf(key),
			r.node(value, Join(path, key.Value), depth+1)})
	})
	for _, from := range merged {
		added := r.node(from, path, depth+1)
		for _, m := range append([]*Node{added}, added.Items...) {
			for _, member := range m.Members {
				if n.Get(member.Name) == nil {
					n.Members = append(n.Members, member)
				}
			}
		}
	}
}

// block returns where the text of a literal block begins.
func (r nodeReader) block(y *yaml.Node) Place {
	for i := y.Line; i < len(r.lines); i++ {
		line := r.lines[i]
		if text := strings.TrimLeft(line, " "); strings.TrimSpace(text) != "" {
			// lines before it are blank, and part of the text
			indent := utf8.RuneCountInString(line) - utf8.RuneCountInString(text)
			return Place{y.Line + 1, indent + 1}
		}
	}
	return Place{}
}
