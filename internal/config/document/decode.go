package document

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config/notyaml"
)

const (
	// maxDepth is how deep values may be nested. The limit also stops aliases that contain
	// themselves.
	maxDepth = 100
	// maxNodes is how many values a file may have, those behind an alias counted each time it is
	// used: a text of a few lines can stand for billions of them.
	maxNodes = 200_000
)

// decoder puts a tree of YAML nodes into the schema's types.
type decoder struct {
	*Report
	lines   []string // the text, for expressions
	nodes   int
	stopped bool // a limit was passed, and the rest is not read
	differ  []versioned
	tree    *yaml.Node              // the whole file
	fields  map[string]Field        // of the members of mappings with known members
	structs map[string]reflect.Type // of mappings with known members
	trial   bool                    // it tries what a hint is about to show, see fits
}

func newDecoder(kind *Kind, file string, data []byte) *decoder {
	return &decoder{Report: NewReport(kind, file), lines: strings.Split(string(data), "\n"),
		fields: map[string]Field{}, structs: map[string]reflect.Type{}}
}

// root decodes a whole file.
func (d *decoder) root(n *yaml.Node, into reflect.Value) {
	d.keys[""] = placeOf(n)
	d.version, d.tree = d.kind.Versions[apiVersionOf(n)], n
	d.value(n, into, "", 0)
}

// value decodes one node. Mistakes are reported, and the rest is decoded.
func (d *decoder) value(n *yaml.Node, into reflect.Value, path string, depth int) {
	d.values[path] = placeOf(n)
	_, expression := into.Addr().Interface().(*Expression)
	n, ok := d.follow(n, path, depth, expression)
	if !ok {
		return
	}
	if isNull(n) {
		d.noValue(path, into)
		return
	}
	if decode := d.kind.Types[into.Type()]; decode != nil {
		decode(Value{path, d, n, depth}, into.Addr().Interface())
		return
	}
	switch v := into.Addr().Interface().(type) {
	case *metav1.Duration:
		d.duration(n, v, path)
	case *Bytes:
		d.bytes(n, v, path)
	case *json.RawMessage:
		d.raw(n, v, path, depth)
	case *Expression:
		d.expression(n, v, path)
	case *time.Time:
		d.time(n, v, path)
	default:
		d.plain(n, into, path, depth)
	}
}

// follow resolves an alias and checks the limits.
func (d *decoder) follow(n *yaml.Node, path string, depth int, expression bool) (*yaml.Node, bool) {
	if d.stopped {
		return nil, false
	}
	at := placeOf(n)
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	d.nodes++
	switch {
	case depth > maxDepth:
		d.stop(at, path, "an alias must not contain itself",
			"values are nested deeper than %d levels", maxDepth)
		return nil, false
	case d.nodes > maxNodes:
		d.stop(at, path, "values behind an alias count each time it is used",
			"the %s has more than %d values", d.kind.Noun, maxNodes)
		return nil, false
	case n.Style&yaml.TaggedStyle != 0:
		d.failed[path] = true
		if text := strings.TrimSpace(n.Tag + " " + n.Value); expression &&
			n.Kind == yaml.ScalarNode && !strings.HasPrefix(n.Tag, "!!") {
			d.Add(at, path, "put the expression in quotes: "+notyaml.Short(notyaml.Quoted(text)),
				"%s begins with !, which is a tag in YAML", path)
			return nil, false
		}
		hint := "write the value without it"
		if !strings.HasPrefix(n.Tag, "!!") {
			hint = "put the value in quotes if the ! belongs to it"
		}
		d.Add(at, path, hint, "%s has the tag %s, tags are not supported", path, Quote(n.Tag))
		return nil, false
	}
	return n, true
}

func (d *decoder) stop(at Place, path, hint, format string, args ...any) {
	d.stopped = true
	d.failed[path] = true
	d.Add(at, path, hint, format, args...)
}

func (d *decoder) noValue(path string, into reflect.Value) {
	hint := "write a value or remove it"
	field := d.fields[path]
	missing := ""
	if field.Rules.Required {
		missing = d.kind.help(field.owner).Missing[field.Name]
	}
	switch example := d.kind.help(into.Type()).Example; {
	case example != "":
		hint = "write " + example
	case strings.HasPrefix(missing, "add "+field.Name+", ") && !strings.Contains(missing, ", which"):
		hint = "write " + strings.Replace(strings.TrimPrefix(missing, "add "+field.Name+", "),
			"as in", "a value, as in", 1)
	case missing != "":
		hint = missing
	case field.Rules.Required && len(field.Rules.Enum) > 0:
		hint = "write " + Or(field.Rules.Enum)
	case field.Rules.Required:
		hint = "write a value"
	default:
		if t := into.Type(); t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct &&
			d.fits("{}", path, t) {
			hint = "write {} for the defaults, or remove it"
		}
	}
	if commented := notyaml.Commented(d.lines, d.values[path].Line); commented != "" {
		hint = commented
	}
	d.BadValue(path, hint, "%s has no value", path)
}

// plain decodes by the kind of the Go type.
func (d *decoder) plain(n *yaml.Node, into reflect.Value, path string, depth int) {
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		d.plain(n, into.Elem(), path, depth)
	case reflect.Struct:
		d.structure(n, into, path, depth)
	case reflect.Map:
		d.mapping(n, into, path, depth)
	case reflect.Slice:
		d.list(n, into, path, depth)
	case reflect.String:
		if s, ok := d.text(n, path, into.Type()); ok {
			into.SetString(s)
		}
	case reflect.Bool:
		if d.scalar(n, path, "!!bool", "true or false", boolHint(n)) {
			into.SetBool(strings.EqualFold(n.Value, "true"))
		}
	case reflect.Int:
		d.integer(n, into, path)
	default:
		panic(fmt.Sprintf("config: no decoder for %s at %s", into.Type(), path))
	}
}

// structure decodes a mapping into a struct, whose members are known.
func (d *decoder) structure(n *yaml.Node, into reflect.Value, path string, depth int) {
	fields := d.fieldsOf(into.Type())
	if !d.isMapping(n, into, path) {
		return
	}
	d.mappings[path], d.structs[path] = true, into.Type()
	d.members(d.withoutPieces(n, into, path), path, func(key *yaml.Node, value *yaml.Node) {
		name := key.Value
		if f, ok := fieldNamed(fields, name); ok {
			member := Join(path, name)
			d.keys[member], d.fields[member] = placeOf(key), f
			if len(f.Names) > 0 {
				d.differ = append(d.differ, versioned{key, value, f})
			}
			d.value(value, into.Field(f.index), member, depth+1)
			return
		}
		d.broken[path] = true
		d.unknown(key, value, n, path, into.Type())
	})
}

// mapping decodes a mapping whose keys are names that the user chose.
func (d *decoder) mapping(n *yaml.Node, into reflect.Value, path string, depth int) {
	into.Set(reflect.MakeMap(into.Type()))
	if !d.isMapping(n, into, path) {
		return
	}
	if isField := d.required(into.Type().Elem()); isField != nil {
		if item, f := notyaml.NotIndented(n, func(name string) bool {
			known, _ := isField(name)
			return known
		}); item != nil {
			d.SetFailed(path)
			d.Add(placeOf(f), Join(path, f.Value), fmt.Sprintf("indent the lines below %s: begin them in column %d",
				item.Value, f.Column+2), "%s is a field of %s, and begins in its column", f.Value, Join(path, item.Value))
			return
		}
	}
	below := ""
	d.members(n, path, func(key, value *yaml.Node) {
		if below == "" && d.ofTop(key, value, path, into.Type().Elem()) {
			below = key.Value
		}
		if below != "" {
			return // what follows is below it
		}
		member := Join(path, key.Value)
		d.keys[member] = placeOf(key)
		element := reflect.New(into.Type().Elem()).Elem()
		d.value(value, element, member, depth+1)
		into.SetMapIndex(reflect.ValueOf(key.Value), element)
	})
}

// required returns a function that reports whether a type has a field, and requires it; nil if the
// type has no fields.
func (d *decoder) required(t reflect.Type) func(name string) (known, required bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if isScalar(t) || d.kind.Types[t] != nil {
		return nil
	}
	fields := d.fieldsOf(t)
	return func(name string) (known, required bool) {
		f, known := fieldNamed(fields, name)
		return known, f.Rules.Required
	}
}

// isMapping reports whether a node is a mapping. If not, the mistake says what to write instead.
func (d *decoder) isMapping(n *yaml.Node, into reflect.Value, path string) bool {
	if n.Kind == yaml.MappingNode {
		return true
	}
	d.wrongType(n, path, "a mapping", d.mappingHint(n, path, into.Type()))
	return false
}

// members calls each for the members of a mapping, less those whose key is wrong or defined twice.
func (d *decoder) members(n *yaml.Node, path string, each func(key, value *yaml.Node)) {
	first := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if !d.goodKey(key, path) {
			d.broken[path] = true
			continue
		}
		if line, twice := first[key.Value]; twice {
			field := Join(path, key.Value)
			d.Add(placeOf(key), field, notyaml.Twice(path), "%s is defined twice, first %s",
				field, d.relative(line, key.Line))
			continue
		}
		first[key.Value] = key.Line
		each(key, value)
	}
}

func (d *decoder) list(n *yaml.Node, into reflect.Value, path string, depth int) {
	if n.Kind != yaml.SequenceNode {
		hint := d.listHint(n, path, into.Type())
		if hint == "" {
			hint = "write [a, b], or one item a line after a dash"
		}
		d.wrongType(n, path, "a list", hint)
		return
	}
	if required := d.required(into.Type().Elem()); required != nil {
		if torn := notyaml.TornApart(n, required); torn != nil {
			d.SetFailed(path)
			d.Add(placeOf(n.Content[1]), Item(path, 1), "write a dash before "+torn[0]+" alone, and "+And(torn[1:])+
				" below it, in the same column", "%s begins with %s: each dash begins another item", Item(path, 1), torn[1])
			return
		}
	}
	into.Set(reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content)))
	for i, child := range n.Content {
		if f, found := notyaml.DashWithin(d.lines, child); found {
			d.SetFailed(Item(path, i))
			d.Add(Place{f.Line, f.Column}, Item(path, i), f.Hint, "%s", f.Message)
		}
		d.keys[Item(path, i)] = placeOf(child)
		d.value(child, into.Index(i), Item(path, i), depth+1)
	}
}

func (d *decoder) integer(n *yaml.Node, into reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" {
		d.wrongType(n, path, "a whole number", d.numberHint(n, path, into.Type()))
		return
	}
	i, err := strconv.ParseInt(n.Value, 10, 32)
	if err != nil {
		d.BadValue(path, d.numberHint(n, path, into.Type()), "%s must be a whole number in decimal digits below 2^31, is %s",
			path, Quote(n.Value))
		return
	}
	into.SetInt(i)
}
