package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ofClusters = `apiVersion: informerd.dev/v1alpha1
kind: Config
clusters:
  eu: {kubeconfig: eu.yaml, labels: {region: eu}}
  here: {inCluster: true}
clustersFrom: [{secrets: {namespace: fleet, labelSelector: a=b}}]
listeners:
  pods: {informer: {resource: pods, clusters: [eu]}, outputs: [out]}
  nodes: {informer: {resource: nodes}, outputs: [out]}
outputs: {out: {stdout: {}}}
`

// A reload may change clusters, but not from one to several or back.
func TestPlanOfChangedClusters(t *testing.T) {
	dir := t.TempDir()
	now := filepath.Join(dir, "now.yaml")
	if err := os.WriteFile(now, []byte(ofClusters), 0o600); err != nil {
		t.Fatal(err)
	}
	one := strings.NewReplacer("clusters:\n  eu: {kubeconfig: eu.yaml, labels: {region: eu}}\n  here: {inCluster: true}\n", "",
		"clustersFrom: [{secrets: {namespace: fleet, labelSelector: a=b}}]\n", "", ", clusters: [eu]", "").Replace(ofClusters)
	for before, want := range map[string]string{
		strings.NewReplacer("region: eu", "region: us", "  here: {inCluster: true}", "  us: {kubeconfig: us.yaml}",
			"fleet", "other").Replace(ofClusters): "cluster eu: changed labels.region\ncluster here: added\ncluster us: removed\nclustersFrom: changed\n---",
		ofClusters: "nothing has changed\n",
		one: "a reload would refuse it, since this needs a restart: clusters\n" +
			"listener pods: changed informer\ncluster eu: added\ncluster here: added\nclustersFrom: changed\n---",
	} {
		var stdout, stderr bytes.Buffer
		if code := execute([]string{"plan", now, "--against", "-"}, strings.NewReader(before), &stdout, &stderr); code != exitOK ||
			!strings.HasPrefix(stdout.String(), want) {
			t.Errorf("exit code %d: %s\n%s\nwant\n%s", code, &stderr, &stdout, want)
		}
	}
}

// What is for other clusters is not among the values of the chart, which is said.
func TestRBACHelmOfClusters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(ofClusters), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := execute([]string{"rbac", path, "-o", "helm"}, nil, &stdout, &stderr)
	if code != exitOK || strings.Contains(stdout.String(), "[pods]") || !strings.Contains(stdout.String(), "[nodes]") ||
		!strings.Contains(stdout.String(), "  namespaces:\n    fleet:\n    # clustersFrom\n") ||
		stderr.String() != "note: the rights in other clusters that are watched are not among the values; informerd rbac prints them\n" {
		t.Errorf("exit code %d: %s\n%s", code, &stderr, &stdout)
	}
}
