package migrate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// node is a value of a source, with its place. Aliases and merge keys are followed.
type node struct {
	document.Place
	// members are those of a mapping, in the order of the text, items those of a list.
	members []member
	items   []*node
	// text is that of a scalar as it is written, without quotes.
	text string

	shape  yaml.Kind
	quoted bool
	null   bool
}

// member is a member of a mapping.
type member struct {
	name  string
	value *node
}

// isMapping reports the shape of the value, as isList and isText do; a nil node has none. Numbers
// and the like are texts.
func (n *node) isMapping() bool { return n != nil && n.shape == yaml.MappingNode }
func (n *node) isList() bool    { return n != nil && n.shape == yaml.SequenceNode }
func (n *node) isText() bool    { return n != nil && n.shape == yaml.ScalarNode && !n.null }

// isPlain reports whether the value is a text without quotes, such as a number.
func (n *node) isPlain() bool { return n.isText() && !n.quoted }

// isTrue reports whether the value is true for the YAML library that the sources' programs read a
// bool with: it takes the words of YAML 1.1 in quotes, too.
func (n *node) isTrue() bool {
	return n.isPlain() && strings.EqualFold(n.text, "true") ||
		n.isText() && slices.Contains([]string{"yes", "on", "y"}, strings.ToLower(n.text))
}

// get returns the member of that name, nil if there is none.
func (n *node) get(name string) *node {
	if n != nil {
		for _, m := range n.members {
			if m.name == name {
				return m.value
			}
		}
	}
	return nil
}

// textOf returns the text of the member of that name, "" if it has none.
func (n *node) textOf(name string) string {
	if v := n.get(name); v.isText() {
		return v.text
	}
	return ""
}

// list returns the items of the list that the member of that name is.
func (n *node) list(name string) []*node {
	if v := n.get(name); v != nil {
		return v.items
	}
	return nil
}

const (
	// maxDepth is how deep values may be nested. The limit also stops aliases that contain
	// themselves.
	maxDepth = 100
	// maxNodes is how many values a source may have, those behind an alias counted each time.
	maxNodes = 200_000
)

// anyFile is what mistakes in a source call it.
var anyFile = &document.Kind{Noun: "file"}

// readNodes reads the documents of a text, but for empty ones. If the text is a value in the file,
// all nodes have its place, inside. The error is a config.Errors.
func readNodes(file string, data []byte, inside document.Place) (all []*node, err error) {
	if len(data) > document.MaxSize {
		return nil, config.Errors{{File: file,
			Message: fmt.Sprintf("the file is larger than %d bytes", document.MaxSize)}}
	}
	if err := document.CheckCharacters(file, data); err != nil {
		return nil, config.Errors{*err}
	}
	r := nodeReader{file: file, inside: inside}
	err = document.Stream(anyFile, file, data, func(part document.Part) error {
		all = append(all, r.node(part.Node(), 0))
		return r.err
	})
	return all, err
}

// nodeReader makes nodes of those of the library.
type nodeReader struct {
	file   string
	inside document.Place // of the text in the file, if it is not the file
	nodes  int
	err    error // the first mistake
}

func (r *nodeReader) wrong(y *yaml.Node, format string, args ...any) {
	if r.err == nil {
		r.err = config.Errors{{File: r.file, Line: y.Line, Column: y.Column,
			Message: fmt.Sprintf(format, args...)}}
	}
}

func (r *nodeReader) node(y *yaml.Node, depth int) *node {
	n := &node{Place: cmp.Or(r.inside, document.Place{Line: y.Line, Column: y.Column})}
	if r.nodes++; depth > maxDepth {
		r.wrong(y, "values are nested deeper than %d levels", maxDepth)
	} else if r.nodes > maxNodes {
		r.wrong(y, "the file has more than %d values", maxNodes)
	} else if y.Style&yaml.TaggedStyle != 0 && !strings.HasPrefix(y.Tag, "!!") {
		r.wrong(y, "the value begins with the tag %q", y.Tag)
	}
	if r.err != nil {
		return n
	}
	for y.Kind == yaml.AliasNode {
		y = y.Alias
	}
	n.shape = y.Kind
	switch y.Kind {
	case yaml.MappingNode:
		r.mapping(n, y, depth)
	case yaml.SequenceNode:
		for _, item := range y.Content {
			n.items = append(n.items, r.node(item, depth+1))
		}
	default:
		n.text, n.quoted, n.null = y.Value, y.Style&^yaml.TaggedStyle != 0, y.Tag == "!!null"
	}
	return n
}

// mapping reads the members of a mapping, and then those that merge keys add.
func (r *nodeReader) mapping(n *node, y *yaml.Node, depth int) {
	var merged []*node
	first := map[string]int{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], r.node(y.Content[i+1], depth+1)
		switch line, twice := first[key.Value]; {
		case key.Tag == "!!merge":
			merged = append(append(merged, value), value.items...)
		case key.Tag != "!!str":
			r.wrong(key, "the key %q in the file is not a string, and needs quotes", key.Value)
		case twice:
			r.wrong(key, "%s is defined twice, first on line %d", document.Join("", key.Value), line)
		default:
			first[key.Value] = key.Line
			n.members = append(n.members, member{key.Value, value})
		}
	}
	for _, from := range merged {
		for _, m := range from.members {
			if n.get(m.name) == nil {
				n.members = append(n.members, m)
			}
		}
	}
}
