package config

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/docs"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/informer/event"
)

const schemaPage = "../../docs/config.schema.json"

// The JSON Schema is what the types and their tags say.
func TestJSONSchema(t *testing.T) {
	s := &schemaWriter{comments: typeComments(t), defs: map[string]*jsonschema.Schema{}}
	whole := s.kinds()
	whole.Schema = "https://json-schema.org/draft/2020-12/schema"
	whole.Title = "A configuration or a policy file of informerd"
	whole.Defs = s.defs
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(whole); err != nil {
		t.Fatal(err)
	}
	if *updateReference {
		if err := os.WriteFile(schemaPage, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return // what is embedded is the file before
	}
	if !bytes.Equal(b.Bytes(), docs.ConfigSchema) {
		t.Errorf("%s is not what the types say: make docs writes it again", schemaPage)
	}
}

// schemaWriter makes a JSON Schema of types.
type schemaWriter struct {
	comments map[string]string
	defs     map[string]*jsonschema.Schema
}

// kinds returns the schema of both kinds of files.
func (s *schemaWriter) kinds() *jsonschema.Schema {
	return &jsonschema.Schema{If: says("kind", PolicyKind),
		Then: s.ref(reflect.TypeFor[Policy]()), Else: s.ref(reflect.TypeFor[Config]())}
}

// says matches files in which a field has a value.
func says(field, value string) *jsonschema.Schema {
	return &jsonschema.Schema{Required: []string{field},
		Properties: map[string]*jsonschema.Schema{field: {Enum: []any{value}}}}
}

// ref returns a reference to the definition of a struct, which is made if there is none yet.
func (s *schemaWriter) ref(t reflect.Type) *jsonschema.Schema {
	name := t.Name()
	if s.defs[name] == nil {
		def := &jsonschema.Schema{}
		s.defs[name] = def
		s.define(def, t)
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

func (s *schemaWriter) define(def *jsonschema.Schema, t reflect.Type) {
	def.Type, def.Description = "object", aboutType(s.comments[t.Name()])
	def.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	def.Properties = map[string]*jsonschema.Schema{}
	oneOf, anyOf := map[string][]*jsonschema.Schema{}, map[string][]*jsonschema.Schema{}
	for _, f := range document.FieldsOf(t) {
		def.PropertyOrder = append(def.PropertyOrder, f.Name)
		def.Properties[f.Name] = s.field(t, f)
		set := &jsonschema.Schema{Required: []string{f.Name}}
		switch rules := f.Rules; {
		case rules.Required:
			def.Required = append(def.Required, f.Name)
		case rules.OneOf != "":
			oneOf[rules.OneOf] = append(oneOf[rules.OneOf], set)
		case rules.AnyOf != "":
			anyOf[rules.AnyOf] = append(anyOf[rules.AnyOf], set)
		}
	}
	for _, group := range document.Sorted(oneOf) {
		def.AllOf = append(def.AllOf, &jsonschema.Schema{OneOf: group})
	}
	for _, group := range document.Sorted(anyOf) {
		def.AllOf = append(def.AllOf, &jsonschema.Schema{AnyOf: group})
	}
}

func (s *schemaWriter) field(t reflect.Type, f document.Field) *jsonschema.Schema {
	schema := s.value(f.Type, f.Rules)
	_, text := defaultOf(f, s.comments[t.Name()+"."+f.GoName])
	text = described(f, text)
	if limits := f.Rules.Range(); limits != "" && f.Type.Kind() != reflect.Int {
		text += " Range: " + limits + "."
	}
	schema.Description = text
	if v := f.Rules.Default; len(v) > 0 {
		schema.Default = defaultJSON(f.Type, v)
	}
	schema.WriteOnly = f.Rules.WriteOnly
	return schema
}

// defaultJSON writes a default as a file has it.
func defaultJSON(t reflect.Type, values []string) json.RawMessage {
	switch t.Kind() {
	case reflect.Int, reflect.Bool:
		return json.RawMessage(values[0])
	case reflect.Slice:
		text, _ := json.Marshal(values)
		return text
	}
	text, _ := json.Marshal(values[0])
	return text
}

// The forms of texts. They match all that the decoder takes, and little else.
const (
	durationPattern = `^\+?(([0-9]+\.?[0-9]*|\.[0-9]+)(d|h|m|s|ms|us|µs|μs|ns))+$`
	zeroPattern     = `^\+?0$|` + durationPattern
	bytesPattern    = `^\+?([0-9]+\.?[0-9]*|\.[0-9]+)([KMGTP]i|[numkMGTP])?$`
)

func (s *schemaWriter) value(t reflect.Type, rules document.Rules) *jsonschema.Schema {
	text := func(pattern string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Pattern: pattern}
	}
	switch t {
	case reflect.TypeFor[metav1.Duration]():
		if rules.Zero == "" && rules.Minimum != "0s" {
			return text(durationPattern)
		}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Enum: []any{0}}, text(zeroPattern)}}
	case reflect.TypeFor[Bytes]():
		number := &jsonschema.Schema{Type: "integer", Minimum: bytesIn(rules.Minimum),
			Maximum: bytesIn(rules.Maximum)}
		forms := []*jsonschema.Schema{number, text(bytesPattern)}
		if rules.Zero != "" {
			forms = append(forms, &jsonschema.Schema{Enum: []any{0}})
		}
		return &jsonschema.Schema{AnyOf: forms}
	case reflect.TypeFor[Expression]():
		return text(`\S`)
	case reflect.TypeFor[event.Op]():
		return &jsonschema.Schema{Type: "string", Enum: anys(opWords())}
	case reflect.TypeFor[time.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time",
			Pattern: `T.*(Z|[+-][0-9]{2}:[0-9]{2})$`}
	case reflect.TypeFor[json.RawMessage]():
		return &jsonschema.Schema{}
	case reflect.TypeFor[Value]():
		pattern := `[^\x00]`
		if form := formats()[rules.Format].Pattern; form != nil {
			pattern = form.String()
		}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text(pattern), s.ref(t)}}
	case reflect.TypeFor[InformerRef]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			text(""), s.ref(reflect.TypeFor[Informer]())}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.value(t.Elem(), rules)
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: s.value(t.Elem(), itemRules(rules)),
			MinItems: count(rules.MinItems), MaxItems: count(rules.MaxItems),
			UniqueItems: rules.Unique}
	case reflect.Map:
		schema := &jsonschema.Schema{Type: "object",
			AdditionalProperties: s.value(t.Elem(), itemRules(rules)),
			MinProperties:        count(rules.MinItems), MaxProperties: count(rules.MaxItems)}
		if keys, ok := formats()[rules.Keys]; ok {
			schema.PropertyNames = &jsonschema.Schema{Pattern: keys.Pattern.String()}
		}
		return schema
	case reflect.Struct:
		return s.ref(t)
	case reflect.Int:
		return &jsonschema.Schema{Type: "integer", Minimum: numberIn(rules.Minimum),
			Maximum: numberIn(rules.Maximum)}
	case reflect.Bool:
		schema := &jsonschema.Schema{Type: "boolean"}
		for _, word := range rules.Enum {
			schema.Enum = append(schema.Enum, word == "true")
		}
		return schema
	}
	schema := &jsonschema.Schema{Type: "string", Enum: anys(rules.Enum),
		MinLength: count(rules.MinLength)}
	if pattern := formats()[rules.Format].Pattern; pattern != nil {
		schema.Pattern = pattern.String()
	}
	return schema
}

// itemRules are those rules of a list or a mapping that are about what is in it.
func itemRules(rules document.Rules) document.Rules {
	return document.Rules{Enum: rules.Enum, Format: rules.Format, MinLength: rules.MinLength}
}

func anys(words []string) (all []any) {
	for _, word := range words {
		all = append(all, word)
	}
	return all
}

func count(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

func numberIn(text string) *float64 {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return &n
	}
	return nil
}

// bytesIn reads a quantity of bytes, nil if there is none.
func bytesIn(text string) *float64 {
	for i, unit := range []string{"Ki", "Mi", "Gi", "Ti"} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n := numberIn(number)
			*n *= float64(int64(1) << (10 * (i + 1)))
			return n
		}
	}
	return numberIn(text)
}

// validators are validators of the kinds of files that know the JSON Schema.
var validators = sync.OnceValues(func() (map[*document.Kind]*jsonschema.Resolved, error) {
	resolved := map[*document.Kind]*jsonschema.Resolved{}
	for _, kind := range []*document.Kind{configuration, policy} {
		var schema jsonschema.Schema
		if err := json.Unmarshal(docs.ConfigSchema, &schema); err != nil {
			return nil, err
		}
		if schema.If = nil; kind == policy {
			schema.Ref = schema.Then.Ref
		} else {
			schema.Ref = schema.Else.Ref
		}
		schema.Then, schema.Else = nil, nil
		var err error
		if resolved[kind], err = schema.Resolve(nil); err != nil {
			return nil, err
		}
	}
	return resolved, nil
})

// schemaSays returns what a validator that knows the JSON Schema says of a text, nil if it takes
// it. It also takes a text that is not YAML.
func schemaSays(t testing.TB, kind *document.Kind, text string) error {
	t.Helper()
	all, err := validators()
	if err != nil {
		t.Fatal(err)
	}
	var value any
	err = document.Stream(kind, "x.yaml", []byte(text), func(part document.Part) error {
		data, err := part.JSON()
		if err == nil {
			err = json.Unmarshal(data, &value)
		}
		return err
	})
	if err != nil {
		return nil
	}
	return all[kind].Validate(value)
}

func TestJSONSchemaTakesConfigurations(t *testing.T) {
	for _, text := range []string{full, base, withPolicies} {
		if err := schemaSays(t, configuration, text); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
	for _, text := range []string{policyText, slicesPolicy} {
		if err := schemaSays(t, policy, text); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
	checked := 0
	err := filepath.WalkDir("../../configs", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		kind, ok := map[string]*document.Kind{Kind: configuration,
			PolicyKind: policy}[document.TextAt(path, data, "kind")]
		if err != nil || !ok {
			return err // an object that a test is about
		}
		checked++
		if err := schemaSays(t, kind, string(data)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil || checked < 10 {
		t.Errorf("%d files were checked: %v", checked, err)
	}
}
