package notyaml

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

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

// Named returns the first item of a list of items that have names, where each name should be a key,
// and what to do; "" if it is none.
func Named(n *yaml.Node) (name string, item *yaml.Node, hint string) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 || n.Content[0].Kind != yaml.MappingNode {
		return "", nil, ""
	}
	first := n.Content[0]
	if len(first.Content) == 2 && first.Content[1].Kind == yaml.MappingNode {
		return first.Content[0].Value, first.Content[1], "remove the dashes: each name is a key"
	}
	for i := 0; i+1 < len(first.Content); i += 2 {
		if first.Content[i].Value == "name" && first.Content[i+1].Kind == yaml.ScalarNode {
			rest := *first
			rest.Content = slices.Delete(slices.Clone(first.Content), i, i+2)
			return first.Content[i+1].Value, &rest,
				"write each name as a key, with its fields below it"
		}
	}
	return "", nil, ""
}

// Twice returns what to do about a field that is twice in the mapping at a path.
func Twice(path string) string {
	if strings.HasSuffix(path, "]") {
		return "keep one of them, or begin another item with a dash"
	}
	return "keep one of them"
}

// NoneOf reports whether a mapping over lines has mappings in it, and none of the fields.
func NoneOf(n *yaml.Node, isField func(string) bool) bool {
	if n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
		return false
	}
	for i := 0; i < len(n.Content); i += 2 {
		if isField(n.Content[i].Value) || n.Content[i+1].Kind != yaml.MappingNode {
			return false
		}
	}
	return true
}

// Commented returns what to do about a value that is missing because YAML takes it for a comment,
// "" if there is none on the line.
func Commented(lines []string, line int) string {
	if line < 1 || line > len(lines) {
		return ""
	}
	m := hashValue.FindStringSubmatch(strings.TrimRight(lines[line-1], " \r"))
	if m == nil {
		return ""
	}
	return "# begins a comment: put the value in quotes, as in " + m[1] + ": " + Short(Quoted(m[2]))
}

var hashValue = regexp.MustCompile(`^ *(?:- +)*([A-Za-z_][A-Za-z0-9_-]*): +(#[^\s#].*)$`)

// Words returns the items that a text without commas means where a list is wanted: words, with
// or without the signs of a list before them.
func Words(text string) (items []string) {
	if strings.Contains(text, ",") {
		return nil
	}
	for _, word := range strings.Fields(text) {
		switch {
		case strings.Trim(word, "-•*–·") == "":
		case !plainWord.MatchString(word):
			return nil
		default:
			items = append(items, word)
		}
	}
	return items
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
