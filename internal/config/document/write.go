package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// FromJSON returns a JSON value as YAML. Members keep their order, and what a terminal may take for
// a command is escaped. A YAML 1.1 or 1.2 parser reads back exactly what was written.
func FromJSON(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	n, err := jsonNode(d)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, err
	}
	return escaped(out.String()), nil
}

// jsonNode returns the next value.
func jsonNode(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.MappingNode}
	switch token := token.(type) {
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: token.String()}, nil
	case json.Delim:
		if token == '[' {
			n.Kind = yaml.SequenceNode
		}
		for d.More() {
			item, err := jsonNode(d) // of a mapping, names are items as well
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, item)
		}
		_, err = d.Token()
		return n, err
	case string:
		if token == "<<" || strings.ContainsFunc(token, hidden) {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle,
				Value: token}, nil
		}
	}
	return n, n.Encode(token)
}

// hidden reports whether a character of a scalar needs an escape.
func hidden(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }

// escaped escapes such characters, all of which are in double quotes.
func escaped(text string) []byte {
	var out []byte
	for _, r := range text {
		if hidden(r) {
			out = fmt.Appendf(out, `\U%08x`, r)
			continue
		}
		out = append(out, string(r)...)
	}
	return out
}
