package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRBACHelm prints a configuration with its policies, modules and rights as values of the chart.
func TestRBACHelm(t *testing.T) {
	dir := t.TempDir()
	config := "# mine\n" + rbacConfig + "policies: [{files: rules/*.yaml, outputs: [out]}]\n"
	config = strings.Replace(config, "namespace: ha, ", "", 1)
	for file, text := range map[string]string{"informerd.yaml": config, "rules/a.yaml": `apiVersion: informerd.dev/v1alpha1
kind: Policy
informer: {resource: nodes}
rules: [{name: no, deny: object.spec.unschedulable == true, message: '"closed"'}]
`} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(stdin string, args ...string) (code int, stdout, stderr string) {
		var out, errs bytes.Buffer
		code = execute(append([]string{"rbac"}, args...), strings.NewReader(stdin), &out, &errs)
		return code, out.String(), strings.ReplaceAll(errs.String(), dir, "@")
	}
	code, stdout, stderr := run("", filepath.Join(dir, "informerd.yaml"), "-o", "helm")
	for _, want := range []string{
		"\nconfig: |\n  # mine\n  apiVersion:",
		"\nfiles:\n  \"rules/a.yaml\": |\n    apiVersion:",
		"\nrbac:\n  digest: sha256:",
		"\n  cluster:\n  # listener \"a\"\n  - {apiGroups: [''], resources: [nodes], verbs: [list, watch]}\n",
		"\n  release:\n  # leaderElection\n",
		"\n  namespaces:\n    shop:\n    # listener \"pods\"\n" +
			"    - {apiGroups: [''], resources: [pods], verbs: [list, watch]}\n",
	} {
		if !strings.Contains(strings.ReplaceAll(stdout, "rules/a.yaml:", "\"rules/a.yaml\":"), want) {
			t.Errorf("exit code %d, stderr %q, no %q in\n%s", code, stderr, want, stdout)
		}
	}
	if code != 0 {
		t.Errorf("exit code %d: %s", code, stderr)
	}

	outside := strings.Replace(config, "rules/", "../"+filepath.Base(dir)+"/rules/", 1)
	nested := filepath.Join(dir, "nested")
	if err := os.Mkdir(nested, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(nested, "informerd.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(outside, "../"+filepath.Base(dir), "..", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := run("", path, "-o", "helm"); code != 1 || stdout != "" ||
		!strings.Contains(stderr, "is outside of the configuration's folder") {
		t.Errorf("a policy outside: exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	noPolicies, _, _ := strings.Cut(config, "policies:")
	handler := strings.Replace(noPolicies, "outputs: [out]}\n", "outputs: [out], handler: {wasm: m/a.wasm}}\n", 1)
	if err := os.WriteFile(path, []byte(handler), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := run("", path, "-o", "helm"); code != 0 || strings.Contains(stdout, "files:") ||
		!strings.Contains(stderr, `note: listener "pods": m/a.wasm is not among the values`) {
		t.Errorf("a module that is not there: exit code %d: %s\n%s", code, stderr, stdout)
	}
	for _, args := range [][]string{{path, "--name", "x"}, {path, "-n", "x"}, {"-"}} {
		if code, _, stderr := run(noPolicies, append(args, "-o", "helm")...); code != 2 {
			t.Errorf("%q: exit code %d: %s", args, code, stderr)
		}
	}
}
