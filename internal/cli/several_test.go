package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Several configurations: as one, one by one, and in the forms for CI.
func TestSeveralConfigurations(t *testing.T) {
	dir := t.TempDir()
	const head = "apiVersion: informerd.dev/v1alpha1\nkind: Config\n"
	for name, text := range map[string]string{
		"informers.yaml": head + "informers: {pods: {resource: pods}}\n",
		"listeners.yaml": head + "listeners:\n  a: {informer: pods, outputs: [out]}\noutputs: {out: {stdout: {}}}\n",
		"whole.yaml":     head + "listeners:\n  a: {informer: {resource: pods}, outputs: [out]}\noutputs: {out: {stdout: {}}}\n",
		"odd,100%.yaml":  head + "listeners:\n  a: {informer: {resource: pods}, filter: object.sepc.x == 1, outputs: [out]}\noutputs: {out: {stdout: {}}}\n",
		"warned.yaml":    head + "listeners:\n  a: {informer: {resource: pods}, filter: \"true || false\", outputs: [out]}\n  b: {informer: {resource: pods}, outputs: [out]}\noutputs: {out: {stdout: {}}, unused: {stdout: {}}}\n",
		"policy.yaml":    "apiVersion: informerd.dev/v1alpha1\nkind: Policy\ninformer: {resource: pods}\nrules: [{name: r, deny: object.x}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"validate -c @/informers.yaml -c @/listeners.yaml", exitOK,
			"@/informers.yaml, @/listeners.yaml is valid: 1 listener, 1 output\n", ""},
		{"validate -c @/listeners.yaml", exitConfig, "",
			`@/listeners.yaml:4:17: listeners.a.informer: unknown informer "pods"; there are no informers` + "\n"},
		{"validate -c @/whole.yaml -c @/listeners.yaml", exitConfig, "",
			"@/listeners.yaml:4:3: listeners.a is defined twice, first at @/whole.yaml:4\n@/listeners.yaml:5:11: outputs.out is"},
		{"validate @/whole.yaml @/policy.yaml", exitConfig,
			"@/whole.yaml is valid: 1 listener, 1 output\n", "@/policy.yaml:4:32: "},
		{"validate -c @/whole.yaml -c @/whole.yaml", exitUsage, "", "informerd: --config @/whole.yaml is there twice"},
		{"validate -c @/whole.yaml @/policy.yaml", exitUsage, "", "informerd: there are two configurations"},
		{"validate -o xml @/whole.yaml", exitUsage, "", `informerd: --output "xml": it is text or json`},
		{"plan @/whole.yaml @/policy.yaml", exitUsage, "", "informerd: informerd plan takes one configuration"},
		{"plan -c @/listeners.yaml -c @/informers.yaml", exitOK, "cluster default: 1 informer, 1 listener, 1 output\n\ninformer of pods, the whole cluster", ""},
		{"schema policy", exitOK, "{\n", ""},
		{"schema test", exitUsage, "", `informerd: there is no schema "test": it is config or policy`},
		{"run --once --timeout -1s @/whole.yaml", exitUsage, "", "informerd: --timeout -1s: it is 0 or more"},
		{"run --timeout 1s @/whole.yaml", exitUsage, "", "informerd: --timeout needs --once"},
		{"run -o json @/whole.yaml", exitUsage, "", "informerd: --output needs --dry-run"},
		{"run --dry-run --forget @/whole.yaml", exitUsage, "", "informerd: --forget has no effect"},
		{"run --dry-run -o yaml @/whole.yaml", exitUsage, "", `informerd: --output "yaml"`},
	} {
		var stdout, stderr bytes.Buffer
		code := Main(strings.Fields(strings.ReplaceAll(c.args, "@", dir)), &stdout, &stderr)
		for _, got := range []struct{ got, want string }{{stdout.String(), c.stdout},
			{stderr.String(), c.stderr}} {
			shown := strings.ReplaceAll(got.got, dir, "@")
			if code != c.code || !strings.HasPrefix(shown, got.want) || got.want == "" && shown != "" {
				t.Errorf("%s: %d, want %d\ngot:\n%s\nwant:\n%s", c.args, code, c.code, shown,
					got.want)
			}
		}
	}
}

// The schema of one kind of files refers to the definition of it.
func TestSchemaOfAKind(t *testing.T) {
	for kind, want := range map[string]string{"config": "#/$defs/Config",
		"policy": "#/$defs/Policy"} {
		var out, stderr bytes.Buffer
		var schema struct {
			Ref  string         `json:"$ref"`
			If   any            `json:"if"`
			Defs map[string]any `json:"$defs"`
		}
		if code := Main([]string{"schema", kind}, &out, &stderr); code != exitOK {
			t.Fatal(stderr.String())
		}
		if err := json.Unmarshal(out.Bytes(), &schema); err != nil ||
			schema.Ref != want || schema.If != nil || schema.Defs == nil {
			t.Errorf("%v: the schema of %s is %s, %v", err, kind, schema.Ref, schema.If)
		}
	}
}
