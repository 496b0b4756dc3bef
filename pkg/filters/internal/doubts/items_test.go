package doubts_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// In an output a variable may have the name of a field of an item.
func TestVariablesInPlaceOfFields(t *testing.T) {
	for text, want := range map[string]string{
		`any(object.spec.containers, name == "web")`: "this is the variable name, and the condition says nothing about the items; write .name" +
			` -> any(object.spec.containers, .name == "web")`,
		`any(object.spec.containers, .name == name)`:                          "",
		`any(object.spec.containers, # == 1 && name == "web")`:                "",
		`any(object.spec.containers, label("app") == name)`:                   "",
		`any(object.metadata.ownerReferences, .kind == "x") && name == "web"`: "",
	} {
		if got := warningsOf(t, lang.Expression{Text: text, Kind: lang.KindWhen}); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}
