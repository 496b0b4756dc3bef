package pagetest

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/pages"
)

// another is a test that runs blocks of pages.
type another struct {
	pages     string // a pattern as of path.Match
	languages string // "" is all
	file      string // where the test is
	test      string
}

// others are the tests that run blocks of certain pages, or of certain languages.
var others = []another{
	{"*", "events", "internal/daemon/docs_events_test.go", "func TestEventsOfPages("},
	{"*", "promql", "dev/tools/monitoring/promql_test.go", "func TestExpressionsOfPages("},
	{"docs/expressions.md", "expr data", "internal/daemon/docs_expressions_test.go", "func TestExpressionPages("},
	{"docs/outputs.md", "yaml http json", "internal/daemon/docs_outputs_test.go", "func TestOutputsPage("},
	{"docs/outputs.md", "console", "internal/cli/docs_outputs_test.go", "func TestOutputsPage("},
	{"docs/command-line.md", "", "internal/cli/command_line_test.go", "func TestHelp("},
	{"docs/writing-handlers.md", "", "internal/e2e/handlers_page_test.go",
		"func TestWritingHandlers("},
	{"configs/policies/README.md", "", "configs/policies_test.go", "func TestReadmeExplains("},
	{"plugins/sdk/*/README.md", "", "pkg/plugins/guests_test.go", "func TestSDKReadmes("},
	{"plugins/examples/*/README.md", "", "plugins/test", "for readme in examples/*/README.md"},
	{"bench/RESULTS.md", "", "bench/cmd/informerbench/main_test.go", "RESULTS.md"},
}

// exceptions are blocks that nothing runs, by their page and first line.
var exceptions = map[[2]string]string{
	{"docs/status.md", "$ informerd status --config informerd.yaml"}:         "the story status",
	{"docs/rights.md", "account: system:serviceaccount:informerd:informerd"}: "the story rbac",
}

// elsewhere returns the test that runs a block, or nil.
func elsewhere(p *pages.Page, b pages.Block) *another {
	for i, o := range others {
		fits, _ := path.Match(o.pages, p.Path)
		if (fits || o.pages == "*") &&
			(o.languages == "" || slices.Contains(strings.Fields(o.languages), b.Language)) {
			return &others[i]
		}
	}
	return nil
}

// The tests of the table exist, and every row of both tables is needed.
func TestTables(t *testing.T) {
	for _, o := range others {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(o.file)))
		if err != nil || !strings.Contains(string(text), o.test) {
			t.Errorf("%s does not have %q: %v", o.file, o.test, err)
		}
	}
	used := map[any]bool{}
	for _, p := range all(t) {
		for _, b := range p.Blocks {
			used[elsewhere(p, b)] = true
			first, _, _ := strings.Cut(b.Text, "\n")
			used[[2]string{p.Path, first}] = true
		}
	}
	for i, o := range others {
		if !used[&others[i]] && o.pages != "*" {
			t.Errorf("no block is run by %s of %s", o.test, o.file)
		}
	}
	for e := range exceptions {
		if !used[e] {
			t.Errorf("%s does not have the block %q", e[0], e[1])
		}
	}
}
