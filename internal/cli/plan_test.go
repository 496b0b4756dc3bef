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

// A plan has what it can have if the modules of handlers are the only mistakes, which are reported
// all the same.
func TestPlanWithoutModules(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("text.wasm", "text")
	handlers := strings.NewReplacer("resource: nodes}", "resource: nodes}, handler: {wasm: none.wasm}",
		"resource: pods}", "resource: pods}, handler: {wasm: text.wasm}").Replace(ofTwo)
	path, old := write("c.yaml", handlers), write("old.yaml", ofTwo)
	mistakes := path + `:5:54: listener "pods": handler ` + filepath.Join(dir, "text.wasm") +
		": not a WebAssembly module: it does not begin with \\0asm\n" +
		path + `:6:56: listener "nodes": cannot read the handler: open ` +
		filepath.Join(dir, "none.wasm") + ": no such file or directory\n"
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "    handler            none.wasm\n" +
			"    not loaded         cannot read the handler: open "},
		{nil, "    not loaded         handler " + filepath.Join(dir, "text.wasm") + ": not a WebAssembly"},
		{nil, "listener maps\n"},
		{[]string{"-o", "json"}, `"notLoaded": [`},
		{[]string{"--summary"}, "handler"},
		{[]string{"--against", old, "--exit-code"}, "listener nodes: changed handler\n"},
	} {
		var stdout, stderr bytes.Buffer
		code := Main(append([]string{"plan", path}, c.args...), &stdout, &stderr)
		if code != exitConfig || stderr.String() != mistakes ||
			!strings.Contains(stdout.String(), c.want) {
			t.Errorf("%q: exit code %d, there is no %q in\n%s%s\nwant %s", c.args, code, c.want,
				&stdout, &stderr, mistakes)
		}
	}
	wrong := write("wrong.yaml", strings.Replace(handlers, "outputs: [note]",
		"filter: nothing, outputs: [note]", 1))
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"plan", wrong}, &stdout, &stderr); code != exitConfig ||
		stdout.Len() > 0 {
		t.Errorf("with other mistakes: exit code %d, %s%s", code, &stdout, &stderr)
	}
}

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
		{[]string{"-l", "nodes"}, []string{"informer of nodes, every object\n", "listener nodes\n"},
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
