package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// validate warns of a constant patch if the API server would refuse it or leave something out of
// it, and of no other: each is asked there with dryRun. (An add without a value is warned of, too,
// and adds an empty text there: RFC 6902 forbids it.)
func TestPatchesAreJudgedAsTheAPIServerDoes(t *testing.T) {
	needs(t)
	t.Parallel()
	c, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	client, err := c.resource("deployments.apps", "default")
	if err != nil {
		t.Fatal(err)
	}
	const name = "patched-in-doubt"
	labels := map[string]any{"app": name}
	before, err := client.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": name, "labels": labels},
		"spec": map[string]any{"replicas": int64(0), "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": map[string]any{"labels": labels},
				"spec": map[string]any{"containers": []any{
					map[string]any{"name": "web", "image": "web:1"}}}}},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ patch, text string }{
		{"merge", `{"metadata": {"labels": {"seen": true}}}`},
		{"merge", `{"metadata": {"labels": {"seen": "true"}}}`},
		{"apply", `{"metadata": {"labels": {"seen": 3}}}`},
		{"apply", `{"metadata": {"annotations": {"a/b": "3"}}}`},
		{"merge", `{"metadata": {"label": {"seen": "true"}}}`},
		{"apply", `{"metadata": {"label": {"seen": "true"}}}`},
		{"merge", `{"metadata": {"name": "other"}}`},
		{"merge", `{"spec": {"replica": 1}}`},
		{"apply", `{"spec": {"replica": 1}}`},
		{"merge", `{"spec": {"replicas": "1"}}`},
		{"merge", `{"spec": {"replicas": 2}}`},
		{"merge", `{"spec": {"paused": "true"}}`},
		{"merge", `{"spec": {"strategy": {"rollingUpdate": {"maxSurge": "50%", "maxUnavailable": 1}}}}`},
		{"merge", `{"spec": {"strategy": {"type": "recreate"}}}`},
		{"merge", `{"spec": {"template": {"spec": {"tolerations": {"key": "a"}}}}}`},
		{"merge", `{"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 5}}}}`},
		{"merge", `{"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "web:1", "resources": {"limits": {"cpu": 1}}}]}}}}`},
		{"merge", `{"spec": {"template": {"spec": {"containers": [{"name": "web", "image": 5}]}}}}`},
		{"merge", `{"status": {"replicas": 3}}`},
		{"apply", `{"status": {"replicas": 3}}`},
		{"json", `[{"op": "set", "path": "/metadata/labels/a", "value": "b"}]`},
		{"json", `[{"op": "add", "path": "/metadata/labels/a", "value": "b"}]`},
		{"json", `[{"op": "add", "path": "metadata.labels.a", "value": "b"}]`},
		{"json", `[{"op": "add", "path": "/metadata/labels/example.com/a", "value": "b"}]`},
		{"json", `[{"op": "add", "path": "/metadata/labels/example.com~1a", "value": "b"}]`},
		{"json", `[{"op": "add", "path": "/metadata/labels/a", "value": true}]`},
		{"json", `[{"op": "add", "path": "/metadata/lables/a", "value": "b"}]`},
		{"json", `[{"op": "add", "path": "/spec/replica", "value": 1}]`},
		{"json", `[{"op": "replace", "path": "/spec/replicas", "value": "1"}]`},
		{"json", `[{"op": "replace", "path": "/spec/replicas", "value": 1}]`},
		{"json", `[{"op": "replace", "path": "/status/replicas", "value": 1}]`},
		{"json", `[{"op": "add", "path": "/spec/template/spec/containers/0/env", "value": [{"name": "a", "value": 1}]}]`},
		{"json", `[{"op": "add", "path": "/spec/template/spec/containers/0/env", "value": [{"name": "a", "value": "1"}]}]`},
	} {
		config := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(config, fmt.Appendf(nil, `apiVersion: informerd.dev/v1alpha1
kind: Config
state: {dir: state}
listeners:
  all: {informer: {resource: deployments.apps}, outputs: [o]}
outputs:
  o: {patch: {type: %s, patch: '%s'}}
`, tt.patch, tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := exec.Command(informerdBin(), "validate", config).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", tt.text, err, said)
		}
		typ := map[string]types.PatchType{"merge": types.MergePatchType, "json": types.JSONPatchType,
			"apply": types.ApplyPatchType}[tt.patch]
		body, options := tt.text, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}
		if tt.patch == "apply" {
			options.FieldManager = "e2e"
			body = `{"apiVersion": "apps/v1", "kind": "Deployment",` + strings.TrimPrefix(body, "{")
		}
		after, err := client.Patch(t.Context(), name, typ, []byte(body), options)
		takes := err == nil && !reflect.DeepEqual(essence(before), essence(after))
		if warned := strings.Contains(string(said), `output "o":`); warned == takes {
			t.Errorf("%s %s: warned of it: %t, the API server takes it: %t (%v)\n%s", tt.patch,
				tt.text, warned, takes, err, said)
		}
	}
	if err := client.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// essence returns an object without what the API server writes at each change.
func essence(u *unstructured.Unstructured) map[string]any {
	u = u.DeepCopy()
	u.SetManagedFields(nil)
	u.SetResourceVersion("")
	u.SetGeneration(0)
	unstructured.RemoveNestedField(u.Object, "status", "observedGeneration")
	return u.Object
}
