package lang

// Schema says what may stand in an object, as far as it is known: the structural part of an OpenAPI
// schema. A Schema is immutable once it is handed out, and may refer to itself.
type Schema struct {
	// Type is that of OpenAPI: object, array, string, integer, number or boolean; "" if it may be
	// any.
	Type string
	// Fields are the fields an object may have. With Open there may be others.
	Fields map[string]*Schema
	// Items describes the items of an array, Values the values of a map, which is an object whose
	// names are free. Nil: not an array or not a map, or nothing is known of them.
	Items, Values *Schema
	// Open: there may be other fields than Fields, of which nothing is known.
	Open bool
}
