package schema

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters"
)

// For a resource of which nothing else is known, the fields of all objects are known.
func TestAnyObject(t *testing.T) {
	for text, right := range map[string]bool{
		`object.metadata.name == "a" && object.apiVersion != nil && object.kind == "Gadget"`: true,
		`object.spec.x.y == 1 && object.anything[0].z == "a" && changed("status", "data")`:   true,
		`changed("metadata.labels", "metadata.generation")`:                                  true,
		// a custom resource may have any field
		`object.metdata.name == "a"`:                                true,
		`object.metadata.nmae == "a"`:                               false,
		`changed("metadata.lables")`:                                false,
		`any(object.metadata.ownerReferences, .knd == "Job")`:       false,
		`changed("metadata.labels.app.kubernetes.io/name")`:         false,
		`object.metadata.name + object.metadata.generation == "a1"`: false,
		`object.kind.x == 1`:                                        false,
	} {
		_, err := filters.Compile(filters.Expression{Text: text, Schema: AnyObject()})
		if (err == nil) != right {
			t.Errorf("%s: %v", text, err)
		}
	}
	f, err := filters.Compile(
		filters.Expression{Text: `object.metdata.name == "a" && object.data.x == 1`,
			Schema: AnyObject()})
	if err != nil {
		t.Fatal(err)
	}
	if w := f.Warnings(); len(w) != 1 ||
		w[0].Message != "object.metdata is not in the schema; did you mean metadata?" ||
		w[0].Column != 8 {
		t.Errorf("got %v", w)
	}
}
