package monitoring

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
)

var (
	promqlBlock = regexp.MustCompile("(?ms)^```promql\n(.*?)^```$")
	metric      = regexp.MustCompile(`\binformerd_[a-z_]+`)
)

// TestExpressionsOfPages parses the expressions of Prometheus on the pages of the documentation. An
// empty line separates those of one block. Their metrics are informerd's.
func TestExpressionsOfPages(t *testing.T) {
	known := read(t, "internal/endpoints/testdata/metrics.txt")
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" ||
			strings.Contains(path, "node_modules") {
			return err
		}
		for _, m := range promqlBlock.FindAllStringSubmatch(read(t, path), -1) {
			for text := range strings.SplitSeq(strings.TrimSpace(m[1]), "\n\n") {
				if _, err := parser.NewParser(parser.Options{}).ParseExpr(text); err != nil {
					t.Errorf("%s: %s: %v", path, text, err)
				}
				for _, name := range metric.FindAllString(text, -1) {
					name = strings.TrimSuffix(name, "_bucket")
					if !strings.Contains(known, "# TYPE "+name+" ") &&
						!strings.Contains(known, "# TYPE "+strings.TrimSuffix(
							strings.TrimSuffix(name, "_count"), "_sum")+" ") {
						t.Errorf("%s: informerd has no metric %s", path, name)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
