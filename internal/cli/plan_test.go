package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ofTwo = `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}}, note: {kubernetesEvent: {}}}
listeners:
  pods: {informer: {resource: pods}, outputs: [note]}
  nodes: {informer: {resource: nodes}, outputs: [out]}
  maps: {informer: {resource: configmaps}, outputs: [out]}
`

// With names of listeners, plan shows these alone, and what their outputs request.
func TestPlanOfListeners(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(ofTwo), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (code int, stdout, stderr string) {
		var out, err bytes.Buffer
		code = Main(args, &out, &err)
		return code, out.String(), err.String()
	}
	const other = "other requests, which informerd rbac FILE has rights for\n"
	for _, c := range []struct {
		args   []string
		has    []string
		hasNot []string
	}{
		{nil, []string{"listener pods\n", "listener nodes\n", "listener maps\n", other}, nil},
		{[]string{"-l", "nodes"}, []string{"informer of nodes, the whole cluster\n", "listener nodes\n"},
			[]string{"pods", "maps", other}},
		{[]string{"--listener", "nodes", "-l", "pods"},
			[]string{"listener nodes\n", "listener pods\n", "output note", other},
			[]string{"maps"}},
	} {
		code, stdout, stderr := run(append([]string{"plan", path}, c.args...)...)
		if code != exitOK || stderr != "" {
			t.Errorf("%q: exit code %d, %s", c.args, code, stderr)
		}
		for _, text := range c.has {
			if !strings.Contains(stdout, text) {
				t.Errorf("%q: there is no %q in\n%s", c.args, text, stdout)
			}
		}
		for _, text := range c.hasNot {
			if strings.Contains(stdout, text) {
				t.Errorf("%q: there is %q in\n%s", c.args, text, stdout)
			}
		}
	}
	code, stdout, stderr := run("plan", path, "-l", "pods", "-l", "node")
	if code != exitUsage || stdout != "" || !strings.HasPrefix(stderr,
		`informerd: --listener: there is no listener "node"; did you mean "nodes"?`) {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}
