package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command, wrong and right, with exactly what it says. Files are in a folder of their own,
// which @ stands for.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.yaml": `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  pods: {informer: {resource: pods}, filter: 'op == "add"', outputs: [out]}
outputs: {out: {stdout: {}}}
`,
		"typo.yaml": `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  pods: {informer: {resource: pods}, filter: object.sepc.x == 1, outputs: [out]}
outputs: {out: {stdout: {}}}
`,
		"pod.yaml":    "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\n",
		"broken.yaml": "apiVersion: v1\nkind: [Pod\n",
		"twice.yaml":  "apiVersion: v1\nkind: Pod\nkind: Pod\n",
		"empty.yaml":  "",
		"text.yaml":   "just a text",
		"list.json":   `{"apiVersion": "v1", "kind": "List", "items": []}`,
		"no-context":  "apiVersion: v1\nkind: Config\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const hint = "\nRun \"informerd COMMAND --help\" for its usage.\n"
	const required = "informerd: --config is required; informerd init writes one"
	const typo = "@/typo.yaml:4:53: listener \"pods\": there is no field sepc in object; did you mean spec?\n  object.sepc.x == 1\n         ^\n"
	const podMatches = "listener pods, add of Pod \"shop/web\"\n\nfilter:\ntrue   op == \"add\"\n└─ op = \"add\"\n\n-> out: add\n"
	const planned = `cluster default: 1 informer, 1 listener, 1 output

informer of pods, the whole cluster
  listener pods
`
	const toOut = "\n\noutput out, standard output\n" +
		"  gets messages of   pods\n"
	for _, c := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"plan", exitUsage, "", required + hint},
		{"plan it", exitConfig, "",
			"it: the configuration cannot be read: no such file or directory\n"},
		{"plan it that", exitUsage, "",
			`informerd: informerd plan takes one configuration, found "that" as well; several files are read as one with -c for each` + hint},
		{"plan -c it that", exitUsage, "",
			"informerd: there are two configurations, --config it and that" + hint},
		{"plan @/good.yaml --schema off", exitOK,
			planned + "    before the buffer  add\n    behind the buffer  filter: op == \"add\"\n                       (decided before the buffer)\n    sends to           out" + toOut, ""},
		{"plan --config @/good.yaml --schema open", exitUsage, "",
			`informerd: --schema "open": it is builtin or off` + hint},
		{"plan --config @/typo.yaml --schema open", exitUsage, "",
			`informerd: --schema "open": it is builtin or off` + hint},
		{"plan --config @", exitUsage, "", "informerd: --config @ is a folder: name the file" +
			hint},
		{"plan --config @/none.yaml", exitConfig, "",
			"@/none.yaml: the configuration cannot be read: no such file or directory\n"},
		{"plan --config @/typo.yaml", exitConfig, "", typo},
		{"plan --config @/typo.yaml --schema off", exitOK,
			planned + "    before the buffer  add, update, delete\n                       sepc.x in [1]\n    behind the buffer  filter: object.sepc.x == 1\n    sends to           out" + toOut, ""},
		{"plan -c @/good.yaml", exitOK,
			planned + "    before the buffer  add\n    behind the buffer  filter: op == \"add\"\n                       (decided before the buffer)\n    sends to           out" + toOut, ""},

		{"watch", exitUsage, "", "informerd: name a resource, as in pods or deployments.apps" + hint},
		{"watch pods -o xml", exitUsage, "", `informerd: --output "xml": it is short, json or yaml` +
			hint},
		{"watch pods --print-config --filter object.sepc==1", exitUsage, "",
			"informerd: --filter: there is no field sepc in object; did you mean spec?\n  object.sepc==1\n         ^\n"},
		{"watch pods --rules @/good.yaml", exitConfig, "",
			"@/good.yaml: it is a configuration, and must be a policy: kind: Policy; run it with informerd run\n"},
		{"watch pods --filter op==\"add\" --print-config", exitOK,
			"# yaml-language-server: $schema=https://raw.githubusercontent.com/informerd/informerd/main/docs/config.schema.json\n" +
				"apiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners:\n  pods:\n    informer:\n      resource: pods\n    filter: op==\"add\"\n    outputs:\n      - stdout\noutputs:\n  stdout:\n    stdout: {}\n", ""},

		{"explain -c @/good.yaml pods -f web", exitConfig, "",
			"informerd: web: the object cannot be read: no such file or directory\n"},
		{"explain -c @/good.yaml pods -f @/pod.yaml --schema open", exitUsage, "",
			`informerd: --schema "open": it is builtin or off` + hint},
		{"explain -c @/typo.yaml pods -f @/pod.yaml", exitConfig, "", typo},
		{"explain -c @/none.yaml pods -f @/pod.yaml", exitConfig, "",
			"@/none.yaml: the configuration cannot be read: no such file or directory\n"},
		{"explain -c @/good.yaml pods -f @/none.yaml", exitConfig, "",
			"informerd: @/none.yaml: the object cannot be read: no such file or directory\n"},
		{"explain -c @/good.yaml pods -f @", exitConfig, "",
			"informerd: @: the object cannot be read: is a directory\n"},
		{"explain -c @/good.yaml pods -f @/empty.yaml", exitConfig, "",
			"informerd: @/empty.yaml: there is no object in it\n"},
		{"explain -c @/good.yaml pods -f @/text.yaml", exitConfig, "",
			"informerd: @/text.yaml: there is no object in it\n"},
		{"explain -c @/good.yaml pods -f @/list.json", exitRun, "",
			"informerd: @/list.json: the list is empty\n"},
		{"explain -c @/good.yaml pods -f @/broken.yaml", exitConfig, "",
			"informerd: @/broken.yaml: yaml: line 2: did not find expected ',' or ']'\n"},
		{"explain -c @/good.yaml pods -f @/twice.yaml", exitConfig, "",
			"informerd: @/twice.yaml: yaml: unmarshal errors: line 3: key \"kind\" already set in map\n"},
		{"explain -c @/good.yaml pods -f @/pod.yaml", exitOK,
			podMatches, ""},
		{"explain -c @/good.yaml pods -f @/pod.yaml --op delete", exitOK,
			"listener pods, delete of Pod \"shop/web\"\n\nfilter:\nfalse  op == \"add\"\n└─ op = \"delete\"\n\nThe event does not match.\n", ""},
		{"explain -c @/typo.yaml pods -f @/pod.yaml --schema off", exitOK,
			"listener pods, add of Pod \"shop/web\"\n\nfilter:\nfalse  object.sepc.x == 1\n└─ object.sepc.x = nil\n\nThe event does not match.\n", ""},

		{"validate", exitUsage, "", required + hint},
		{"validate --config @/typo.yaml", exitConfig, "", typo},
		{"validate --config @/typo.yaml --schema off", exitOK,
			"@/typo.yaml is valid: 1 listener, 1 output\n", ""},
		{"validate --config @/typo.yaml --schema builtin", exitConfig, "", typo},
		{"validate --config @/none.yaml --schema open", exitUsage, "",
			`informerd: --schema "open": it is builtin or off` + hint},
		{"validate --config @/good.yaml --schema open --cluster", exitUsage, "",
			`informerd: --schema "open": it is builtin or off` + hint},
		{"validate --config @/good.yaml --schema off --cluster", exitUsage, "",
			"informerd: --schema has no effect with --cluster: the API server has the schemas" +
				hint},
		{"validate --config @/good.yaml --kubeconfig @/no-context", exitUsage, "",
			"informerd: --kubeconfig needs --cluster: without it no API server is asked" + hint},
		{"validate --config @/good.yaml --context home", exitUsage, "",
			"informerd: --context needs --cluster: without it no API server is asked" + hint},
		{"validate --config @/none.yaml --cluster --kubeconfig @/none", exitConfig, "",
			"@/none.yaml: the configuration cannot be read: no such file or directory\n"},
		{"validate --config @/good.yaml --cluster --kubeconfig @/none", exitRun, "",
			"informerd: kubeconfig @/none: no such file or directory\n"},
		{"validate --config @/good.yaml --cluster=false", exitOK,
			"@/good.yaml is valid: 1 listener, 1 output\n", ""},

		{"run --config @/typo.yaml", exitConfig, "", typo},
		{"run --config @/typo.yaml --schema open", exitUsage, "",
			`informerd: --schema "open": it is builtin or off` + hint},
		{"run --config @/typo.yaml --schema off --kubeconfig @/none", exitRun, "",
			"informerd: kubeconfig @/none: no such file or directory\n"},
	} {
		var stdout, stderr bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(c.args, "@", dir))
		code := Main(args, &stdout, &stderr)
		c.stderr = strings.Replace(c.stderr, "COMMAND", args[0], 1)
		shown := strings.NewReplacer(dir, "@")
		if got := shown.Replace(stderr.String()); code != c.code || got != c.stderr {
			t.Errorf("informerd %s: exit %d, want %d; stderr\n%s\nwant\n%s", c.args, code, c.code,
				got, c.stderr)
		}
		if got := shown.Replace(stdout.String()); got != c.stdout {
			t.Errorf("informerd %s: stdout\n%s\nwant\n%s", c.args, got, c.stdout)
		}
	}
}

// A warning does not make a configuration invalid, and goes where logs go.
func TestWarningsAreNoErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	text := `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  pods: {informer: {resource: pods}, filter: 'op == "add" && old.spec == nil', outputs: [out]}
outputs: {out: {stdout: {}}}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := Main([]string{"validate", "--config", path}, &stdout, &stderr)
	want := path + `:4:62: warning: listener "pods": old is always nil here: op is add at this point, and only an update has an old object` + "\n  op == \"add\" && old.spec == nil\n                 ^\n"
	got := stderr.String()
	if code != exitOK || got != want ||
		stdout.String() != path+" is valid: 1 listener, 1 output\n" {
		t.Errorf("exit %d, stdout %s, stderr\n%s\nwant\n%s", code, stdout.String(), got, want)
	}
}
