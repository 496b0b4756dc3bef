package jsonscan

// contender is one library's way to do the two jobs. A nil function means that the library has no
// sensible way for that job, or that another contender already shows it.
type contender struct {
	name   string
	header func(raw []byte) (Header, error)
	fields func(raw []byte) (Fields, error)
	// supported reports whether the library works on this machine; nil means everywhere.
	supported func() bool
}

// baseline is the contender whose answers all others must return.
var baseline = contender{name: "encodingjson", header: encodingjsonHeader,
	fields: encodingjsonFields}

var contenders = []contender{
	baseline,
	{name: "informerd", header: informerdHeader, fields: informerdFields},
	{name: "jsonv2", header: jsonv2Header, fields: jsonv2Fields},
	{name: "jsontext", header: jsontextHeader, fields: jsontextFields},
	{name: "jsontext-lax", header: jsontextLaxHeader, fields: jsontextLaxFields},
	{name: "gjson-walk", header: gjsonWalkHeader, fields: gjsonWalkFields},
	{name: "gjson-valid-walk", header: gjsonValidWalkHeader},
	{name: "gjson-get", header: gjsonGetHeader, fields: gjsonGetFields},
	{name: "gjson-getmany", header: gjsonGetManyHeader, fields: gjsonGetManyFields},
	{name: "sonic-walk", header: sonicWalkHeader},
	{name: "sonic-get", header: sonicGetHeader, fields: sonicGetFields},
	{name: "sonic-get-valid", fields: sonicGetValidFields},
	{name: "fastjson", header: fastjsonHeader, fields: fastjsonFields},
	{name: "simdjson", header: simdjsonHeader, fields: simdjsonFields,
		supported: simdjsonSupported},
}
