package schema

import "github.com/informerd/informerd/pkg/filters"

// AnyObject returns the schema of what all objects have, custom ones included: apiVersion, kind,
// and metadata with its fields. Nothing is known of other fields. It is nil if the built-in schemas
// cannot be read.
func AnyObject() *filters.Schema {
	set, err := Builtin()
	if err != nil {
		return nil
	}
	namespace, ok := set.LookupGVR("", "v1", "namespaces")
	if !ok {
		return nil
	}
	fields := map[string]*filters.Schema{}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		fields[name] = namespace.Fields[name]
	}
	return &filters.Schema{Type: "object", Fields: fields, Open: true}
}
