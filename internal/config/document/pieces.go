package document

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/informerd/informerd/internal/config/notyaml"
)

// withoutPieces returns a mapping without the pieces of values that a comma has torn apart: in
// {deny: any(a, .b), severity: low} YAML sees the fields deny, ".b)" and severity. The field in
// front of the pieces is reported.
func (d *decoder) withoutPieces(n *yaml.Node, into reflect.Value, path string) *yaml.Node {
	if n.Style&yaml.FlowStyle == 0 {
		return n
	}
	fields := d.fieldsOf(into.Type())
	var kept []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		pieces := []string{value.Value}
		for j := i + 2; isText(into, fields, key.Value) && value.Kind == yaml.ScalarNode &&
			j+1 < len(n.Content); j += 2 {
			piece := n.Content[j]
			if _, known := fieldNamed(fields, piece.Value); known ||
				piece.Kind != yaml.ScalarNode ||
				!isPiece(n.Content[j+1]) {
				break
			}
			text := piece.Value
			if piece.Style&yaml.DoubleQuotedStyle != 0 {
				text = `"` + text + `"`
			}
			if then := n.Content[j+1].Value; then != "" {
				text += ": " + then
			}
			pieces = append(pieces, text)
		}
		if len(pieces) == 1 {
			kept = append(kept, key, value)
			continue
		}
		i += 2 * (len(pieces) - 1)
		member := Join(path, key.Value)
		d.keys[member], d.values[member] = placeOf(key), placeOf(value)
		d.BadValue(member, "put it in quotes: "+key.Value+": "+
			notyaml.Short(notyaml.Quoted(strings.Join(pieces, ", "))),
			"%s ends at the comma, which in {…} begins another field", member)
	}
	if len(kept) == len(n.Content) {
		return n
	}
	copied := *n
	copied.Content = slices.Clone(kept)
	return &copied
}

// isPiece reports whether a value is missing, as after a piece of text that YAML took for a key.
func isPiece(value *yaml.Node) bool { return isNull(value) && value.Value == "" }

func isText(into reflect.Value, fields []Field, name string) bool {
	f, ok := fieldNamed(fields, name)
	if !ok {
		return false
	}
	t := into.Field(f.index).Type()
	return t == reflect.TypeFor[Expression]() || t.Kind() == reflect.String
}
