package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	// maxDepth is how deep values may be nested. It also ends aliases that contain themselves.
	maxDepth = 100
	// maxNodes is how many values a file may have, those behind an alias counted each time it is
	// used: a text of a few lines can stand for billions of them.
	maxNodes = 200_000
)

// elsewhere are members that stand in another mapping than this one: hints for who looks for them
// here.
var elsewhere = map[reflect.Type]map[string]string{reflect.TypeFor[Policy](): notInPolicies()}

// examples are the shortest values of types that need something in them.
var examples = map[reflect.Type]string{
	reflect.TypeFor[*Output]():              "{stdout: {}}",
	reflect.TypeFor[*Stdout]():              "{}: it takes no settings, each event is a line of JSON",
	reflect.TypeFor[*Informer]():            "{resource: pods}",
	reflect.TypeFor[*Handler]():             "{wasm: handler.wasm}",
	reflect.TypeFor[map[string]*Output]():   "a name and an output, as in stdout: {stdout: {}}",
	reflect.TypeFor[map[string]*Informer](): "a name and an informer, as in pods: {resource: pods}",
	reflect.TypeFor[map[string]*Listener](): "a name and a listener, as in new-pods: {informer: {resource: pods}, outputs: [stdout]}",
}

// decoder puts a tree of YAML nodes into the schema's types.
type decoder struct {
	*report
	lines   []string // the text, for expressions
	nodes   int
	stopped bool // a limit was passed: what follows is not looked at
}

func newDecoder(what document, file string, data []byte) *decoder {
	return &decoder{report: newReport(what, file), lines: strings.Split(string(data), "\n")}
}

// root decodes a whole file.
func (d *decoder) root(n *yaml.Node, into reflect.Value) {
	d.keys[""] = placeOf(n)
	d.value(n, into, "", 0)
}

// value decodes one node. Whatever is wrong is reported, and the rest is decoded.
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
	switch v := into.Addr().Interface().(type) {
	case *metav1.Duration:
		d.duration(n, v, path)
	case *Bytes:
		d.bytes(n, v, path)
	case *event.Op:
		d.op(n, v, path)
	case *json.RawMessage:
		d.raw(n, v, path, depth)
	case *Expression:
		d.expression(n, v, path)
	case *time.Time:
		d.time(n, v, path)
	case *HeaderValue:
		d.headerValue(n, v, path, depth)
	case *InformerRef:
		d.informerRef(n, v, path, depth)
	default:
		d.plain(n, into, path, depth)
	}
}

// follow resolves an alias and watches the limits.
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
			"the %s has more than %d values", d.what.noun, maxNodes)
		return nil, false
	case n.Style&yaml.TaggedStyle != 0:
		d.failed[path] = true
		if text := strings.TrimSpace(n.Tag + " " + n.Value); expression &&
			n.Kind == yaml.ScalarNode && !strings.HasPrefix(n.Tag, "!!") {
			d.add(at, path, "put the expression in quotes: "+quoteLong(asQuoted(text)),
				"%s begins with !, which is a tag in YAML", path)
			return nil, false
		}
		hint := "write the value without it"
		if !strings.HasPrefix(n.Tag, "!!") {
			hint = "put the value in quotes if the ! belongs to it"
		}
		d.add(at, path, hint, "%s has the tag %s, tags are not supported", path, quote(n.Tag))
		return nil, false
	}
	return n, true
}

func (d *decoder) stop(at place, path, hint, format string, args ...any) {
	d.stopped = true
	d.failed[path] = true
	d.add(at, path, hint, format, args...)
}

func (d *decoder) noValue(path string, into reflect.Value) {
	hint := "give it a value or remove it"
	if t := into.Type(); examples[t] != "" {
		hint = "write " + examples[t]
	} else if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		hint = "write {} for the defaults, or remove it"
	}
	d.report.value(path, hint, "%s has no value", path)
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
		if s, ok := d.text(n, path); ok {
			into.SetString(s)
		}
	case reflect.Bool:
		if d.scalar(n, path, "!!bool", "true or false", "") {
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
	fields := fieldsOf(into.Type())
	if !d.isMapping(n, into, path) {
		return
	}
	d.members(d.whole(n, into, path), path, func(key *yaml.Node, value *yaml.Node) {
		name := key.Value
		if index, ok := fields.index[name]; ok {
			member := join(path, name)
			d.keys[member] = placeOf(key)
			d.value(value, into.Field(index), member, depth+1)
			return
		}
		d.broken[path] = true
		d.unknown(key, path, into.Type(), fields.names)
	})
}

func (d *decoder) unknown(key *yaml.Node, path string, t reflect.Type, known []string) {
	field := join(path, key.Value)
	in := ""
	if path != "" {
		in = " in " + path
	}
	hint := "it has no fields"
	if example := examples[reflect.PointerTo(t)]; example != "" && len(known) == 0 {
		hint = "write " + example
	} else if len(known) > 0 {
		hint = "its fields are " + strings.Join(known, ", ")
	}
	if t == reflect.TypeFor[Output]() { // whatever other tools send to, the answer is one
		hint = "this version sends events to standard output alone; write stdout: {} below it, and pipe its lines on"
	}
	if other, ok := elsewhere[t][key.Value]; ok {
		hint = other
	} else if name, ok := nearest.Name(key.Value, known); ok {
		hint = fmt.Sprintf("did you mean %q?", name)
	}
	d.add(placeOf(key), field, hint, "unknown field %s%s", quote(key.Value), in)
}

// mapping decodes a mapping whose keys are names that the user chose.
func (d *decoder) mapping(n *yaml.Node, into reflect.Value, path string, depth int) {
	into.Set(reflect.MakeMap(into.Type()))
	if !d.isMapping(n, into, path) {
		return
	}
	d.members(n, path, func(key, value *yaml.Node) {
		member := join(path, key.Value)
		d.keys[member] = placeOf(key)
		element := reflect.New(into.Type().Elem()).Elem()
		d.value(value, element, member, depth+1)
		into.SetMapIndex(reflect.ValueOf(key.Value), element)
	})
}

// isMapping reports whether a node is a mapping. If not, the mistake says what to write instead.
func (d *decoder) isMapping(n *yaml.Node, into reflect.Value, path string) bool {
	if n.Kind == yaml.MappingNode {
		return true
	}
	hint := examples[into.Type()]
	if hint == "" {
		hint = examples[reflect.PointerTo(into.Type())]
	}
	if hint != "" {
		hint = "write " + hint
	}
	d.wrongType(n, path, "a mapping", hint)
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
			field := join(path, key.Value)
			d.add(placeOf(key), field, "keep one of them", "%s is defined twice, first on line %d",
				field, line)
			continue
		}
		first[key.Value] = key.Line
		each(key, value)
	}
}

func (d *decoder) goodKey(key *yaml.Node, path string) bool {
	in := "the " + d.what.noun
	if path != "" {
		in = path
	}
	switch {
	case key.Kind == yaml.ScalarNode && key.Tag == "!!merge":
		d.add(placeOf(key), path, "write the fields out",
			"merge keys (<<) are not supported, there is one in %s", in)
	case key.Kind != yaml.ScalarNode || key.Style&yaml.TaggedStyle != 0:
		d.add(placeOf(key), path, "", "a key in %s is not a name", in)
	case key.Tag != "!!str":
		d.add(placeOf(key), path, "put it in quotes", "the key %s in %s is not a string",
			quote(key.Value), in)
	default:
		return true
	}
	return false
}

func (d *decoder) list(n *yaml.Node, into reflect.Value, path string, depth int) {
	if n.Kind != yaml.SequenceNode {
		d.wrongType(n, path, "a list", "write [a, b], or one item a line after a dash")
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content)))
	for i, child := range n.Content {
		d.keys[item(path, i)] = placeOf(child)
		d.value(child, into.Index(i), item(path, i), depth+1)
	}
}

func (d *decoder) integer(n *yaml.Node, into reflect.Value, path string) {
	if !d.scalar(n, path, "!!int", "a whole number", "") {
		return
	}
	i, err := strconv.ParseInt(n.Value, 10, 32)
	if err != nil {
		d.report.value(path, "", "%s must be a whole number in decimal digits below 2^31, is %s",
			path, quote(n.Value))
		return
	}
	into.SetInt(i)
}

// structFields are the members of a struct, by the names in its json tags.
type structFields struct {
	names []string
	index map[string]int
}

func fieldsOf(t reflect.Type) structFields {
	fields := structFields{index: map[string]int{}}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" || !t.Field(i).IsExported() {
			continue
		}
		fields.names = append(fields.names, name)
		fields.index[name] = i
	}
	return fields
}
