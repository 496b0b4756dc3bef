package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With the object before, the one event is an update, which must be of the same object.
func TestPluginRunWithTheObjectBefore(t *testing.T) {
	dir := pluginFiles(t)
	for name, text := range map[string]string{
		"web.yaml":   "apiVersion: v1\nkind: Pod\nmetadata: {namespace: shop, name: web}\n",
		"other.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {namespace: shop, name: other}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := run(dir, "plugin run @/quiet.wasm -e @/web.yaml --old @/web.yaml")
	if code != exitOK || !strings.Contains(stdout, "event 1: update Pod shop/web\n") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	code, _, stderr = run(dir, "plugin run @/quiet.wasm -e @/web.yaml --old @/other.yaml")
	if code != exitUsage || !strings.Contains(stderr,
		"--old is shop/other, and --event shop/web: they are not the same object") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
