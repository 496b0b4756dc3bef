package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/patch"
	"github.com/informerd/informerd/pkg/informer/object"
)

// TestTextsOfPatches: the API server reads an apply patch as YAML, for which some texts of JSON are
// others, or none.
func TestTextsOfPatches(t *testing.T) {
	t.Parallel()
	w := newWriting(t, "texts")
	text := object.MustCompilePath("data.text")
	for _, quoted := range []string{
		`"\/"`, `"\ud83d\ude00"`, "\"\U0001f600\"", "\"\u007f\"", "\"a\u0085b\"",
		"\"a \u0085 b\"", "\"\u009f\"", "\"a\u2028b\u2029c\"", `"a\u2028b"`, "\"\ufeffa\"",
		"\"\uffff\"", `"\ud800"`, `"\u0000"`, `"\b\f\n\r\t\"\\'"`, `"  a  b  "`, `"a\n\n b"`,
		`"null"`, `"1e3"`, `"---"`, `"# a: b"`, `"` + strings.Repeat("x", 200_000) + `"`,
	} {
		var want string
		if err := json.Unmarshal([]byte(quoted), &want); err != nil {
			t.Fatal(err)
		}
		for _, typ := range []patch.Type{patch.Apply, patch.Merge} {
			s := w.patch(typ, nil, false)
			err := writeTo(s, w.message(w.get(), `{"data":{"text":`+quoted+`}}`))
			if got := text.Lookup(w.get()).Text(); got != want || err != nil {
				t.Errorf("%v of %.50s: got %.50q, %v", typ, quoted, got, err)
			}
			w.replace()
		}
	}
}

// TestLargePatches: what the API server or etcd cannot store is refused permanently.
func TestLargePatches(t *testing.T) {
	t.Parallel()
	w := newWriting(t, "large")
	gvr := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1",
		Resource: "roles"}
	roles := w.clusterWide.Resource(gvr).Namespace(w.namespace)
	found, err := roles.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
		"metadata": map[string]any{"name": "large"}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	origin := &sink.Origin{Cluster: "c", Listener: "fixer", Resource: "roles." + gvr.Group,
		Group: gvr.Group, Version: "v1", Plural: "roles", Kind: "Role"}
	for _, tt := range []struct {
		size int
		want string
	}{{1800 << 10, "etcdserver: request is too large"}, {2 << 20, "larger than max"},
		{4 << 20, "413 RequestEntityTooLarge"}} {
		for _, typ := range []patch.Type{patch.Apply, patch.Merge} {
			m := w.message(w.parse(found), `{"rules":[{"apiGroups":[""],"resources":["pods"],`+
				`"verbs":["get"],"resourceNames":["`+strings.Repeat("x", tt.size)+`"]}]}`)
			m.Origin = origin
			w.wantRefused(writeTo(w.patch(typ, nil, false), m), tt.want)
		}
	}
}

// TestPatchesOfTheStatus: what is only in a subresource is not patched.
func TestPatchesOfTheStatus(t *testing.T) {
	t.Parallel()
	w := newWriting(t, "status")
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	found, err := w.clusterWide.Resource(gvr).Get(t.Context(), w.namespace, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := w.message(w.parse(found), `{"status":{"phase":"Terminating"}}`)
	m.Origin = &sink.Origin{Listener: "all", Version: "v1", Plural: gvr.Resource,
		Resource: gvr.Resource, Kind: "Namespace"}
	writes := patch.NewWrites()
	if err := writeTo(w.patch(patch.Merge, writes, false), m); err != nil {
		t.Fatal(err)
	}
	if got := writes.Stats(); got != (patch.Stats{Unchanged: 1}) {
		t.Errorf("got %+v", got)
	}
}
