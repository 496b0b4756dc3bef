// Package written recognizes values that were written as YAML where an expression belongs, and says
// which expression they would be.
//
// What is promised:
//   - Only a text that is a mapping in YAML has an expression here, and its constants are those of
//     the text.
package written

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	// plain matches the keys that an expression has without quotes.
	plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// key matches those of objects of Kubernetes.
	key = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)
)

// Expression returns the expression that makes the mapping that a text is in YAML, "" if it is
// none. Texts for which isName reports true stay as they are.
func Expression(text string, isName func(string) bool) string {
	var document yaml.Node
	if yaml.Unmarshal([]byte(text), &document) != nil || len(document.Content) != 1 ||
		document.Content[0].Kind != yaml.MappingNode || strings.HasPrefix(strings.TrimSpace(text), "{") {
		return ""
	}
	for i := 0; i < len(document.Content[0].Content); i += 2 {
		if !key.MatchString(document.Content[0].Content[i].Value) {
			return ""
		}
	}
	var b strings.Builder
	write(&b, document.Content[0], isName)
	return b.String()
}

func write(b *strings.Builder, n *yaml.Node, isName func(string) bool) {
	between := func(i int) {
		if i > 0 {
			b.WriteString(", ")
		}
	}
	switch {
	case n.Kind == yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			between(i)
			if name := n.Content[i].Value; plain.MatchString(name) {
				b.WriteString(name)
			} else {
				b.WriteString(strconv.Quote(name))
			}
			b.WriteString(": ")
			write(b, n.Content[i+1], isName)
		}
		b.WriteByte('}')
	case n.Kind == yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			between(i)
			write(b, item, isName)
		}
		b.WriteByte(']')
	case n.Tag == "!!null":
		b.WriteString("nil")
	case n.Tag == "!!str" && !isName(n.Value):
		b.WriteString(strconv.Quote(n.Value))
	default:
		b.WriteString(n.Value)
	}
}
