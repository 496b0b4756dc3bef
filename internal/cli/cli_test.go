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
		{"help exlpain", exitUsage, "", `unknown command "exlpain"; did you mean explain?`},
		{"help dlq frob", exitUsage, "", `unknown command "frob" for "informerd dlq"; the commands are `},
		{"help dlq ls", exitOK, "informerd dlq ls", ""},
		{"dlq list -c " + good, exitUsage, "",
			`unknown command "list" for "informerd dlq"; did you mean ls?` + "\nRun "},
		{"dlq frob --listener pods", exitUsage, "", `unknown command "frob" for "informerd dlq"; the commands are `},
		{"valdate -c " + good, exitUsage, "", `unknown command "valdate"; did you mean validate?`},
		{"rbac chekc " + good, exitUsage, "",
			`unknown command "chekc" for "informerd rbac"; did you mean check?`},
		{"rbac chekc -c " + good, exitUsage, "", `for "informerd rbac"; did you mean check?`},
		{"rbac chekc --as me", exitUsage, "", `for "informerd rbac"; did you mean check?`},
		{"rbac " + good + " --frob", exitUsage, "", `unknown flag: --frob; the flags are `},
		{"rbac " + dir + "/none.yaml", exitConfig, "", dir + "/none.yaml"},
		{"run", exitUsage, "", "--config is required"},
		{"run --config " + dir, exitUsage, "", "is a folder: name the file"},
		{"run -f x", exitUsage, "", "unknown flag of one letter: 'f' in -f; a configuration is named by -c FILE"},
		{"status -l x", exitUsage, "", "unknown flag of one letter: 'l' in -l; a listener is an argument"},
		{"checkpoint -c x", exitUsage, "", "the commands are informerd checkpoint show"},
		{"plan -q", exitUsage, "", "there are -c, -h, -l, -o; the others are shown by --help"},
		{"run --confg x", exitUsage, "", "unknown flag: --confg; did you mean --config?"},
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
