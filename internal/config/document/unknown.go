package document

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config/notyaml"
	"github.com/informerd/informerd/internal/nearest"
)

// unknown notes a field that a mapping does not have. In is the mapping, of the type t.
func (d *decoder) unknown(key, value, in *yaml.Node, path string, t reflect.Type) {
	where := ""
	if path != "" {
		where = " in " + path
	}
	d.Add(placeOf(key), Join(path, key.Value), d.unknownHint(key.Value, value, in, path, t),
		"unknown field %s%s", Quote(key.Value), where)
	known := names(d.fieldsOf(t))
	if meant, near := nearest.Name(key.Value, known); near && memberOf(in, meant) < 0 {
		d.SetFailed(Join(path, meant)) // and what refers to it is not reported as well
	}
}

// unknownHint returns what to do about an unknown field, the likeliest first.
func (d *decoder) unknownHint(name string, value, in *yaml.Node, path string,
	t reflect.Type) string {
	help, fields := d.kind.help(t), d.fieldsOf(t)
	if field, rest, tight := strings.Cut(name, ":"); tight && rest != "" &&
		value.Kind == yaml.ScalarNode {
		if _, known := fieldNamed(fields, field); known {
			if !isPiece(value) {
				rest += ": " + value.Value
			}
			return "a space is missing after the colon: write " + field + ": " + notyaml.Short(rest)
		}
	}
	known := names(fields)
	if hint := d.otherVersion(t, name); hint != "" {
		return hint
	}
	if help.ByValue != nil {
		if hint := help.ByValue(Join(path, name), shapeOf(value, d.tree)); hint != "" {
			return hint
		}
	}
	if hint := d.asKind(name, path, fields); hint != "" {
		return hint
	}
	renamed, other := fieldNamed(fields, help.Renamed[name])
	if other {
		if text := d.shown(value, renamed); text != "" {
			return "write " + renamed.Name + text
		}
	}
	if hint := help.Elsewhere[name]; hint != "" {
		return hint
	}
	for _, other := range known {
		if sameWord(name, other) {
			return DidYouMean(name, []string{other})
		}
	}
	if other {
		hint := "write " + renamed.Name
		if example := d.kind.help(renamed.Type).Example; strings.HasPrefix(example, "{") {
			hint += ", as in " + renamed.Name + ": " + example
		}
		return hint
	}
	if hint := d.belongs(name, value, in, path, t); hint != "" {
		return hint
	}
	switch near := DidYouMean(name, known); {
	case near != "":
		return near
	case help.Unknown != "":
		return help.Unknown
	case len(known) > 0:
		return "its fields are " + strings.Join(known, ", ")
	case help.Example != "":
		return "write " + help.Example
	}
	return "it has no fields"
}

// asKind returns the hint for a field of one of the fields, if the mapping at path has the name of
// that field, as in outputs: {slack: {url: …}}.
func (d *decoder) asKind(name, path string, fields []Field) string {
	if _, fixed := d.fields[path]; fixed {
		return ""
	}
	f, is := fieldNamed(fields, path[strings.LastIndex(path, ".")+1:])
	if !is {
		return ""
	}
	for f.Type.Kind() == reflect.Pointer {
		f.Type = f.Type.Elem()
	}
	if f.Type.Kind() != reflect.Struct || isScalar(f.Type) {
		return ""
	}
	if _, has := fieldNamed(d.fieldsOf(f.Type), name); !has {
		return ""
	}
	return nameAndKind(f.Name)
}

// sameWord reports whether two names differ in nothing but case, separators and an s at their end.
func sameWord(a, b string) bool {
	plain := func(s string) string {
		return strings.TrimSuffix(strings.NewReplacer("_", "", "-", "").Replace(
			strings.ToLower(s)), "s")
	}
	return plain(a) == plain(b)
}

// shown returns the value of a field as it follows the field's name in a hint, "" if the field
// cannot have it.
func (d *decoder) shown(value *yaml.Node, f Field) string {
	text := flowOf(value, 0)
	switch {
	case f.Type.Kind() == reflect.Slice && value.Kind == yaml.ScalarNode && value.Tag == "!!str":
		text = "[" + listed(value.Value, ",") + "]"
	case f.Type == reflect.TypeFor[metav1.Duration]() && value.Tag == "!!int":
		text += "s"
	}
	if text == "" || d.isSecret(value) || f.Rules.WriteOnly || !isOpen(f.Type) {
		return ""
	}
	d.fields["x"] = f
	defer delete(d.fields, "x")
	if !d.fits(text, "x", f.Type) {
		return ""
	}
	return ": " + text
}

// isOpen reports whether a value of the type may be shown: it is a scalar, or a list of them.
func isOpen(t reflect.Type) bool {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() != reflect.Map && isScalar(t) && t != reflect.TypeFor[Expression]()
}

// belongs returns the hint for a field of another mapping: of one in the mapping at path, or of one
// around it.
func (d *decoder) belongs(name string, value, in *yaml.Node, path string, t reflect.Type) string {
	var inside []string
	for _, f := range d.fieldsOf(t) {
		child := f.Type
		for child.Kind() == reflect.Pointer || child.Kind() == reflect.Slice ||
			child.Kind() == reflect.Map {
			child = child.Elem()
		}
		if f.Inline || child.Kind() != reflect.Struct || isScalar(child) {
			continue
		}
		member, has := fieldNamed(d.fieldsOf(child), name)
		if !has {
			continue
		}
		if memberOf(in, f.Name) >= 0 && f.Type.Kind() != reflect.Map {
			if f.Type.Kind() == reflect.Slice {
				return "it belongs to an item of " + f.Name + ": write it in there"
			}
			return "it belongs to " + f.Name + ": write it in there"
		}
		inside = append(inside, belongsTo(f, name+d.orDots(value, member)))
	}
	if len(inside) == 1 {
		return inside[0]
	}
	return d.belongsAround(name, path)
}

func (d *decoder) orDots(value *yaml.Node, f Field) string {
	if text := d.shown(value, f); text != "" {
		return text
	}
	return ": …"
}

func belongsTo(f Field, member string) string {
	item := strings.TrimSuffix(f.Name, "s")
	switch f.Type.Kind() {
	case reflect.Map:
		return "it belongs to one of " + f.Name + ": write it in there, as in " + f.Name +
			": {" + strings.ToUpper(item) + ": {" + member + ", …}}"
	case reflect.Slice:
		return "it belongs to an item of " + f.Name + ": write " + f.Name + ": [{" + member +
			", …}]"
	}
	return "it belongs to " + f.Name + ": write " + f.Name + ": {" + member + "}"
}

// belongsAround looks for the field in the mappings around a path.
func (d *decoder) belongsAround(name, path string) string {
	for path != "" {
		below := path
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
		around, known := d.structs[path]
		if !known {
			continue
		}
		if _, has := fieldNamed(d.fieldsOf(around), name); !has {
			continue
		}
		next := strings.TrimLeft(strings.TrimPrefix(below, path), ".")
		next, _, _ = strings.Cut(next, "[")
		if name == next {
			continue
		}
		if path == "" {
			if next, _, _ = strings.Cut(next, "."); next == name {
				return ""
			}
			return "it belongs to the top of the file, next to " + next
		}
		return "it belongs to " + path + ", next to " + next
	}
	return ""
}

// brokenBelow notes that items of a mapping may have a field that is next to them.
func (d *decoder) brokenBelow(mapping string) {
	for path := range d.structs {
		if path[:max(0, strings.LastIndexByte(path, '.'))] == mapping {
			d.broken[path] = true
		}
	}
}
