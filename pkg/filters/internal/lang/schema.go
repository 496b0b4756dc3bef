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
