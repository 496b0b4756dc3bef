package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/cli/versions"
)

const (
	oldText = "# pods\napiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners:\n" +
		"  pods: {informer: {resource: pods}, outputs: [out]}\noutputs: {out: {stdout: {}}}\n"
	oldPolicy = "apiVersion: informerd.dev/v1alpha1\nkind: Policy\ninformer: {resource: pods}\n" +
		"rules: [{name: r, deny: 'true'}]\n"
)

func TestConvert(t *testing.T) {
	newText := strings.Replace(oldText, "v1alpha1", "v1beta1", 1)
	for _, c := range []struct {
		name, args, stdin string
		code              int
		stdout, stderr    string
		files             string // what both files are afterwards
	}{
		{"to stdout", "a.yaml", "", exitOK, newText, "", "old old"},
		{"from stdin", "-", oldText, exitOK, newText, "", "old old"},
		{"a version with its group", "--to informerd.dev/v1alpha1 -", newText, exitOK, oldText, "",
			"old old"},
		{"in place", "-w a.yaml p.yaml", "", exitOK, "a.yaml is informerd.dev/v1beta1 now\n" +
			"p.yaml is informerd.dev/v1beta1 now\n", "", "new new"},
		{"as it was", "-w --to v1alpha1 a.yaml", "", exitOK,
			"a.yaml was informerd.dev/v1alpha1 already\n", "", "old old"},
		{"a link", "-w link.yaml", "", exitOK, "link.yaml is informerd.dev/v1beta1 now\n", "",
			"new old"},
		{"one with a mistake changes none", "-w a.yaml wrong.yaml p.yaml", "", exitConfig, "",
			"wrong.yaml:5:52: not YAML: the bracket } closes [, which is of another kind", "old old"},
		{"no such file", "-w a.yaml none.yaml", "", exitConfig, "",
			"none.yaml: the configuration cannot be read: no such file or directory\n", "old old"},
		{"nothing", "", "", exitUsage, "", "informerd convert needs a file; - is standard input\n",
			"old old"},
		{"two to stdout", "a.yaml p.yaml", "", exitUsage, "",
			"informerd convert takes several files only with --write\n", "old old"},
		{"stdin in place", "-w -", oldText, exitUsage, "",
			"--write needs a file, and not standard input\n", "old old"},
		{"no such version", "--to v2 a.yaml", "", exitUsage, "",
			"--to \"v2\": it is v1alpha1 or v1beta1\n", "old old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, text := range map[string]string{"a.yaml": oldText, "p.yaml": oldPolicy,
				"wrong.yaml": strings.Replace(oldText, "  pods: {", "  pods: [", 1)} {
				if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("a.yaml", "link.yaml"); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			code := execute(append([]string{"convert"}, strings.Fields(c.args)...),
				strings.NewReader(c.stdin), &stdout, &stderr)
			if code != c.code || stdout.String() != c.stdout ||
				!strings.Contains(stderr.String(), c.stderr) || c.stderr == "" && stderr.Len() > 0 {
				t.Errorf("exit %d\nstdout: %s\nstderr: %s", code, &stdout, &stderr)
			}
			checkFiles(t, c.files)
		})
	}
}

// checkFiles compares the versions of a.yaml and p.yaml, and holds that nothing else is left.
func checkFiles(t *testing.T, want string) {
	t.Helper()
	var is []string
	for _, name := range []string{"a.yaml", "p.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		version := "old"
		if strings.Contains(string(text), "v1beta1") {
			version = "new"
		}
		is = append(is, version)
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s has another mode: %v %v", name, info.Mode(), err)
		}
	}
	if got := strings.Join(is, " "); got != want {
		t.Errorf("the files are %s, want %s", got, want)
	}
	if found, err := filepath.Glob("*"); err != nil || len(found) != 4 {
		t.Errorf("there are %q, %v", found, err)
	}
	if info, err := os.Lstat("link.yaml"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is none any more: %v", err)
	}
}

func TestVersionJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"version", "-o", "json"}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	var b versions.Build
	if err := json.Unmarshal(stdout.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	if b.Version == "" || !strings.HasPrefix(b.Go, "go1.") || !strings.Contains(b.Platform, "/") ||
		!slices.Equal(b.APIVersions, []string{"informerd.dev/v1alpha1", "informerd.dev/v1beta1"}) ||
		!slices.Equal(b.HandlerABIs, []string{"informerd/v1"}) ||
		!slices.Contains(b.HostModules, "informerd/event.v1") {
		t.Errorf("got %s", &stdout)
	}
}
