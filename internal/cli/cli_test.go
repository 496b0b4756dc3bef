package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const valid = `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  pods: {informer: {resource: pods}, filter: 'op == "add"', outputs: [out]}
outputs: {out: {stdout: {}}}
`
	good := write("good.yaml", valid)
	typo := write("typo.yaml", strings.Replace(valid, "filter:", "fliter:", 1))
	badFilter := write("filter.yaml", strings.Replace(valid, `op == "add"`, `op ==`, 1))

	for _, c := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"", exitOK, "informerd watches Kubernetes resources", ""},
		{"--help", exitOK, "Available Commands", ""},
		{"version", exitOK, "informerd dev go1.", ""},
		{"schema", exitOK, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\"",
			""},
		{"version now", exitUsage, "", `informerd version takes no arguments, found "now"`},
		{"frobnicate", exitUsage, "", `unknown command "frobnicate"`},
		{"help dlq ls", exitOK, "informerd dlq ls", ""},
		{"dlq lst -c " + good, exitUsage, "",
			`unknown command "lst" for "informerd dlq"; did you mean ls?` + "\nRun "},
		{"valdate -c " + good, exitUsage, "",
			`unknown command "valdate" for "informerd"; did you mean validate?`},
		{"rbac " + good + " --frob", exitUsage, "", "unknown flag: --frob\nRun "},
		{"rbac " + dir + "/none.yaml", exitConfig, "", dir + "/none.yaml"},
		{"run", exitUsage, "", "--config is required"},
		{"run --config " + dir, exitUsage, "", "is a folder: name the file"},
		{"run -f x", exitUsage, "", "unknown shorthand flag: 'f' in -f"},
		{"run --log-level loud --config " + good, exitUsage, "",
			`--log-level "loud": it is one of debug, info, warn, error`},
		{"run --log-format xml --config " + good, exitUsage, "",
			`--log-format "xml": it is text or json`},
		{"run --kubeconfig " + dir + "/none --config " + good, exitRun, "", dir + "/none"},
		{"run --config " + dir + "/none.yaml", exitConfig, "", dir + "/none.yaml"},
		{"validate --config " + good, exitOK, good + " is valid: 1 listener, 1 output\n", ""},
		{"validate --config " + typo, exitConfig, "", typo + `:4:38: unknown field "fliter"`},
		{"validate --config " + badFilter, exitConfig, "",
			badFilter + ":4:51: listener \"pods\": the expression ends too early\n  op ==\n      ^\n"},
	} {
		var stdout, stderr bytes.Buffer
		code := Main(strings.Fields(c.args), &stdout, &stderr)
		if code != c.code || !strings.Contains(stdout.String(), c.stdout) ||
			!strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("informerd %s: exit %d, want %d\nstdout: %s\nstderr: %s", c.args, code, c.code,
				stdout.String(), stderr.String())
		}
		if c.stdout == "" && stdout.Len() > 0 || c.stderr == "" && stderr.Len() > 0 {
			t.Errorf("informerd %s says more than it should\nstdout: %s\nstderr: %s", c.args,
				stdout.String(), stderr.String())
		}
	}
}
