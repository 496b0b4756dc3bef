package schema

import "github.com/informerd/informerd/pkg/filters"

// AnyObject is what the objects of every resource have, be it a custom one: apiVersion, kind, and
// metadata with its fields. Of anything else nothing is known. It is nil if the built-in schemas
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
