package document

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/informerd/informerd/internal/config/notyaml"
)

// ofTop finds a field of the top of the file that is indented, so that it is a name in the mapping
// before it. It has no value, or one with none of the fields that items of that mapping have.
func (d *decoder) ofTop(key, value *yaml.Node, path string, item reflect.Type) bool {
	top, known := d.structs[""]
	for item.Kind() == reflect.Pointer {
		item = item.Elem()
	}
	if !known || path == "" || strings.ContainsAny(path, ".[") || item.Kind() != reflect.Struct ||
		d.trial || d.tree.Style&yaml.FlowStyle != 0 {
		return false
	}
	field, is := fieldNamed(d.fieldsOf(top), key.Value)
	if !is || memberOf(d.tree, key.Value) >= 0 {
		return false
	}
	if !isNull(value) && !notyaml.NoneOf(value, func(name string) bool {
		_, has := fieldNamed(d.fieldsOf(item), name)
		return has
	}) {
		return false
	}
	d.broken[""] = true
	d.SetFailed(field.Name)
	d.Add(placeOf(key), Join(path, key.Value), "begin it in column 1, and the lines below it further left as well",
		"%s is a field of the top of the file, and is indented below %s", key.Value, path)
	return true
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
	in := "the " + d.kind.Noun
	if path != "" {
		in = path
	}
	switch {
	case key.Kind == yaml.ScalarNode && key.Tag == "!!merge":
		d.Add(placeOf(key), path, "write the fields out",
			"merge keys (<<) are not supported, there is one in %s", in)
	case key.Kind == yaml.MappingNode && key.Style&yaml.FlowStyle != 0:
		d.Add(placeOf(key), path, "if it is a template, such as {{ .Values.x }}, render it first, as with helm template, or write what belongs there",
			"a key in %s is not a name", in)
	case key.Kind != yaml.ScalarNode || key.Style&yaml.TaggedStyle != 0:
		d.Add(placeOf(key), path, "", "a key in %s is not a name", in)
	case key.Tag != "!!str":
		d.Add(placeOf(key), path, "put it in quotes", "the key %s in %s is not a string",
			Quote(key.Value), in)
	default:
		return true
	}
	return false
}
