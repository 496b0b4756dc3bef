package author

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/testcache"
	"github.com/informerd/informerd/pkg/plugins"
)

func TestMain(m *testing.M) {
	plugins.CompilerMain()
	removeCache := testcache.Use()
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		removeCache()
		os.Exit(code)
	}))
}

const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": "web-1", "labels": {"app": "web"}}}`

// write writes a file into a folder of the test's and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "POD", pod)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
