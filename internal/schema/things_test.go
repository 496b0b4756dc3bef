package schema

// things are schemas of a resource, with more components, and the resulting descriptions.
var things = map[string]struct{ thing, components, want string }{
	"nothing is said": {`"description": "a thing"`, "", "any"},
	"scalars": {
		`"properties": {"a": {"type": "string", "format": "date-time"}, "b": {"type": "integer", "format": "int64"}, "c": {"type": "number"}, "d": {"type": "boolean"}}`, "", "{a: string, b: integer, c: number, d: boolean}"},
	"array": {
		`"properties": {"a": {"type": "array", "items": {"type": "string"}}, "b": {"type": "array"}, "c": {"items": {"type": "integer"}}}`, "", "{a: [string], b: [], c: [integer]}"},
	"object without fields": {`"type": "object"`, "", "{…}"},
	"object with no fields": {`"type": "object", "properties": {}`, "", "{…}"},
	"map": {
		`"type": "object", "additionalProperties": {"type": "string"}`, "", "{*: string}"},
	"map and fields": {
		`"additionalProperties": {"type": "string"}, "properties": {"a": {"type": "integer"}}`, "",
		"{a: integer, *: string}"},
	"map of anything": {`"type": "object", "additionalProperties": {}`, "", "{*: any}"},
	"free fields": {
		`"type": "object", "additionalProperties": true, "properties": {"a": {"type": "integer"}}`,
		"", "{a: integer, …}"},
	"no fields": {`"type": "object", "additionalProperties": false`, "", "{}"},
	"keeps unknown fields": {
		`"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"type": "integer"}}`, "", "{a: integer, …}"},
	"keeps all": {`"x-kubernetes-preserve-unknown-fields": true`, "", "any"},
	"integer or string": {
		`"properties": {"a": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}, "b": {"type": "string", "x-kubernetes-int-or-string": true}, "c": {"type": "string", "format": "int-or-string"}, "d": {"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]}}`, "", "{a: any scalar, b: any scalar, c: any scalar, d: any scalar}"},
	"quantity": {
		`"properties": {"a": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"}}`, `"io.k8s.apimachinery.pkg.api.resource.Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]}`, "{a: any scalar}"},
	"quantity of old servers": {
		`"properties": {"a": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"}}`, `"io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": "string"}`, "{a: any scalar}"},
	"choice of one type": {
		`"properties": {"a": {"anyOf": [{"type": "string", "format": "ipv4"}, {"type": "string", "format": "ipv6"}]}}`, "", "{a: string}"},
	"choice of anything": {
		`"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "object"}]}, "b": {"anyOf": [{}]}}`, "", "{a: any, b: any}"},
	"choice of own fields": {
		`"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "oneOf": [{"required": ["a"]}, {"properties": {"b": {"pattern": "x"}}}]`, "", "{a: string, b: string}"},
	"choice of other fields": {
		`"properties": {"a": {"type": "string"}}, "oneOf": [{"properties": {"b": {"type": "string"}}}]`, "", "{a: string, …}"},
	"choice of components": {
		`"properties": {"a": {"type": "string"}}, "anyOf": [{"$ref": "#/components/schemas/Other"}]`, `"Other": {}`, "{a: string, …}"},
	"types of OpenAPI 3.1": {
		`"properties": {"a": {"type": ["string", "null"]}, "b": {"type": ["string", "object"]}, "c": {"type": "null"}, "d": {"type": "date"}}`, "", "{a: string, b: any, c: any, d: any}"},
	"reference": {
		`"properties": {"a": {"$ref": "#/components/schemas/Other"}}`,
		`"Other": {"type": "string"}`, "{a: string}"},
	"reference in allOf": {
		`"properties": {"a": {"default": {}, "description": "x", "allOf": [{"$ref": "#/components/schemas/Other"}]}}`, `"Other": {"properties": {"x": {"type": "string"}}}`, "{a: {x: string}}"},
	"reference, escaped": {
		`"properties": {"a": {"$ref": "#/components/schemas/x~1y~0z"}}`,
		`"x/y~z": {"type": "string"}`, "{a: string}"},
	"references in a row": {
		`"$ref": "#/components/schemas/A"`,
		`"A": {"$ref": "#/components/schemas/B"}, "B": {"allOf": [{"$ref": "#/components/schemas/C"}]}, "C": {"type": "integer"}`, "integer"},
	"references in a circle": {
		`"$ref": "#/components/schemas/A"`,
		`"A": {"$ref": "#/components/schemas/B"}, "B": {"allOf": [{"$ref": "#/components/schemas/A"}]}`, "any"},
	"parts": {
		`"allOf": [{"properties": {"a": {"type": "string"}}}, {"$ref": "#/components/schemas/Other"}], "properties": {"c": {"type": "integer"}}`, `"Other": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}}`, "{a: any, b: boolean, c: integer}"},
	"parts that agree": {
		`"allOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}]`,
		`"A": {"properties": {"x": {"$ref": "#/components/schemas/C"}}}, "B": {"properties": {"x": {"$ref": "#/components/schemas/C"}}}, "C": {"type": "string"}`, "{x: string}"},
	"parts in a circle": {
		`"allOf": [{"$ref": "#/components/schemas/Thing"}, {"properties": {"a": {"$ref": "#/components/schemas/Thing"}}}]`, "", "{a: ^}"},
	"a field of itself": {
		`"properties": {"a": {"$ref": "#/components/schemas/Thing"}, "b": {"items": {"$ref": "#/components/schemas/Thing"}}, "c": {"additionalProperties": {"$ref": "#/components/schemas/Thing"}}}`, "", "{a: ^, b: [^], c: {*: ^}}"},
	"embedded": {
		`"properties": {"a": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"spec": {"type": "integer"}}}}`, "", "{a: {apiVersion: string, kind: string, metadata: {…}, spec: integer}}"},
	"embedded, open": {
		`"properties": {"a": {"x-kubernetes-embedded-resource": true}}`,
		`"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"properties": {"name": {"type": "string"}}}`, "{a: {apiVersion: string, kind: string, metadata: {name: string}, …}}"},
	"what is not looked at": {
		`"nullable": true, "enum": [null, 1], "default": {"a": [{}]}, "x-other": 1e999, "properties": {"a": {"type": "string", "x-kubernetes-group-version-kind": 7}}`, "", "{a: string}"},
	"enums": {
		`"properties": {"a": {"type": "string", "enum": ["b", "a", "b"]}, "b": {"type": "string", "nullable": true, "enum": ["a", null, ""]}, "c": {"type": "integer", "enum": [1, 2]}, "d": {"type": "string", "enum": ["a", 1]}, "e": {"type": "string", "enum": {"a": "b"}}, "f": {"type": "string", "enum": []}}`,
		"", "{a: string|a|b, b: string||a, c: integer, d: string, e: string, f: string}"},
	"an enum next to a reference": {
		`"properties": {"a": {"allOf": [{"$ref": "#/components/schemas/A"}], "enum": ["x"]}, "b": {"$ref": "#/components/schemas/A"}, "c": {"type": "string", "oneOf": [{"enum": ["x"]}, {"enum": ["y"]}]}}`,
		`"A": {"type": "string", "enum": ["x", "y"]}`, "{a: string|x, b: string|x|y, c: string}"},
	"unicode": {`"properties": {"größe \u00e9": {"type": "string"}, "": {"type": "integer"}}`, "",
		"{: integer, größe é: string}"},
}
