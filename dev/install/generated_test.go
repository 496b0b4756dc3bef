package install

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var update = flag.Bool("update", false, "write what is generated in deploy")

// generated compares a file with what it should be, and writes it with -update.
func generated(t *testing.T, name, want string) {
	t.Helper()
	path := filepath.Join(repository(t), "deploy", name)
	if *update {
		mkdir(t, filepath.Dir(path))
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("deploy/%s is not what it should be (%v): make docs", name, err)
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{repository(t)}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestManifestIsGenerated: the manifest is what the chart renders, without what says that Helm does
// it, and so are the parts of the kustomizations.
func TestManifestIsGenerated(t *testing.T) {
	var all, workload []string
	for _, o := range rendered(t, theChart(t), "informerd", "informerd", nil) {
		unlabel(o.Object)
		all = append(all, toYAML(t, o.Object))
		switch o.GetKind() {
		case "ConfigMap":
			data, _, _ := unstructured.NestedStringMap(o.Object, "data")
			for key, text := range data {
				generated(t, "kustomize/default/"+strings.ReplaceAll(key, "..", "/"), text)
			}
		case "StatefulSet":
			template, _, _ := unstructured.NestedMap(o.Object, "spec", "template", "spec")
			sources := template["volumes"].([]any)[0].(map[string]any)["projected"].(map[string]any)
			sources["sources"] = sources["sources"].([]any)[:1] // the default configuration has files
			if err := unstructured.SetNestedMap(o.Object, template, "spec", "template", "spec"); err != nil {
				t.Fatal(err)
			}
			fallthrough
		case "Service":
			o.SetNamespace("")
			workload = append(workload, toYAML(t, o.Object))
		}
	}
	generated(t, "informerd.yaml", `# informerd with its default configuration, in the namespace informerd: what the Helm chart renders,
# written by make docs.
---
apiVersion: v1
kind: Namespace
metadata:
  labels:
    app.kubernetes.io/instance: informerd
    app.kubernetes.io/name: informerd
    pod-security.kubernetes.io/enforce: restricted
  name: informerd
---
`+strings.Join(all, "---\n"))
	generated(t, "kustomize/base/workload.yaml", "# What the Helm chart renders, written by make docs.\n"+
		strings.Join(workload, "---\n"))
}

// unlabel removes the label that says who manages an object, wherever it is.
func unlabel(value any) {
	switch v := value.(type) {
	case map[string]any:
		delete(v, "app.kubernetes.io/managed-by")
		for _, inner := range v {
			unlabel(inner)
		}
	case []any:
		for _, inner := range v {
			unlabel(inner)
		}
	}
}
