package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters"
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
}

func newDecoder(kind *Kind, file string, data []byte) *decoder {
	return &decoder{Report: NewReport(kind, file), lines: strings.Split(string(data), "\n")}
}

// root decodes a whole file.
func (d *decoder) root(n *yaml.Node, into reflect.Value) {
	d.keys[""] = placeOf(n)
	d.value(n, into, "", 0)
}

// value decodes one node. Mistakes are reported, and the rest is decoded.
func (d *decoder) value(n *yaml.Node, into reflect.Value, path string, depth int) {
	d.values[path] = placeOf(n)
	n, ok := d.follow(n, path, depth)
	if !ok {
		return
	}
	if isNull(n) {
		d.BadValue(path, "%s has no value", path)
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
func (d *decoder) follow(n *yaml.Node, path string, depth int) (*yaml.Node, bool) {
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
		d.stop(at, path, "values are nested deeper than %d levels", maxDepth)
	case d.nodes > maxNodes:
		d.stop(at, path, "the %s has more than %d values", d.kind.Noun, maxNodes)
	case n.Style&yaml.TaggedStyle != 0:
		d.failed[path] = true
		d.Add(at, path, "%s begins with the tag %s, and a value that begins with ! needs quotes",
			path, Quote(n.Tag))
	default:
		return n, true
	}
	return nil, false
}

func (d *decoder) stop(at Place, path, format string, args ...any) {
	d.stopped = true
	d.failed[path] = true
	d.Add(at, path, format, args...)
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
		if d.scalar(n, path, "!!str", "a string") {
			into.SetString(n.Value)
		}
	case reflect.Bool:
		if d.scalar(n, path, "!!bool", "true or false") {
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
	if !d.is(n, yaml.MappingNode, path, "a mapping") {
		return
	}
	fields := FieldsOf(into.Type())
	d.mappings[path] = true
	d.members(n, path, func(key *yaml.Node, value *yaml.Node) {
		name := key.Value
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name && !f.Inline })
		if i < 0 {
			d.unknown(key, n, path, into.Type())
			return
		}
		member := Join(path, name)
		d.keys[member] = placeOf(key)
		d.value(value, into.Field(fields[i].index), member, depth+1)
	})
}

// unknown notes a field that a mapping of the type t does not have.
func (d *decoder) unknown(key, in *yaml.Node, path string, t reflect.Type) {
	d.broken[path] = true
	where := ""
	if path != "" {
		where = " in " + path
	}
	var known []string
	for _, f := range FieldsOf(t) {
		if !f.Inline {
			known = append(known, f.Name)
		}
	}
	meant, near := nearest.Name(key.Value, known)
	hint := d.kind.Elsewhere[t.Name()+"."+key.Value]
	switch {
	case near:
		hint = DidYouMean(key.Value, known)
		if memberOf(in, meant) < 0 {
			d.SetFailed(Join(path, meant)) // and what refers to it is not reported as well
		}
	case hint != "":
	case len(known) > 0:
		hint = "its fields are " + strings.Join(known, ", ")
	default:
		hint = "it has no fields"
	}
	d.Add(placeOf(key), Join(path, key.Value), "unknown field %s%s", Quote(key.Value),
		where).Hint = hint
}

// mapping decodes a mapping whose keys are names that the user chose.
func (d *decoder) mapping(n *yaml.Node, into reflect.Value, path string, depth int) {
	into.Set(reflect.MakeMap(into.Type()))
	if !d.is(n, yaml.MappingNode, path, "a mapping") {
		return
	}
	d.members(n, path, func(key, value *yaml.Node) {
		member := Join(path, key.Value)
		d.keys[member] = placeOf(key)
		element := reflect.New(into.Type().Elem()).Elem()
		d.value(value, element, member, depth+1)
		into.SetMapIndex(reflect.ValueOf(key.Value), element)
	})
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
			d.Add(placeOf(key), field, "%s is defined twice, first %s", field,
				d.relative(line, key.Line))
			continue
		}
		first[key.Value] = key.Line
		each(key, value)
	}
}

// relative says where a line is, for a mistake on another one.
func (d *decoder) relative(line, other int) string {
	file, at := d.Located(Place{Line: line})
	if in, _ := d.Located(Place{Line: other}); in == file {
		return fmt.Sprintf("on line %d", at.Line)
	}
	return fmt.Sprintf("at %s:%d", Shown(file), at.Line)
}

func (d *decoder) goodKey(key *yaml.Node, path string) bool {
	in := cmp.Or(path, "the "+d.kind.Noun)
	switch {
	case key.Kind == yaml.ScalarNode && key.Tag == "!!merge":
		d.Add(placeOf(key), path, "merge keys (<<) are not supported, there is one in %s", in)
	case key.Kind != yaml.ScalarNode || key.Style&yaml.TaggedStyle != 0:
		d.Add(placeOf(key), path, "a key in %s is not a name", in)
	case key.Tag == "!!bool":
		d.Add(placeOf(key), path, "the key %s in %s is not a string", Quote(key.Value), in).Hint =
			"a program that reads YAML 1.1 makes it of on, off, yes and no without quotes"
	case key.Tag != "!!str":
		d.Add(placeOf(key), path, "the key %s in %s is not a string, and needs quotes",
			Quote(key.Value), in)
	default:
		return true
	}
	return false
}

func (d *decoder) list(n *yaml.Node, into reflect.Value, path string, depth int) {
	if !d.is(n, yaml.SequenceNode, path, "a list") {
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content)))
	for i, child := range n.Content {
		d.keys[Item(path, i)] = placeOf(child)
		d.value(child, into.Index(i), Item(path, i), depth+1)
	}
}

// is reports whether a node is of a kind. If not, it is a mistake.
func (d *decoder) is(n *yaml.Node, kind yaml.Kind, path, want string) bool {
	if n.Kind != kind {
		d.wrongType(n, path, want)
	}
	return n.Kind == kind
}

// scalar reports whether the node is a scalar of the tag's type. If not, it is a mistake.
func (d *decoder) scalar(n *yaml.Node, path, tag, want string) bool {
	good := n.Kind == yaml.ScalarNode && n.Tag == tag
	if !good {
		d.wrongType(n, path, want)
	}
	return good
}

func (d *decoder) wrongType(n *yaml.Node, path, want string) {
	name, is := cmp.Or(path, "the "+d.kind.Noun), describe(n)
	if n.Kind == yaml.ScalarNode && d.kind.isSecret(n.Value) {
		is = "a string"
	}
	d.SetFailed(path)
	d.Add(placeOf(n), path, "%s must be %s, is %s", name, want, is)
}

// describe returns what a node is, as in "a list".
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!int" || n.Tag == "!!float":
		return "the number " + strings.Trim(Quote(n.Value), `"`)
	case n.Tag == "!!bool":
		return n.Value
	case n.Tag == "!!null":
		return "nothing"
	case n.Tag == "!!timestamp":
		return "the date " + n.Value
	default:
		return "the string " + Quote(n.Value)
	}
}

func (d *decoder) integer(n *yaml.Node, into reflect.Value, path string) {
	if !d.scalar(n, path, "!!int", "a whole number") {
		return
	}
	i, err := strconv.ParseInt(n.Value, 10, 32)
	if err != nil {
		d.BadValue(path, "%s must be a whole number in decimal digits below 2^31, is %s", path,
			Quote(n.Value))
		return
	}
	into.SetInt(i)
}

const aDuration = "a duration, as in 90s, 1h30m or 7d"

func (d *decoder) duration(n *yaml.Node, into *metav1.Duration, path string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!int" && n.Value == "0" ||
		!d.scalar(n, path, "!!str", aDuration) {
		return
	}
	duration, ok := filters.ParseDuration(n.Value)
	switch {
	case !ok:
		d.BadValue(path, "%s must be %s, is %s", path, aDuration, Quote(n.Value))
	case duration < 0:
		d.BadValue(path, "%s must not be negative, is %s", path, n.Value)
	default:
		into.Duration = duration
	}
}

const aTime = "a time with a zone, as in 2026-01-01T00:00:00Z"

// time decodes a point in time. It needs a zone: YAML would take UTC, other tools local time.
func (d *decoder) time(n *yaml.Node, into *time.Time, path string) {
	if n.Tag != "!!timestamp" && !d.scalar(n, path, "!!str", aTime) {
		return
	}
	t, err := time.Parse(time.RFC3339Nano, n.Value)
	if err != nil {
		d.BadValue(path, "%s must be %s, is %s", path, aTime, Quote(n.Value))
		return
	}
	*into = t.UTC()
}

const aSize = "a quantity of bytes, as in 16Mi"

// bytes decodes a quantity. Its length is limited because a quantity's exponent may ask for any
// number of digits.
func (d *decoder) bytes(n *yaml.Node, into *Bytes, path string) {
	if n.Tag != "!!int" && !d.scalar(n, path, "!!str", aSize) {
		return
	}
	quantity, err := resource.ParseQuantity(n.Value)
	if err != nil || len(n.Value) > 20 || strings.ContainsAny(n.Value, "eE") {
		d.BadValue(path, "%s must be %s, is %s", path, aSize, Quote(n.Value))
		return
	}
	size, whole := quantity.AsInt64()
	switch {
	case quantity.Sign() < 0:
		d.BadValue(path, "%s must not be negative, is %s", path, n.Value)
	case !whole:
		d.BadValue(path, "%s must be whole bytes below 2^63, is %s", path, n.Value)
	default:
		*into = Bytes(size)
	}
}

// DidYouMean returns a hint that names the known word nearest to a wrong one, empty if none is
// near.
func DidYouMean(word string, known []string) string {
	if name, ok := nearest.Name(word, known); ok {
		return fmt.Sprintf("did you mean %q?", name)
	}
	return ""
}
