package document

import "reflect"

// Types returns the structs that types have in them, by their names, as far as they are of the
// package of the first one.
func Types(of ...reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, t := range of {
		addTypes(t, of[0].PkgPath(), all)
	}
	return all
}

func addTypes(t reflect.Type, path string, all map[string]reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != path || all[t.Name()] != nil {
		return
	}
	all[t.Name()] = t
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			addTypes(f.Type, path, all)
		}
	}
}
