package apply

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// serverSideApplied is an object that e2e has applied, and in which a controller owns b.
const serverSideApplied = `
apiVersion: example.com/v1
kind: Widget
metadata:
  name: w
  managedFields:
    - manager: e2e
      operation: Apply
      apiVersion: example.com/v1
      fieldsV1: {"f:spec": {"f:a": {}, "f:b": {}, "f:list": {'k:{"name":"x"}': {".": {}, "f:name": {}}}}}
    - manager: controller
      operation: Update
      apiVersion: example.com/v1
      fieldsV1: {"f:spec": {"f:b": {}}}
    - manager: controller
      operation: Apply
      apiVersion: example.com/v1
      subresource: status
      fieldsV1: {"f:status": {"f:ready": {}}}
spec: {a: 1, b: 2, c: 3, list: [{name: x, z: 1}, {name: z}]}
status: {ready: true}
`

// writesB is a Widget of which b stays written.
const writesB = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"b":2}}`

// With one manager that has applied the object, what only it owns is removed; otherwise nothing is.
// Another manager than kubectl counts if it owns something of what is written: one that has only
// added to an object does not write all of it.
// How that is for each sort of field is compared with an API server in internal/e2e.
func TestMergeServerSide(t *testing.T) {
	const nothing = `{"a":1,"b":2,"c":3,"list":[{"name":"x","z":1},{"name":"z"}]}`
	for name, c := range map[string]struct {
		edits    []string // of serverSideApplied
		spec     string
		managers []string
		written  string
	}{
		"one manager": {nil, `{"b":2,"c":3}`, []string{"e2e"}, ""},
		"one that owns nothing of it": {nil, nothing, nil,
			`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"c":3}}`},
		"kubectl, which owns nothing of it": {[]string{"manager: e2e", "manager: kubectl"},
			`{"b":2,"c":3}`, []string{"kubectl"},
			`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"c":3}}`},
		"one that owns some metadata": {[]string{`"f:spec": {"f:a": {}, `, `"f:metadata": {"f:labels": {"f:x": {}}}, "f:status": {"f:a": {}, `},
			nothing, nil,
			`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","labels":{"x":"y"}},"spec":{"b":2}}`},
		"two managers": {[]string{"operation: Update", "operation: Apply"}, nothing,
			[]string{"controller", "e2e"}, ""},
		"none": {[]string{"operation: Apply", "operation: Update"}, nothing, nil, ""},
		"another version": {[]string{"v1\n      fields", "v2\n      fields"}, nothing,
			[]string{"e2e"}, ""},
		"by kubectl, too": {[]string{"  name: w\n", "  name: w\n  annotations: {" +
			lastApplied + ": '{}'}\n"}, nothing, nil, ""},
		"odd managers": {[]string{`{"f:a": {}`, `{"f:a": 1`}, nothing, nil, ""},
	} {
		is := strings.NewReplacer(c.edits...).Replace(serverSideApplied)
		current, err := yaml.ToJSON([]byte(is))
		if err != nil {
			t.Fatal(err)
		}
		written := []byte(c.written)
		if c.written == "" {
			written = []byte(writesB)
		}
		merged, _, err := Merge(current, written)
		if err != nil {
			t.Fatal(err)
		}
		object, err := decode(merged)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := json.Marshal(object["spec"])
		if err != nil || string(spec) != c.spec {
			t.Errorf("%s: %s, %v", name, spec, err)
		}
		if !mapIn(object, "status")["ready"].(bool) {
			t.Errorf("%s: the status changes", name)
		}
		managers := Managers(current, written)
		if slices.Sort(managers); !slices.Equal(managers, c.managers) {
			t.Errorf("%s: managers %v", name, managers)
		}
	}
	if got := Managers([]byte("["), []byte("{}")); got != nil {
		t.Error(got)
	}
}

// Once its defaults are filled in, an object may be the current one again; else its generation
// counts what differs then.
func TestSettled(t *testing.T) {
	const is = `{"kind":"StatefulSet","metadata":{"annotations":{"` + lastApplied + `":"x"},"generation":4},` +
		`"spec":{"replicas":1,"volumeClaimTemplates":[{"status":{"phase":"Pending"}}]}}`
	for name, c := range map[string]struct {
		filled, want string // no want if nothing differs
	}{
		"the same, of another generation": {strings.Replace(is, `4`, `5`, 1), ""},
		"the same without a status": {strings.Replace(is,
			`"status":{"phase":"Pending"}`, "", 1), ""},
		"other replicas": {strings.NewReplacer(`"x"`, `"y"`, `s":1`, `s":2`).Replace(is),
			strings.NewReplacer(`"x"`, `"y"`, `s":1`, `s":2`, `4`, `5`).Replace(is)},
		"only a label": {strings.Replace(is, `"generation":4`, `"generation":5,"labels":{"a":"b"}`, 1),
			strings.Replace(is, `"generation":4`, `"generation":4,"labels":{"a":"b"}`, 1)},
	} {
		got, differs, err := Settled([]byte(is), []byte(c.filled))
		if err != nil || differs != (c.want != "") || differs && string(got) != c.want ||
			!differs && string(got) != is {
			t.Errorf("%s: %t, %v\n%s", name, differs, err, got)
		}
	}
	for _, odd := range []string{"", "[]"} {
		if _, _, err := Settled([]byte(odd), []byte(is)); err == nil {
			t.Errorf("%q is settled", odd)
		}
		if _, _, err := Settled([]byte(is), []byte(odd)); err == nil {
			t.Errorf("%q is settled", odd)
		}
	}
}
