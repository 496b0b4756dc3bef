package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// definitions are those of the two kinds that the Prometheus operator brings, as far as a dry run
// needs them.
const definitions = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[2]s.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: {kind: %[1]s, plural: %[2]s}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
`

// TestDryRun has the API server look at all that is rendered, strictly, in a namespace that takes
// no pods that are not restricted.
func TestDryRun(t *testing.T) {
	c := newCluster(t)
	c.restricted(t, "informerd")
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	crds := fmt.Sprintf(definitions, "ServiceMonitor", "servicemonitors") + fmt.Sprintf(definitions, "PrometheusRule", "prometheusrules")
	c.sh(t, "kubectl apply -f "+write("crds", crds)+"\nkubectl wait --for=condition=Established crd --all --timeout=60s\nkubectl create namespace shop")
	all := map[string]string{"manifest": read(t, "deploy", "informerd.yaml"), "kustomize default": kustomized(t, "default"),
		"kustomize example": kustomized(t, "example")}
	for name, text := range sets {
		rendered, err := render(theChart(t), "informerd", "informerd", values(t, text))
		if err != nil {
			t.Fatal(err)
		}
		all["values "+name] = rendered
	}
	for name, text := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := c.try(t, "kubectl apply --server-side --force-conflicts --dry-run=server --validate=strict -f "+write(name, text))
			// Warnings are about pods that are not restricted, and about fields.
			if err != nil || strings.Contains(out, "Warning") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
