package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
)

const gadgetSchema = `{"type":"object","properties":{
"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},
"spec":{"type":"object","properties":{"size":{"type":"integer"},"port":{"x-kubernetes-int-or-string":true},
 "labels":{"type":"object","additionalProperties":{"type":"string"}},
 "parts":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}},
 "extra":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"string"}}}}}}}`

func definitionOf(more string, versions ...string) string {
	return `{"kind":"CustomResourceDefinition","metadata":{"name":"gadgets.example.com"},"spec":{"group":"example.com","names":{"plural":"gadgets","kind":"Gadget","shortNames":["gd"]},"scope":"Namespaced",` +
		more + `"versions":[` + strings.Join(versions, ",") + `]},"status":{"storedVersions":["v1"]}}`
}

func versioned(name string, served bool, schema string) string {
	return fmt.Sprintf(`{"name":%q,"served":%t,"storage":true,"schema":{"openAPIV3Schema":%s},"subresources":{"status":{}}}`,
		name, served, schema)
}

// What a filter may read is the same by a definition and by the document that is published of it.
func TestDefinitionsSayWhatTheirDocumentsSay(t *testing.T) {
	published := strings.Replace(gadgetSchema, `"metadata":{"type":"object"}`,
		`"metadata":{"$ref":"#/components/schemas/Meta"}`, 1)
	document, err := Parse([]byte(`{"openapi":"3.0.0","paths":{"/apis/example.com/v1/gadgets":{"get":{"x-kubernetes-group-version-kind":{"group":"example.com","version":"v1","kind":"Gadget"}}}},"components":{"schemas":{"Meta":{"type":"object","properties":{"name":{"type":"string"},"labels":{"type":"object","additionalProperties":{"type":"string"}}}},"Gadget":` +
		strings.TrimSuffix(published, "}") +
		`,"x-kubernetes-group-version-kind":[{"group":"example.com","version":"v1","kind":"Gadget"}]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	own, err := ParseDefinition([]byte(definitionOf("", versioned("v1", true, gadgetSchema))))
	if err != nil {
		t.Fatal(err)
	}
	for text, fits := range map[string]bool{
		"object.spec.size > 1": true, "object.spec.size.x == 1": false,
		"object.spec.sizes > 1": false, `object.spec.port == "a"`: true,
		"object.spec.extra.anything == 1": true, "object.spec.labels.any == nil": true,
		"object.spec.parts[0].name == nil": true, "object.spec.parts[0].nam == nil": false,
		`object.metadata.name == "a"`: true, "object.metadata.nam == nil": false,
		"object.metadata.labels.a == nil": true, "object.status == nil": false,
		`object.kind == "Gadget"`: true,
	} {
		for from, set := range map[string]*Set{"document": document, "definition": own} {
			schema, ok := set.Lookup("gadgets.v1.example.com")
			if !ok {
				t.Fatalf("%s: no schema", from)
			}
			_, err := filters.Compile(filters.Expression{Kind: filters.KindFilter, Text: text,
				Schema: schema})
			if (err == nil) != fits {
				t.Errorf("%s of the %s: %v", text, from, err)
			}
		}
	}
}

// Versions that are not served have no schema, and neither have definitions that allow anything.
func TestDefinitionsWithoutSchemas(t *testing.T) {
	served, not := versioned("v1", true, gadgetSchema), versioned("v1beta1", false, gadgetSchema)
	for text, want := range map[string]int{
		definitionOf("", served, not): 1, definitionOf("", not): 0, definitionOf(""): 0,
		definitionOf("", `{"name":"v1","served":true}`, served): 1,
		definitionOf(`"preserveUnknownFields":true,`, served):   0,
		`{}`: 0, definitionOf("", versioned("v2", true, `{"type":"object"}`), served): 2,
	} {
		set, err := ParseDefinition([]byte(text))
		if err != nil || len(set.entries) != want {
			t.Errorf("%s: %d schemas, want %d, %v", text, len(set.entries), want, err)
		}
	}
	set, _ := ParseDefinition([]byte(definitionOf("", versioned("v1", true, `{"type":"object"}`))))
	if schema, _ := set.Lookup("gadgets"); schema == nil || !schema.Open ||
		schema.Fields["metadata"] == nil {
		t.Errorf("%+v", schema)
	}
}

func TestDefinitionsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "the CustomResourceDefinition: unexpected end of JSON input",
		"[]":                         "the CustomResourceDefinition: : unexpected array",
		`{"spec":{"group":1}}`:       "the CustomResourceDefinition: spec.group: unexpected number",
		`{"spec":{"versions":[[]]}}`: "the CustomResourceDefinition: spec.versions: unexpected array",
	} {
		if _, err := ParseDefinition([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
