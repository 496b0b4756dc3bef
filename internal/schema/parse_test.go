package schema

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseWhatAThingIs(t *testing.T) {
	for name, tt := range things {
		t.Run(name, func(t *testing.T) {
			s, ok := parse(t, documentOf(tt.thing, tt.components)).LookupGVR("example.test", "v1",
				"things")
			if got := describe(s); !ok || got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParseCustomResources(t *testing.T) {
	set, err := Parse(readFile(t, "testdata/widgets.json"))
	if err != nil {
		t.Fatal(err)
	}
	widget, ok := set.Lookup("widgets.v1.example.test")
	if !ok {
		t.Fatal("widgets are not found")
	}
	for path, want := range map[string]string{
		"metadata.labels{}":      "string",
		"spec.size":              "any scalar",
		"spec.memory":            "any scalar",
		"spec.anything":          "{…}",
		"spec.known":             "{a: string, …}",
		"spec.raw":               "any",
		"spec.tags":              "{*: string}",
		"spec.free":              "{…}",
		"spec.maybe":             "string",
		"spec.choice":            "{a: string, b: [{c: boolean}]}",
		"spec.template2.spec":    "{x: number}",
		"status":                 "{at: string, ready: boolean}",
		"spec.template.kind":     "string",
		"spec.template.metadata": describe(at(widget, "metadata")),
		"sepc":                   "none",
	} {
		if got := describe(at(widget, path)); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	for path, open := range map[string]bool{"": false, "spec": false, "spec.template": true,
		"spec.template2": false} {
		if got := at(widget, path).Open; got != open {
			t.Errorf("%q is open: %t, want %t", path, got, open)
		}
	}
	if at(widget, "metadata") != at(widget, "spec.template.metadata") {
		t.Error("the same component has different schemas")
	}
	blob, ok := set.Lookup("Blob")
	if !ok || !blob.Open || at(blob, "metadata.name") == nil {
		t.Errorf("blobs: %t, %s", ok, describe(blob))
	}
}

func TestParseFindsResourcesByPath(t *testing.T) {
	const pod = `{"get": {"x-kubernetes-group-version-kind": {"group": "", "version": "v1", "kind": "Pod"}}}`
	for path, want := range map[string]string{
		"/api/v1/pods":                                      "pods v1",
		"/api/v1/namespaces/{namespace}/pods":               "pods v1",
		"/api/v1/namespaces/{namespace}/pods/{name}":        "pods v1",
		"/api/v1/namespaces/{name}":                         "namespaces v1",
		"/apis/a.test/v1/namespaces":                        "namespaces a.test/v1",
		"/apis/a.test/v1/pods/{name}":                       "pods a.test/v1",
		"/api/v1/namespaces/{namespace}/pods/{name}/status": "",
		"/api/v1/pods/{other}":                              "",
		"/api/v1/watch/pods":                                "",
		"/api/v1/watch/namespaces/{namespace}/pods/{name}":  "",
		"/api/v1/{pods}":                                    "",
		"/api/v1/":                                          "",
		"/api/v1":                                           "",
		"/apis/a.test/v1":                                   "",
		"/version":                                          "",
		"":                                                  "",
	} {
		set := parse(t, fmt.Sprintf(
			`{"paths": {%q: %s}, "components": {"schemas": {"Pod": {"type": "object",
			"x-kubernetes-group-version-kind": [{"version": "v1", "kind": "Pod", "group": "", "more": 1}]}}}, "openapi": "3.0.0"}`, path, pod))
		got := ""
		for _, e := range set.entries {
			got = e.Resource + " " + strings.TrimPrefix(e.Group+"/"+e.Version, "/")
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestParseLeavesOutWhatHasNoSchema(t *testing.T) {
	for name, document := range map[string]string{
		"nothing":      `{"openapi": "3.0.0"}`,
		"no component": `{"openapi": "3.0.0", "paths": {"/api/v1/pods": {"get": {"x-kubernetes-group-version-kind": {"version": "v1", "kind": "Pod"}}}}}`,
		"not readable": `{"openapi": "3.0.0", "paths": {"/api/v1/pods": {"post": {"x-kubernetes-group-version-kind": {"version": "v1", "kind": "Pod"}}}}, "components": {"schemas": {"Pod": {"x-kubernetes-group-version-kind": [{"version": "v1", "kind": "Pod"}]}}}}`,
		"unreachable":  `{"openapi": "3.0.0", "components": {"schemas": {"Pod": {"$ref": "#/components/schemas/Missing"}}, "responses": 7}, "info": [{}]}`,
	} {
		if set := parse(t, document); len(set.entries) != 0 {
			t.Errorf("%s: %d resources", name, len(set.entries))
		}
	}
}

func TestParseMistakes(t *testing.T) {
	const doc = "the OpenAPI document: "
	const things = doc + "components.schemas"
	const thing = things + ".Thing"
	for _, tt := range []struct{ document, want string }{
		{"", doc + "unexpected end of JSON input"},
		{"<html>", doc + "invalid character '<' looking for beginning of value"},
		{"[]", doc + ": unexpected array"},
		{"{}", doc + `unsupported version: openapi is "", want 3.x`},
		{`{"openapi": "2.0"}`, doc + `unsupported version: openapi is "2.0", want 3.x`},
		{`{"openapi": 3}`, doc + "openapi: unexpected number"},
		{`{"openapi": "3.0.0"} {}`, doc + "invalid character '{' after top-level value"},
		{`{"openapi": "3.0.0"} x`,
			doc + "invalid character 'x' after top-level value"},
		{`{"openapi": "3.0.0", "components": []}`, doc + "components: unexpected array"},
		{`{"openapi": "3.0.0", "paths": {"/api/v1/pods": {"get": {"x-kubernetes-group-version-kind": {"kind": true}}}}}`,
			doc + `paths.get.x-kubernetes-group-version-kind.kind: unexpected bool`},
		{`{"openapi": "3.0.0", "info": {"a": `, doc + "unexpected end of JSON input"},
		{documentOf(`"type": {}`, ""), things + ".type: unexpected object"},
		{documentOf(`"type": [1]`, ""), things + ".type: unexpected array"},
		{documentOf(`"properties": {"a b": {"properties": []}}`, ""),
			things + ".properties.properties: unexpected array"},
		{documentOf(`"properties": {"a": true}`, ""),
			things + ".properties: unexpected bool"},
		{documentOf(`"items": [{}]`, ""), things + ".items: unexpected array"},
		{documentOf(`"additionalProperties": "no"`, ""),
			things + ".additionalProperties: unexpected string"},
		{documentOf(`"allOf": [{}, {"allOf": {}}]`, ""),
			things + ".allOf.allOf: unexpected object"},
		{documentOf(`"x-kubernetes-preserve-unknown-fields": "true"`, ""),
			things + ".x-kubernetes-preserve-unknown-fields: unexpected string"},
		{documentOf(`"$ref": "https://example.test/schema"`, ""),
			thing + `: "https://example.test/schema" is not a reference to a component of the document`},
		{documentOf(`"properties": {"b": {"$ref": "#/components/schemas/Y"}, "a": {"$ref": "#/components/schemas/X"}}`, `"Y": {}`),
			thing + `: unknown component "X"`},
		{strings.Repeat(" ", maxDocument+1),
			doc + "it has 33554433 bytes, at most 32 MiB are allowed"},
	} {
		set, err := Parse([]byte(tt.document))
		if set != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%.100s\n got %v\nwant %s", tt.document, err, tt.want)
		}
	}
}

func TestParseIsBounded(t *testing.T) {
	many := func(n int, item func(i int) string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(item(i))
		}
		return b.String()
	}
	for name, tt := range map[string]struct{ document, want string }{
		"schemas": {
			documentOf(`"allOf": [`+many(maxNodes, func(int) string { return "{}" })+`]`, ""),
			"the OpenAPI document: components.schemas.Thing: more than 500000 schemas",
		},
		"resources": {
			`{"openapi": "3.0.0", "paths": {` + many(maxResources+1, func(i int) string {
				return fmt.Sprintf(
					`"/api/v1/r%d": {"get": {"x-kubernetes-group-version-kind": {}}}`, i)
			}) + `}}`,
			"the OpenAPI document: more than 10000 resources",
		},
		"work": { // each of many combines all others
			documentOf(`"properties": {`+many(1500, func(i int) string {
				return fmt.Sprintf(
					`"f%d": {"type": "object", "allOf": [{"$ref": "#/components/schemas/C0"}]}`, i)
			})+`}`, many(1500, func(i int) string {
				return fmt.Sprintf(`"C%d": {"allOf": [{"$ref": "#/components/schemas/C%d"}]}`, i,
					(i+1)%1500)
			})),
			"the OpenAPI document: the schemas of components.schemas.Thing refer to too many others",
		},
		"fields": { // each of many has all fields of another
			documentOf(`"properties": {`+many(1500, func(i int) string {
				return fmt.Sprintf(
					`"f%d": {"type": "object", "allOf": [{"$ref": "#/components/schemas/C"}]}`, i)
			})+`}`, `"C": {"properties": {`+many(1500, func(i int) string {
				return fmt.Sprintf(`"f%d": {}`, i)
			})+`}}`),
			"the OpenAPI document: the schemas of components.schemas.Thing have too many fields",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if set, err := Parse([]byte(tt.document)); set != nil || err == nil ||
				err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestParseLongChain(t *testing.T) {
	const n = 100_000 // references are not nesting
	var chain strings.Builder
	for i := range n {
		fmt.Fprintf(&chain, `"C%d": {"properties": {"n": {"$ref": "#/components/schemas/C%d"}}}, `,
			i, i+1)
	}
	fmt.Fprintf(&chain, `"C%d": {"type": "string"}`, n)
	s, _ := parse(t, documentOf(`"properties": {"n": {"$ref": "#/components/schemas/C0"}}`,
		chain.String())).Lookup("things")
	for range n + 1 {
		s = s.Fields["n"]
	}
	if s.Type != "string" {
		t.Errorf("it ends with %s", describe(s))
	}
}

func BenchmarkParse(b *testing.B) {
	data := readFile(b, "testdata/widgets.json")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}
