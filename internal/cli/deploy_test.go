package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDeployPage keeps what is in deploy more than once the same: what the chart brings is what the
// repository has elsewhere, and rights are those of the configurations next to them. dev/install
// tests what the chart renders.
func TestDeployPage(t *testing.T) {
	const deploy = "../../deploy/"
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	same := func(path, want string) {
		t.Helper()
		if *update {
			if err := os.WriteFile(deploy+path, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if read(deploy+path) != want {
			t.Errorf("deploy/%s is not what it should be: make docs", path)
		}
	}
	rbac := func(config string, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := execute(append([]string{"rbac", config}, args...), nil, &out, &errs)
		if code != 0 || errs.Len() > 0 {
			t.Errorf("%s: exit code %d: %s", config, code, errs.String())
		}
		// The first line names the file as it was passed.
		return strings.Replace(out.String(), config, filepath.Base(config), 1)
	}

	const chart = "chart/informerd/files/"
	for _, name := range []string{"alerts.yaml", "dashboard.json"} {
		same(chart+name, read(deploy+name))
	}
	policies, err := filepath.Glob(deploy + chart + "policies/*.yaml")
	if err != nil || len(policies) == 0 {
		t.Fatal("the chart has no policies", err)
	}
	for _, policy := range policies {
		name := filepath.Base(policy)
		text := read("../../configs/policies/" + name)
		// The first line has a path for editors, which is another one from there.
		if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# yaml-language-server:") {
			text = rest
		}
		same(chart+"policies/"+name, text)
		same("kustomize/default/policies/"+name, text)
	}
	same("kustomize/default/informerd.yaml", read(deploy+chart+"informerd.yaml"))

	_, rights, _ := strings.Cut(rbac(deploy+chart+"informerd.yaml", "-o", "helm"), "\nrbac:\n")
	var text strings.Builder
	text.WriteString("# The rights of informerd.yaml and its policies, by informerd rbac -o helm.\n")
	for line := range strings.Lines(rights) {
		text.WriteString(strings.TrimPrefix(line, "  "))
	}
	same(chart+"rights.yaml", text.String())
	for _, overlay := range []string{"default", "example"} {
		dir := "kustomize/" + overlay
		same(dir+"/rights.yaml", rbac(deploy+dir+"/informerd.yaml"))
	}
}
