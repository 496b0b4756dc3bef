package plan

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
)

// Configurations that mean the same have equal digests: order, comments and defaults that are
// written out make no difference, and nor does the file.
func TestEqualConfigurationsHaveEqualDigests(t *testing.T) {
	const long = `
  a:
    outputs: [out] # the only one
    workers: 1
    filter: |-
      object.spec.x == 1
    informer: {labelSelector: a=b, resource: pods}
    handler: {wasm: a.wasm, batch: 64, grants: {kv: {bytes: 1Mi, keys: 1000}}}
  b: {informer: {resource: nodes}, outputs: [out]}
`
	const short = `
  b: {outputs: [out], informer: {resource: nodes}}
  a:
    informer: {resource: pods, labelSelector: a=b}
    filter: object.spec.x == 1
    handler: {grants: {kv: {}}, wasm: a.wasm}
    outputs: [out]
`
	first, second := digestsOf(parse(t, head+long)), digestsOf(parse(t, head+short))
	if !reflect.DeepEqual(first, second) {
		t.Errorf("the digests differ:\n%+v\n%+v", first, second)
	}
	if n := len(first.Informers) + len(first.Listeners) + len(first.Handlers); n != 5 {
		t.Errorf("there are %d digests of informers, listeners and handlers, want 5", n)
	}
}

// A change is in the digest of its own part and in no other.
func TestAChangeIsInItsOwnDigest(t *testing.T) {
	const text = `
  a: {informer: {resource: pods}, handler: {wasm: a.wasm}, workers: 2, outputs: [out]}
`
	base := digestsOf(parse(t, head+text))
	for part, change := range map[string][2]string{
		"Process":      {"http: {address: \"127.0.0.1:1\"}\n" + head, text},
		"Clusters":     {"clusters: {a: {inCluster: true}}\n" + head, text},
		"ClustersFrom": {"clustersFrom: [{folder: x}]\n" + head, text},
		"Informers":    {head, strings.Replace(text, "pods}", "pods, labelSelector: a=b}", 1)},
		"Handlers":     {head, strings.Replace(text, "a.wasm", "b.wasm", 1)},
		"Listeners":    {head, strings.Replace(text, "workers: 2", "workers: 3", 1)},
	} {
		changed := digestsOf(parse(t, change[0]+change[1]))
		before, after := reflect.ValueOf(base), reflect.ValueOf(changed)
		for i := range before.NumField() {
			name := before.Type().Field(i).Name
			same := reflect.DeepEqual(fieldText(before.Field(i)), fieldText(after.Field(i)))
			if same == (name == part) {
				t.Errorf("a change of %s: the digest of %s is the same: %v", part, name, same)
			}
		}
	}
}

// fieldText returns an unexported field's value.
func fieldText(v reflect.Value) any {
	if v.Kind() == reflect.String {
		return v.String()
	}
	all := map[string]string{}
	for _, key := range v.MapKeys() {
		all[key.String()] = v.MapIndex(key).String()
	}
	return all
}

// inNoDigest are the fields that say where something is, how it is called for its readers, or what
// is in other fields as well.
var inNoDigest = []string{
	"Config.APIVersion", "Config.Kind", "Config.Policies", "Policies.",
	"Listener.Description", "Output.Name",
	"Expression.File", "Expression.Line", "Expression.Column", "Expression.Comment",
}

// Each field of the configuration's types is in a digest: with any other value of it, or without
// it, the digests differ.
func TestEveryFieldIsInADigest(t *testing.T) {
	base := digestsOf(filledConfig())
	var names []string
	eachField(reflect.ValueOf(filledConfig()).Elem(), func(name string, _ func()) {
		names = append(names, name)
	})
	if len(names) < 100 {
		t.Fatalf("only %d fields were found: %v", len(names), names)
	}
	for n, name := range names {
		if name == "Listener.Policy" {
			continue // a listener of a policy that was not loaded is not found
		}
		cfg, i := filledConfig(), 0
		eachField(reflect.ValueOf(cfg).Elem(), func(_ string, change func()) {
			if i == n {
				change()
			}
			i++
		})
		exempt := slices.ContainsFunc(inNoDigest, func(field string) bool {
			return name == field || strings.HasSuffix(field, ".") && strings.HasPrefix(name, field)
		})
		if same := reflect.DeepEqual(base, digestsOf(cfg)); same != exempt {
			t.Errorf("%s: the digests are the same: %v", name, same)
		}
	}
}

// filledConfig returns a configuration of which each field is set.
func filledConfig() *config.Config {
	cfg := &config.Config{}
	fill(reflect.ValueOf(cfg).Elem())
	for name, l := range cfg.Listeners {
		l.Name, l.Policy = name, "" // listeners of policies need their files
	}
	return cfg
}

func fill(v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(1, 0).UTC()))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(`1`)))
		return
	case config.Value: // one of its fields
		v.Set(reflect.ValueOf(config.Value{Text: "x"}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	default:
		panic("a field of kind " + v.Kind().String())
	}
}

// eachField calls visit for each field of a struct and of what is in it, with the name of its type
// and its own, and with a function that changes it. What is optional comes twice: to be removed,
// and to be changed.
func eachField(v reflect.Value, visit func(name string, change func())) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		value, name := v.Field(i), v.Type().Name()+"."+field.Name
		switch value.Kind() {
		case reflect.Pointer, reflect.Map, reflect.Slice:
			visit(name, func() { value.SetZero() })
		}
		eachValue(value, name, visit)
	}
}

func eachValue(v reflect.Value, name string, visit func(string, func())) {
	switch v.Interface().(type) {
	case time.Time:
		visit(name, func() { v.Set(reflect.ValueOf(time.Unix(2, 0).UTC())) })
		return
	case json.RawMessage:
		if !v.IsNil() {
			visit(name, func() { v.Set(reflect.ValueOf(json.RawMessage(`2`))) })
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		visit(name, func() { v.SetString(v.String() + "y") })
	case reflect.Bool:
		visit(name, func() { v.SetBool(!v.Bool()) })
	case reflect.Int, reflect.Int64:
		visit(name, func() { v.SetInt(v.Int() + 1) })
	case reflect.Uint8:
		visit(name, func() { v.SetUint(v.Uint() + 1) })
	case reflect.Pointer:
		if !v.IsNil() {
			eachValue(v.Elem(), name, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachValue(v.Index(i), name, visit)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			eachValue(value, name, visit)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		eachField(v, visit)
	}
}
