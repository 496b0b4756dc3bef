package config

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/informer/event"
)

// collect takes the first value of each field for an example.
func (r *reference) collect(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			r.collect(v.Elem())
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int {
			return strings.Compare(a.String(), b.String())
		})
		for _, key := range keys {
			r.collect(v.MapIndex(key))
		}
	case reflect.Slice:
		for i := range v.Len() {
			r.collect(v.Index(i))
		}
	case reflect.Struct:
		for _, f := range document.FieldsOf(v.Type()) {
			name, field := f.Name, v.FieldByName(f.GoName)
			r.collect(field)
			key := v.Type().Name() + "." + f.GoName
			if _, known := r.examples[key]; known || field.IsZero() {
				continue
			}
			text, err := exampleJSON(field.Interface())
			if err == nil && len(text) < 90 &&
				(text[0] != '{' || isPlaced(reflect.Indirect(field).Type()) ||
					field.Type() == reflect.TypeFor[json.RawMessage]() ||
					field.Kind() == reflect.Map && field.Type().Elem().Kind() == reflect.String) {
				r.examples[key] = name + ": " + exampleText(text)
			}
		}
	}
}

// isPlaced reports whether values of a type may say where they are.
func isPlaced(t reflect.Type) bool {
	return t == reflect.TypeFor[Value]() || t == reflect.TypeFor[Secret]()
}

// unescaped undoes what the MarshalJSON of a type has escaped for HTML.
var unescaped = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// exampleJSON is a value as JSON, with operations by their names and <, > and & as they are.
func exampleJSON(v any) (string, error) {
	if ops, ok := v.([]event.Op); ok {
		names := []string{}
		for _, op := range ops {
			names = append(names, op.String())
		}
		v = names
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return unescaped.Replace(strings.TrimSuffix(b.String(), "\n")), err
}

// decodeExample reads an example as a member of a value of the type.
func decodeExample(t reflect.Type, example string) error {
	f, err := document.Read(configuration, "example", []byte(example), reflect.New(t).Interface())
	if err != nil {
		return err
	}
	return f.Err()
}

var plainWord = regexp.MustCompile(`"([A-Za-z][A-Za-z0-9./-]*|[0-9]+[A-Za-z][A-Za-z0-9]*)"`)

// exampleText writes JSON as people write YAML.
func exampleText(text string) string {
	if strings.HasPrefix(text, `"`) && strings.Contains(text, `\"`) {
		var s string
		if json.Unmarshal([]byte(text), &s) == nil {
			if s = oneParagraph(s); strings.ContainsRune("\"{[", rune(s[0])) {
				return "'" + strings.ReplaceAll(s, "'", "''") + "'"
			}
			return s
		}
	}
	text = plainWord.ReplaceAllString(text, "$1")
	text = regexp.MustCompile(`([a-z}\]])":?([:,])([^ /0-9])`).ReplaceAllString(text, "$1$2 $3")
	text = regexp.MustCompile(`,([^ ])`).ReplaceAllString(
		regexp.MustCompile(`([mh])0[ms](0s)?$`).ReplaceAllString(text, "$1"), ", $1")
	return regexp.MustCompile(`([{ ,])"?([A-Za-z-]+)"?:([^ /])`).ReplaceAllString(
		strings.ReplaceAll(text, `,"`, `, "`), "$1$2: $3")
}
