package lang

// Schema describes the fields of an object, as far as they are known: the structural part of
// an OpenAPI schema. A Schema is immutable once it is handed out, and may refer to itself.
type Schema struct {
	// Type is the type of OpenAPI: object, array, string, integer, number or boolean; "" means any.
	Type string
	// Fields are the fields an object may have. With Open there may be others.
	Fields map[string]*Schema
	// Items describes the items of an array, Values the values of a map, which is an object with
	// arbitrary names. Nil: not an array or not a map, or unknown.
	Items, Values *Schema
	// Enum has the only texts that a string may be; nil: it may be any. The empty text is always
	// possible.
	Enum []string
	// Open allows other fields than Fields.
	Open bool
}

// maxBelow is how many fields deep Below looks.
const maxBelow = 5

// Below returns the path of a field of that name below one of the schema's own, "" if there is none
// or more than one on the same level: template.spec.containers for containers.
func (s *Schema) Below(name string) string {
	type place struct {
		path   string
		schema *Schema
	}
	level := []place{{"", s}}
	for range maxBelow {
		var next []place
		found := ""
		for _, at := range level {
			for key, field := range at.schema.Fields {
				if field == nil || field.Type != "object" || field.Fields == nil {
					continue
				}
				path := at.path + key + "."
				if field.Fields[name] != nil {
					if found != "" {
						return ""
					}
					found = path + name
				}
				next = append(next, place{path, field})
			}
		}
		if found != "" {
			return found
		}
		level = next
	}
	return ""
}
