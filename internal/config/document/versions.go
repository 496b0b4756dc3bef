package document

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Form is the form of a text in a version of a format.
type Form struct {
	// Read returns the text in the form of the tags json, and Write the text in this form. They are
	// called with texts that pass the checks.
	Read, Write func(text string) string
}

// versionTag begins the tags that have a field's name in another version.
const versionTag = "v1"

// namesOf reads the names that a field has in other versions from its tags.
func namesOf(f reflect.StructField) (names map[string]string) {
	for _, part := range strings.Fields(string(f.Tag)) {
		tag, _, _ := strings.Cut(part, ":")
		value, found := f.Tag.Lookup(tag)
		if !found || !strings.HasPrefix(tag, versionTag) {
			continue
		}
		if names == nil {
			names = map[string]string{}
		}
		names[tag], _, _ = strings.Cut(value, ",")
	}
	return names
}

// In returns the field as it is in a version of the format.
func (f Field) In(version string) Field {
	name, differs := f.Names[version]
	if !differs {
		return f
	}
	_, tag, _ := strings.Cut(f.owner.Field(f.index).Tag.Get(version), ",")
	rules, err := readRules(f.owner.Field(f.index), tag)
	if err != nil || f.Type.Kind() != reflect.String {
		panic(fmt.Sprintf("document: %s.%s: the tag %s: %v", f.owner, f.GoName, version, err))
	}
	f.Name = name
	if len(rules.Enum) > 0 {
		f.Rules.Enum = rules.Enum
	}
	if rules.Format != "" {
		f.Rules.Format = rules.Format
	}
	f.Rules.Form = rules.Form
	return f
}

// fieldsByVersion has the fields of each type that was asked for in a version.
var fieldsByVersion sync.Map

type typeInVersion struct {
	t       reflect.Type
	version string
}

// FieldsIn returns the fields of a struct in a version of the format.
func FieldsIn(t reflect.Type, version string) []Field {
	if version == "" {
		return FieldsOf(t)
	}
	if known, ok := fieldsByVersion.Load(typeInVersion{t, version}); ok {
		return known.([]Field)
	}
	fields := slices.Clone(FieldsOf(t))
	for i, f := range fields {
		fields[i] = f.In(version)
	}
	fieldsByVersion.Store(typeInVersion{t, version}, fields)
	return fields
}

// fieldsOf returns the fields of a struct as the file's version has them.
func (r *Report) fieldsOf(t reflect.Type) []Field { return FieldsIn(t, r.version) }

// otherVersion returns the hint for a field that another version has, "" if none has it.
func (r *Report) otherVersion(t reflect.Type, name string) string {
	for _, f := range FieldsOf(t) {
		here := f.In(r.version).Name
		if here == name {
			return "" // it is inline
		}
		if f.Name == name || slices.Contains(slices.Collect(maps.Values(f.Names)), name) {
			return "it is " + here + " in this apiVersion; informerd convert writes it"
		}
	}
	return ""
}

// settle brings a text that has passed its checks to the form of the tags json.
func (r *Report) settle(v reflect.Value, path string, f Field) {
	if form, other := r.kind.Forms[f.Rules.Form]; other && r.Good(path) {
		v.SetString(form.Read(v.String()))
	}
}

// apiVersionOf returns the version that a file says it has, "" if it says none.
func apiVersionOf(root *yaml.Node) string {
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != "apiVersion" {
			continue
		}
		value := root.Content[i+1]
		for depth := 0; value.Kind == yaml.AliasNode && depth < maxDepth; depth++ {
			value = value.Alias
		}
		return value.Value
	}
	return ""
}
