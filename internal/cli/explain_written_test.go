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
  scaled: {informer: {resource: deployments.apps}, rules: [{name: alone, deny: object.status.replicas == nil && object.spec.replicas == 1}], outputs: [out]}
  history: {informer: {resource: deployments.apps}, rules: [{name: long, deny: object.spec.replicas > 9 || object.metadata.generation == nil}], outputs: [out]}
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
		{"--summary", "note: 2 answers depend on fields that an API server fills in and the object does not have: status.replicas, metadata.generation\n", pods},
		{"--summary -l scaled", "note: 1 answer depends on fields that an API server fills in and the object does not have: status.replicas\n", ""},
		{"--summary -l paused", "", ""},
		{"-l scaled -l pods", "Note: object.status.replicas is nil: the object is as it was written", pods},
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

// The old object is one of a file. What comes if the object is applied to the cluster is another
// question.
func TestExplainOfAnOldObjectOfTheCluster(t *testing.T) {
	for args, c := range map[string]struct {
		code int
		says string
	}{
		"--object - --old pod/shop/a":          {exitUsage, "informerd: --old pod/shop/a: it takes a file; what comes if the object is applied to the cluster is asked with --apply\n"},
		"--object pod/shop/b --old pod/shop/b": {exitUsage, "--old pod/shop/b: the cluster does not have the object of before: write it to a file"},
		"--object - --old a.yaml":              {exitConfig, "a.yaml: the object cannot be read: no such file"},
		"--object pod/shop/b --apply":          {exitUsage, "--apply is about objects of files, and pod/shop/b is one of the cluster"},
		"--object pod/shop/b -n pay":           {exitUsage, "pod/shop/b is an object of the namespace shop, and -n says pay: leave one of them out"},
		"--object pod/shop/b -n shop":          {exitRun, "informerd: pod/shop/b: no API server"},
		"--object pod/b -n shop":               {exitRun, "informerd: pod/shop/b: no API server"},
		"--object - --apply --op update":       {exitUsage, "--op update needs --old FILE"},
		"--object - --apply --op delete":       {exitUsage, "--apply finds out what the event is"},
		"--object - --apply --initial":         {exitUsage, "--apply finds out what the event is"},
		"--object - --apply --kubeconfig none": {exitRun, "informerd: <stdin>: kubeconfig none: no such file or directory\n"},
	} {
		code, _, stderr := explain(t, aPod, strings.Fields(args)...)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit %d\n%s", args, code, stderr)
		}
	}
}

// A namespace is given to objects that say none and whose kind has one.
func TestExplainInANamespace(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
	for _, c := range []struct{ object, want string }{
		{pod, "shop: Pod \"shop/web\": add -> out\n"},
		{strings.Replace(pod, "{name: web}", "{name: web, namespace: pay}", 1), "pods: Pod \"pay/web\": add: does not match\n"},
		{aNamespace, "namespaces: Namespace \"shop\": rule r: violated"},
		{aWidget, "widgets: Widget \"shop/w\": add -> out\n"},
	} {
		code, stdout, stderr := explain(t, c.object, "-n", "shop", "--summary")
		if !strings.Contains(stdout, c.want) {
			t.Errorf("exit %d\n%s%s\nwant %s", code, stdout, stderr, c.want)
		}
	}
}
