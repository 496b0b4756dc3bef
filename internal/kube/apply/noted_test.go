package apply

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// kubectl notes what it applies if it is something else than what it has noted, or has noted
// nothing, and nobody applies the object server-side.
func TestNoted(t *testing.T) {
	const (
		image = "image: \"nginx:1.16\""
		label = "labels: {app: web}"
	)
	replace := func(a, b string) string { return strings.Replace(applied, a, b, 1) }
	managed := strings.Replace(deployed, "generation: 3", "generation: 3, managedFields: [{manager: %s, operation: Apply, apiVersion: apps/v1, fieldsV1: %s}]", 1)
	of := func(manager, fields string) string { return fmt.Sprintf(managed, manager, fields) }
	for name, c := range map[string]struct {
		live, applied, written string
		differs                bool
	}{
		"the same again":                       {deployed, applied, applied, false},
		"as kubectl create writes it":          {deployed, applied, created, false},
		"for the first time":                   {deployed, "", applied, true},
		"what somebody else has set meanwhile": {deployed, replace(image, "image: old"), applied, true},
		"what is not written any more":         {deployed, replace(label, "labels: {app: web, x: y}"), applied, true},
		"another form of the same": {deployed, replace(image, image+", resources: {limits: {cpu: 1000m}}"),
			replace(image, image+", resources: {limits: {cpu: 1}}"), true},
		"server-side":               {of("kubectl", "{}"), "", applied, false},
		"server-side by others":     {of("flux", `{"f:spec": {"f:paused": {}}}`), "", applied, false},
		"a label of somebody else":  {of("flux", `{"f:metadata": {"f:labels": {"f:x": {}}}}`), "", applied, true},
		"on its side, then by both": {of("kubectl", "{}"), applied, replace(image, "image: new"), true},
	} {
		written, err := yaml.ToJSON([]byte(c.written))
		if err != nil {
			t.Fatal(err)
		}
		is := live(t, c.live, c.applied)
		got, differs, err := Noted(is, is, written)
		if err != nil || differs != c.differs || !differs && string(got) != string(is) {
			t.Errorf("%s: %t, %v\n%s", name, differs, err, got)
			continue
		}
		if !differs {
			continue
		}
		object, err := decode(got)
		if err != nil {
			t.Fatal(err)
		}
		var last struct {
			Kind     string
			Metadata map[string]any
			Status   any
		}
		text := fmt.Sprint(mapIn(mapIn(object, "metadata"), "annotations")[lastApplied])
		if err := json.Unmarshal([]byte(text), &last); err != nil || last.Kind != "Deployment" ||
			last.Status != nil || last.Metadata["annotations"] == nil || !strings.HasSuffix(text, "\n") {
			t.Errorf("%s: %v, %s", name, err, text)
		}
		if got := fmt.Sprint(mapIn(object, "metadata")["generation"]); got != "4" {
			t.Errorf("%s: generation %s", name, got) // of a Deployment it counts annotations
		}
	}
	for _, odd := range []string{"", "[]", "null"} {
		for i := range 3 {
			texts := [][]byte{[]byte("{}"), []byte("{}"), []byte("{}")}
			texts[i] = []byte(odd)
			if _, _, err := Noted(texts[0], texts[1], texts[2]); err == nil {
				t.Errorf("%q is noted as %d", odd, i)
			}
		}
	}
}

// Who manages what, and the version, are no difference.
func TestSame(t *testing.T) {
	const is = `{"metadata":{"name":"a","resourceVersion":"1","managedFields":[1]},"data":{"a":"b"}}`
	for other, want := range map[string]bool{
		is: true, `{"data":{"a":"b"},"metadata":{"name":"a","resourceVersion":"2"}}`: true,
		`{"metadata":{"name":"a"},"data":{"a":"c"}}`: false, "": false, "[]": false,
		`{"metadata":{"name":"a","generation":1},"data":{"a":"b"}}`: false,
	} {
		if got := Same([]byte(is), []byte(other)); got != want {
			t.Errorf("%s: %t", other, got)
		}
	}
}
