package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const written = `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}}}
listeners:
  scaled: {informer: {resource: deployments.apps}, rules: [{name: alone, deny: object.spec.replicas <= 1}], outputs: [out]}
  history: {informer: {resource: deployments.apps}, rules: [{name: long, deny: object.spec.replicas > 9 || object.spec.revisionHistoryLimit > 5}], outputs: [out]}
  paused: {informer: {resource: deployments.apps}, rules: [{name: paused, deny: object.spec.paused == true}], outputs: [out]}
  pods: {informer: {resource: pods}, outputs: [out]}
`

// A summary says once that answers depend on what an API server fills in, and that the pods of an
// object are another question.
func TestExplainOfWhatIsWritten(t *testing.T) {
	folder := t.TempDir()
	path, object := filepath.Join(folder, "c.yaml"), filepath.Join(folder, "o.yaml")
	for name, text := range map[string]string{path: written, object: aDeployment + "spec: {}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const pods = "informerd: its pods are what the listener pods watches: explain judges the Deployment as it is, and not its pod template; --pods does that as well\n"
	for _, c := range []struct{ args, note, stderr string }{
		{"--summary", "note: 2 answers depend on fields that an API server fills in and the object does not have: spec.replicas, spec.revisionHistoryLimit\n", pods},
		{"--summary -l scaled", "note: 1 answer depends on fields that an API server fills in and the object does not have: spec.replicas\n", ""},
		{"--summary -l paused", "", ""},
		{"-l scaled -l pods", "Note: object.spec.replicas is nil: the object is as it was written", pods},
	} {
		var stdout, stderr bytes.Buffer
		code := execute(append([]string{"explain", path, "--object", object},
			strings.Fields(c.args)...), nil, &stdout, &stderr)
		if code != exitOK || stderr.String() != c.stderr ||
			!strings.Contains(stdout.String(), c.note) ||
			strings.Contains(strings.ToLower(stdout.String()), "note:") != (c.note != "") {
			t.Errorf("%s: exit %d\n%s%s\nwant %s%s", c.args, code, &stdout, &stderr, c.note, c.stderr)
		}
	}
}

// The old object is one of a file, or that of the cluster which the object of a file is to replace.
func TestExplainOfAnOldObjectOfTheCluster(t *testing.T) {
	for _, c := range []struct {
		object, old string
		code        int
		says        string
	}{
		{"-", "pod/shop/a", exitRun, "informerd: <stdin>: "},
		{"pod/shop/b", "pod/shop/b", exitUsage, "--old pod/shop/b: --object is an object of the cluster, which does not have the one of before: write that one to a file"},
		{"-", "a.yaml", exitConfig, "a.yaml: the object cannot be read: no such file"},
	} {
		code, _, stderr := explain(t, aPod, "--object", c.object, "--old", c.old)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit %d\n%s", c.old, code, stderr)
		}
	}
}
