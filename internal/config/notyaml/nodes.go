package notyaml

import "go.yaml.in/yaml/v3"

// IsTemplate reports whether a value is a template without quotes, such as {{ .Values.x }}, which
// YAML takes for a mapping in a mapping.
func IsTemplate(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0 && len(n.Content) == 2 &&
		n.Content[0].Kind == yaml.MappingNode && n.Content[0].Style&yaml.FlowStyle != 0 &&
		isEmpty(n.Content[1])
}

func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null" && n.Value == ""
}

// NotIndented finds an item without a value in a mapping of names and items, and its first field
// next to it. IsField reports whether items have a field of a name.
func NotIndented(n *yaml.Node, isField func(string) bool) (item, field *yaml.Node) {
	if n.Style&yaml.FlowStyle != 0 {
		return nil, nil
	}
	for i := 0; i+3 < len(n.Content); i += 2 {
		item, field = n.Content[i], n.Content[i+2]
		if !isField(item.Value) && isField(field.Value) && isEmpty(n.Content[i+1]) &&
			!isEmpty(n.Content[i+3]) {
			return item, field
		}
	}
	return nil, nil
}

// TornApart returns the fields of one item of a list that is written as several, with a dash before
// each of its fields, nil if it may be several. IsRequired reports whether items have a field of a
// name, and must have it.
func TornApart(n *yaml.Node, isRequired func(string) (known, required bool)) (fields []string) {
	seen, needed := map[string]bool{}, 0
	for i, item := range n.Content {
		if item.Kind != yaml.MappingNode || len(item.Content) != 2 {
			return nil
		}
		name := item.Content[0].Value
		known, required := isRequired(name)
		if !known || seen[name] || i == 0 && !required {
			return nil
		}
		if seen[name] = true; required {
			needed++
		}
		fields = append(fields, name)
	}
	if needed < 2 {
		return nil
	}
	return fields
}
