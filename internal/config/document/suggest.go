package document

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/informerd/informerd/internal/config/notyaml"
	"github.com/informerd/informerd/internal/config/yamltext"
)

// Shape is a value of the wrong type, as far as a hint about it looks at it.
type Shape struct {
	// Names are those of the members of a mapping. Texts are that of a scalar, or those of a list's
	// items that are scalars.
	Names, Texts []string
	// IsMapping and IsList say what it is; otherwise it is a scalar.
	IsMapping, IsList bool
	// Anchor is the name of the anchor that the value has, "" if it has none.
	Anchor string

	root, node *yaml.Node
}

// Decode reads the value into another form.
func (s Shape) Decode(into any) error { return s.node.Decode(into) }

// Defined returns the names of the members of a mapping at the top of the file, in its order.
func (s Shape) Defined(member string) []string {
	if s.root == nil || s.root.Kind != yaml.MappingNode {
		return nil
	}
	if at := memberOf(s.root, member); at >= 0 {
		return shapeOf(s.root.Content[at+1], nil).Names
	}
	return nil
}

func shapeOf(n, root *yaml.Node) Shape {
	s := Shape{IsMapping: n.Kind == yaml.MappingNode, IsList: n.Kind == yaml.SequenceNode,
		Anchor: n.Anchor, root: root, node: n}
	switch {
	case s.IsMapping:
		for i := 0; i+1 < len(n.Content); i += 2 {
			s.Names = append(s.Names, n.Content[i].Value)
		}
	case s.IsList:
		for _, item := range n.Content {
			if item.Kind == yaml.ScalarNode {
				s.Texts = append(s.Texts, item.Value)
			}
		}
	default:
		s.Texts = []string{n.Value}
	}
	return s
}

// fieldAt returns the field whose rules a value at the path has: of a list's item those of the
// list, and of a member with a name that the user chose those of its mapping.
func (d *decoder) fieldAt(path string) Field {
	for path != "" {
		if f, known := d.fields[path]; known {
			return f
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return Field{}
}

// fits reports whether a text of YAML, put in place of the value at the path, is of the type t and
// passes its checks. What a hint shows to write must.
func (d *decoder) fits(text, path string, t reflect.Type) bool {
	if d.trial || len(text) > maxShown || d.Full() {
		return false
	}
	root := &yaml.Node{}
	if yaml.Unmarshal([]byte(text), root) != nil || len(root.Content) != 1 {
		return false
	}
	trial := newDecoder(d.kind, d.file, []byte(text))
	trial.trial, trial.version = true, d.version
	into := reflect.New(t).Elem()
	trial.value(root.Content[0], into, "x", 0)
	field := d.fieldAt(path)
	trial.checkValue(into, "x", field)
	return trial.Clean() && len(trial.warnings) == 0
}

// maxShown is the longest text that a hint shows to write.
const maxShown = 100

// write returns a hint to write the first of the texts that fits at the path, "" if none does.
func (d *decoder) write(path string, t reflect.Type, texts ...string) string {
	for _, text := range texts {
		if text != "" && d.fits(text, path, t) {
			return "write " + text
		}
	}
	return ""
}

var plainScalar = regexp.MustCompile(`^[A-Za-z0-9/~_.][A-Za-z0-9/~_.*@-]*$`)

// Flow writes a text as a scalar that may be in brackets and in braces.
func Flow(text string) string {
	if plainScalar.MatchString(text) && isPlain(text) {
		return text
	}
	return yamltext.String(text, 0)
}

// flowOf writes a value on one line, "" if it is too long to be shown.
func flowOf(n *yaml.Node, depth int) string {
	if depth > 4 || len(n.Content) > 20 {
		return ""
	}
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			value := flowOf(n.Content[i+1], depth+1)
			if value == "" {
				return ""
			}
			parts = append(parts, Flow(n.Content[i].Value)+": "+value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.SequenceNode:
		for _, item := range n.Content {
			value := flowOf(item, depth+1)
			if value == "" {
				return ""
			}
			parts = append(parts, value)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case yaml.ScalarNode:
		if n.Tag != "!!str" {
			return n.Value
		}
		return Flow(n.Value)
	}
	return ""
}

// listHint returns what to write in place of a value that is not a list.
func (d *decoder) listHint(n *yaml.Node, path string, t reflect.Type) string {
	element := t.Elem()
	named := func(f Field) bool { return f.Name == "name" }
	switch {
	case n.Kind == yaml.ScalarNode && element.Kind() == reflect.Struct:
		if lone := d.kind.help(element).Lone; lone != nil && n.Tag == "!!str" {
			if hint := d.write(path, t, "["+lone(shapeOf(n, d.tree))+"]"); hint != "" {
				return hint
			}
		}
		return d.exampleOf(element)
	case n.Kind == yaml.ScalarNode:
		if n.Tag != "!!str" {
			return d.write(path, t, "["+n.Value+"]")
		}
		if words := notyaml.Words(n.Value); len(words) > 0 {
			return d.write(path, t, "["+strings.Join(flowEach(words), ", ")+"]", "["+Flow(n.Value)+"]")
		}
		return d.write(path, t, "["+listed(n.Value, ",")+"]", "["+listed(n.Value, " ")+"]")
	case n.Kind != yaml.MappingNode:
		return ""
	case element.Kind() != reflect.Struct:
		return d.write(path, t, "["+strings.Join(flowEach(shapeOf(n, nil).Names), ", ")+"]")
	case slices.ContainsFunc(FieldsOf(element), named) && memberOf(n, "name") < 0:
		if hint := d.write(path, t, d.withNames(n)); hint != "" {
			return hint
		}
	}
	if hint := d.write(path, t, "["+flowOf(n, 0)+"]", "["+valuesOf(n)+"]"); hint != "" {
		return hint
	}
	return d.exampleOf(element)
}

// exampleOf returns the hint to write a list with an example of an item.
func (d *decoder) exampleOf(element reflect.Type) string {
	if example := d.kind.help(element).Example; example != "" {
		return "write [" + example + "]"
	}
	return ""
}

// valuesOf writes the values of a mapping that are mappings.
func valuesOf(n *yaml.Node) string {
	var values []string
	for i := 1; i < len(n.Content); i += 2 {
		if n.Content[i].Kind != yaml.MappingNode {
			return ""
		}
		values = append(values, flowOf(n.Content[i], 1))
	}
	return strings.Join(values, ", ")
}

// withNames writes a mapping of names and mappings as a list of mappings with names.
func (d *decoder) withNames(n *yaml.Node) string {
	var items []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		item, found := strings.CutPrefix(flowOf(n.Content[i+1], 1), "{")
		if !found {
			return ""
		}
		items = append(items, strings.Replace("{name: "+Flow(n.Content[i].Value)+", "+item, ", }",
			"}", 1))
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// listed writes the parts of a text between separators as the items of a list.
func listed(text, separator string) string {
	var items []string
	for _, item := range strings.Split(strings.Trim(text, "()[]{}"), separator) {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return strings.Join(flowEach(items), ", ")
}

func flowEach(texts []string) (all []string) {
	for _, text := range texts {
		all = append(all, Flow(text))
	}
	return all
}

// mappingHint returns what to write in place of a value that is not a mapping.
func (d *decoder) mappingHint(n *yaml.Node, path string, t reflect.Type) string {
	help := d.kind.help(t)
	name := path[strings.LastIndex(path, ".")+1:]
	if _, chosen := d.fields[path]; !chosen && t.Kind() == reflect.Struct {
		if _, is := fieldNamed(d.fieldsOf(t), name); is && path != name {
			d.brokenBelow(strings.TrimSuffix(path, "."+name))
			return "it is a field of one of " + strings.TrimSuffix(path, "."+name) +
				": write it below a name, and indent it more than the name"
		}
	}
	if item, value, hint := notyaml.Named(n); hint != "" && t.Kind() == reflect.Map {
		// what is shown is right: a credential is not
		text := flowOf(value, 1)
		if strings.Contains(text, "://") || !d.fits("{"+Flow(item)+": "+text+"}", path, t) {
			text = "{…}"
		}
		return hint + ", as in " + Flow(item) + ": " + text
	}
	isBool := n.Kind == yaml.ScalarNode && n.Tag == "!!bool"
	if help.Lone != nil && !d.isSecret(n) && !isBool {
		if hint := d.write(path, t, help.Lone(shapeOf(n, d.tree))); hint != "" {
			return hint
		}
	}
	if path == "" {
		return d.kind.Begin
	}
	off := n.Kind == yaml.ScalarNode && slices.Contains(offWords, strings.ToLower(n.Value))
	switch f := d.fieldAt(path); {
	case off && !f.Rules.Required && d.fields[path].Name != "":
		return "remove it"
	case help.Example != "":
		return "write " + help.Example
	case t.Kind() == reflect.Struct && d.fits("{}", path, t):
		return "write {} for the defaults"
	case t.Kind() == reflect.Struct:
		return "its fields are " + strings.Join(names(d.fieldsOf(t)), ", ")
	}
	return ""
}

// isSecret reports whether a value must not be shown.
func (d *decoder) isSecret(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && d.kind.Secret != nil && d.kind.Secret(n.Value)
}

// textHint returns what to write in place of a value that is not a text.
func (d *decoder) textHint(n *yaml.Node, path string, t reflect.Type) string {
	f := d.fieldAt(path)
	switch {
	case n.Kind == yaml.ScalarNode:
		if d.trial || d.fits(`"`+n.Value+`"`, path, t) {
			return "put it in quotes"
		}
		return d.problemHint(n.Value, f)
	case t == reflect.TypeFor[Expression]():
	case n.Kind == yaml.SequenceNode && len(n.Content) == 1 && !d.isSecret(n.Content[0]):
		if hint := d.write(path, t, flowOf(n.Content[0], 1)); hint != "" {
			return hint + ", without the brackets"
		}
	case n.Kind == yaml.MappingNode && len(n.Content) == 2 && !d.isSecret(n.Content[1]):
		if key := n.Content[0].Value; n.Content[1].Kind == yaml.ScalarNode &&
			(key == "name" || key == "value") {
			return d.write(path, t, flowOf(n.Content[1], 1))
		}
	}
	return ""
}

// problemHint returns the hint about a text that does not pass its checks.
func (d *decoder) problemHint(text string, f Field) string {
	if len(f.Rules.Enum) > 0 {
		if hint := d.wordHint(text, f.Rules.Enum); hint != "" {
			return hint
		}
		return "write " + Or(f.Rules.Enum)
	}
	_, hint := d.kind.Formats[f.Rules.Format].problem(text, f.Rules.Item)
	return hint
}

// numberHint returns what to write in place of a value that is not a whole number.
func (d *decoder) numberHint(n *yaml.Node, path string, t reflect.Type) string {
	if n.Kind != yaml.ScalarNode {
		return ""
	}
	whole, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(n.Value), "_", ""), ".0")
	if hint := d.write(path, t, whole); hint != "" {
		if n.Tag == "!!str" {
			hint += ", without quotes"
		}
		return hint
	}
	if f := d.fieldAt(path); len(f.Rules.Default) == 1 {
		return "write a number, as in " + f.Rules.Default[0]
	}
	return ""
}
