package document

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// namedHint returns what to write in place of a list of items with names, where each name is a key.
func (d *decoder) namedHint(n *yaml.Node, path string, t reflect.Type) string {
	if t.Kind() != reflect.Map || n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return ""
	}
	first := n.Content[0]
	if first.Kind != yaml.MappingNode {
		return ""
	}
	if len(first.Content) == 2 && first.Content[1].Kind == yaml.MappingNode {
		return "remove the dashes: each name is a key, as in " +
			d.shownBelow(first.Content[0].Value, first.Content[1], path, t)
	}
	at := memberOf(first, "name")
	if at < 0 || first.Content[at+1].Kind != yaml.ScalarNode {
		return ""
	}
	rest := *first
	rest.Content = append(append([]*yaml.Node{}, first.Content[:at]...), first.Content[at+2:]...)
	return "write each name as a key, with its fields below it, as in " +
		d.shownBelow(first.Content[at+1].Value, &rest, path, t)
}

// shownBelow shows a member, with its value if that is short and right: a credential is not.
func (d *decoder) shownBelow(name string, value *yaml.Node, path string, t reflect.Type) string {
	text := flowOf(value, 1)
	if strings.Contains(text, "://") || !d.fits("{"+Flow(name)+": "+text+"}", path, t) {
		text = "{…}"
	}
	return Flow(name) + ": " + text
}
