package document

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Check fills in the defaults of a struct and reports mistakes by the tags of its fields. Into is a
// pointer to it, and path is the mapping it was read from. What the decoder reported is not
// reported again.
func (r *Report) Check(into any, path string) {
	r.checkStruct(reflect.ValueOf(into).Elem(), path)
}

// SetDefaults fills in the defaults of a struct that was read from no file.
func SetDefaults(into any) { NewReport(&Kind{}, "").Check(into, "") }

func (r *Report) checkStruct(v reflect.Value, path string) {
	fields := FieldsOf(v.Type())
	for _, f := range fields {
		if f.Inline {
			r.checkValue(v.Field(f.index), path, f)
			continue
		}
		if f.Rules.Required && r.Has(path) && r.Missing(path, f.Name) {
			r.BadField(path, "%s", missing(path, f.Name))
		}
		r.checkValue(v.Field(f.index), Join(path, f.Name), f)
	}
	r.checkGroups(fields, path)
}

// missing says that a mapping has no member of a name.
func missing(path, name string) string {
	if path == "" {
		return name + " is missing"
	}
	return path + " has no " + name
}

// checkGroups checks which fields are set together.
func (r *Report) checkGroups(fields []Field, path string) {
	groups := map[string][]Field{}
	for _, f := range fields {
		if group := f.Rules.OneOf + f.Rules.AnyOf; group != "" {
			groups[group] = append(groups[group], f)
		}
	}
	unclear := r.Broken(path) || r.Failed(path) || !r.mappings[path]
	name := cmp.Or(path, "the "+r.kind.Noun)
	for _, members := range Sorted(groups) {
		var all, set []string
		for _, f := range members {
			all = append(all, f.Name)
			if r.Has(Join(path, f.Name)) {
				set = append(set, f.Name)
			}
		}
		switch {
		case len(set) == 0 && !unclear:
			if path != "" {
				r.SetFailed(path)
			}
			r.BadField(path, "%s must have %s", name, Or(all))
		case len(set) > 1 && members[0].Rules.OneOf != "":
			r.BadValue(path, "%s has both %s", name, And(set))
		}
	}
}

// checkValue checks one value and what is in it. A value that is missing or has failed gets its
// default.
func (r *Report) checkValue(v reflect.Value, path string, f Field) {
	if !f.Inline && !r.Good(path) {
		setDefault(v, f)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			r.checkValue(v.Elem(), path, f)
		}
		return
	case reflect.Slice:
		if v.Type().Elem() != reflect.TypeFor[byte]() { // as JSON is
			r.checkList(v, path, f)
		}
		return
	case reflect.Map:
		r.checkMap(v, path, f)
		return
	case reflect.Struct:
		if !isScalar(v.Type()) {
			r.checkStruct(v, path)
			return
		}
	}
	if r.Good(path) {
		r.checkScalar(v, path, f)
	}
}

func isScalar(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[metav1.Duration](), reflect.TypeFor[time.Time](),
		reflect.TypeFor[Expression]():
		return true
	}
	return t.Kind() != reflect.Struct
}

func setDefault(v reflect.Value, f Field) {
	switch {
	case len(f.Rules.Default) == 0:
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, len(f.Rules.Default)))
		for _, text := range f.Rules.Default {
			v.Set(reflect.Append(v, reflect.ValueOf(text).Convert(v.Type().Elem())))
		}
	default:
		value, err := valueOf(v.Type(), f.Rules.Default[0])
		if err != nil {
			panic("document: " + err.Error()) // it was read before
		}
		v.Set(value)
	}
}

func (r *Report) checkList(v reflect.Value, path string, f Field) {
	if r.Failed(path) || !r.Has(path) || !r.checkLength(v, path, f) {
		return
	}
	seen := make(map[any]bool, v.Len())
	for i := range v.Len() {
		at, element := Item(path, i), reflect.Indirect(v.Index(i))
		if !r.Good(at) || !element.IsValid() {
			continue
		}
		if !isScalar(element.Type()) {
			r.checkStruct(element, at)
			continue
		}
		if r.checkScalar(element, at, f); f.Rules.Unique {
			if seen[element.Interface()] && r.Good(at) {
				r.BadValue(at, "%s repeats %s", at, r.repeatedItem(element, f.Rules))
			}
			seen[element.Interface()] = true
		}
	}
}

// repeatedItem is what an item repeats, as in the output "hook".
func (r *Report) repeatedItem(v reflect.Value, rules Rules) string {
	switch {
	case rules.WriteOnly:
		return "another " + rules.Item
	case v.Kind() != reflect.String:
		return fmt.Sprint(v)
	}
	return "the " + rules.Item + " " + Quote(v.String())
}

func (r *Report) checkMap(v reflect.Value, path string, f Field) {
	if r.Failed(path) || !r.Has(path) || !r.checkLength(v, path, f) {
		return
	}
	element := f
	element.Inline = true // it has no default
	for name, value := range sortedMap(v) {
		at := Join(path, name)
		if format, ok := r.kind.Formats()[f.Rules.Keys]; ok && !format.Pattern.MatchString(name) {
			r.BadField(at, "%s: the name %s is not %s", at, Quote(name), format.Noun)
		}
		if r.Good(at) {
			// A copy, since Go does not let a value of a mapping change in place.
			changed := reflect.New(value.Type()).Elem()
			changed.Set(value)
			r.checkValue(changed, at, element)
		}
	}
}

// checkLength checks how many items a list or a mapping has. It reports whether to check them.
func (r *Report) checkLength(v reflect.Value, path string, f Field) bool {
	n := v.Len()
	rules := f.Rules
	switch {
	case n < rules.MinItems && (v.Kind() == reflect.Slice || !r.Broken(path)):
		r.BadValue(path, "%s must have at least one %s", path, rules.Item)
	case rules.MaxItems > 0 && n > rules.MaxItems:
		r.BadValue(path, "%s must have at most %d %ss, has %d", path, rules.MaxItems, rules.Item, n)
		return false
	}
	return true
}

// checkScalar checks a value that has no fields.
func (r *Report) checkScalar(v reflect.Value, path string, f Field) {
	if x, ok := v.Interface().(Expression); ok {
		r.checkText(x.Text, path, f)
		return
	}
	if v.Kind() == reflect.String {
		r.checkText(v.String(), path, f)
		return
	}
	rules := f.Rules
	if v.Kind() == reflect.Bool && len(rules.Enum) > 0 && !slices.Contains(rules.Enum, fmt.Sprint(v)) {
		r.BadValue(path, "%s must be %s, is %v", path, Or(rules.Enum), v)
	}
	if rules.Minimum == "" && rules.Maximum == "" || rules.Zero != "" && v.IsZero() {
		return
	}
	low, lowErr := valueOf(v.Type(), rules.Minimum)
	high, highErr := valueOf(v.Type(), rules.Maximum)
	if lowErr == nil && compare(v, low) < 0 || highErr == nil && compare(v, high) > 0 {
		r.BadValue(path, "%s must be %s, is %s", path, rules.Range(), written(v))
	}
}

// written returns a value as it is written in a file.
func written(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case metav1.Duration:
		return Short(x.Duration)
	case time.Time:
		return x.Format(time.RFC3339)
	}
	return fmt.Sprint(v.Interface())
}

// Short writes a duration without units that are zero: 1m for 1m0s.
func Short(d time.Duration) string {
	s := d.String()
	if d >= time.Minute && d%time.Minute == 0 {
		s = strings.TrimSuffix(s, "0s")
	}
	if d >= time.Hour && d%time.Hour == 0 {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func (r *Report) checkText(text, path string, f Field) {
	rules := f.Rules
	switch {
	case rules.MinLength > 0 && strings.TrimSpace(text) == "":
		r.BadValue(path, "%s is empty", path)
	case len(rules.Enum) > 0 && !slices.Contains(rules.Enum, text):
		r.BadValue(path, "%s must be %s, is %s", path, Or(rules.Enum),
			Quote(text)).Hint = DidYouMean(text, rules.Enum)
	case rules.Format != "":
		format, known := r.kind.Formats()[rules.Format]
		if !known {
			panic(fmt.Sprintf("document: %s: unknown format %q", path, rules.Format))
		}
		if problem := format.problem(text, rules.Item); problem != "" {
			r.BadValue(path, "%s%s", path, problem)
		}
	}
}

// Or lists words, as in "a, b or c".
func Or(words []string) string { return list(words, " or ") }

// And lists words, as in "a, b and c".
func And(words []string) string { return list(words, " and ") }

func list(words []string, before string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + before + words[last]
}

// Sorted iterates over a map in the order of its names, so that the same file always has the same
// mistakes.
func Sorted[V any](m map[string]V) func(yield func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
	}
}

func sortedMap(m reflect.Value) func(yield func(string, reflect.Value) bool) {
	values := make(map[string]reflect.Value, m.Len())
	for _, key := range m.MapKeys() {
		values[key.String()] = m.MapIndex(key)
	}
	return Sorted(values)
}
