package plan

import (
	"bytes"
	"strings"
	"testing"
)

// A selector for what a filter compares with old would take the updates away that the filter is
// about.
func TestNoSelectorIsSuggestedForWhatIsComparedWithOld(t *testing.T) {
	for filter, want := range map[string]string{
		`object.status.phase == "Running"`:                                                `fieldSelector: "status.phase=Running"`,
		`became(object.status.phase == "Running")`:                                        "",
		`object.status.phase == "Running" && changed("status")`:                           "",
		`object.status.phase == "Running" && changed("status.phaseOfMoon")`:               `fieldSelector: "status.phase=Running"`,
		`object.status.phase == "Running" && old.status.phase == "Pending"`:               "",
		`object.status.phase == "Running" && old != object`:                               "",
		`object.metadata.namespace == "shop" && became(label("app") == "a")`:              "namespaces: [shop]",
		`object.metadata.name == "web" && object.spec.nodeName == "n" && changed("spec")`: `fieldSelector: "metadata.name=web"`,
		`label("a.b/c") != nil && changed("spec")`:                                        `labelSelector: "a.b/c"`,
		`label("a.b/c") != nil && changed("metadata.labels")`:                             "",
		`label("a.b/c") == "x" && old.metadata.labels["a.b/c"] != "x"`:                    "",
	} {
		cfg := parse(t, head+"  pods:\n    informer: {resource: pods}\n    filter: |\n      "+
			filter+"\n    outputs: [out]\n")
		var out bytes.Buffer
		if err := writePlan(cfg, &out); err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(out.String(), "suggestion")
		got, _, _ := strings.Cut(strings.TrimSpace(rest), " in the informer")
		if got != want {
			t.Errorf("%s: suggests %q, want %q", filter, got, want)
		}
	}
}
