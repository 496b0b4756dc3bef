package config

import (
	"maps"
	"reflect"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
)

// withAdvice adds what is said of words of other tools, and of values of another shape, to the help
// of all types that a configuration and a policy have.
func withAdvice(help map[reflect.Type]document.Help) map[reflect.Type]document.Help {
	all := map[string]reflect.Type{}
	addTypes(reflect.TypeFor[Config](), all)
	addTypes(reflect.TypeFor[Policy](), all)
	for name, t := range all {
		h := help[t]
		h.Renamed, h.Lone = advice.Renamed[name], advice.Lone[name]
		if more := advice.Elsewhere[name]; more != nil {
			elsewhere := maps.Clone(more)
			maps.Copy(elsewhere, h.Elsewhere)
			h.Elsewhere = elsewhere
		}
		help[t] = h
	}
	return help
}

// addTypes adds the structs of this package that a type has in it, by their names.
func addTypes(t reflect.Type, all map[string]reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[Config]().PkgPath() ||
		all[t.Name()] != nil {
		return
	}
	all[t.Name()] = t
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			addTypes(f.Type, all)
		}
	}
}
