package statefolder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

// An image may have no /tmp, or a root that nothing can be written to.
func TestSpillDir(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"tmp", "state", "own"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const none = "no such file or directory"
	for name, test := range map[string]struct{ temporary, state, buffer, want, problem string }{
		"temporary":       {"tmp", "state", "overflow: spill", "tmp", ""},
		"no temporary":    {"none", "state", "overflow: spill", "state", ""},
		"configured":      {"tmp", "state", "overflow: spill, spill: {dir: own}", "own", ""},
		"other overflow":  {"none", "none", "overflow: latest", "", ""},
		"nowhere":         {"none", "", "overflow: spill", "", none + "; set buffer.spill.dir or state.dir, or mount a volume such as an emptyDir at " + dir + "/none"},
		"state, not made": {"none", "gone", "overflow: spill", "", dir + "/gone: " + none},
		"not there":       {"tmp", "state", "overflow: spill, spill: {dir: gone}", "", "spill.dir: " + dir + "/gone: " + none},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", filepath.Join(dir, test.temporary))
			state := ""
			if test.state != "" {
				state = "state: {dir: " + test.state + "}\n"
			}
			cfg, err := config.Parse(filepath.Join(dir, "c.yaml"), []byte(
				"apiVersion: informerd.dev/v1alpha1\nkind: Config\n"+state+"listeners: {a: {informer: {resource: pods}, buffer: {"+
					test.buffer+"}, outputs: [out]}}\noutputs: {out: {stdout: {}}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := SpillDir(cfg, cfg.Listeners["a"])
			if test.problem != "" {
				if err == nil || !strings.HasSuffix(err.Error(), test.problem) {
					t.Errorf("got %q, %v, want an error that ends in %q", got, err, test.problem)
				}
				return
			}
			if test.want != "" {
				test.want = filepath.Join(dir, test.want)
			}
			if err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
			for _, folder := range []string{"tmp", "state", "own"} {
				left, err := os.ReadDir(filepath.Join(dir, folder))
				if err != nil || len(left) > 0 {
					t.Errorf("%s has %v, %v", folder, left, err)
				}
			}
		})
	}
}
