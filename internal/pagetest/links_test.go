package pagetest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/pages"
)

// Every link of a page leads to a file of the repository and, if it names a place of a page, to a
// heading of that.
func TestLinks(t *testing.T) {
	byPath := map[string]*pages.Page{}
	for _, p := range all(t) {
		byPath[p.Path] = p
	}
	for _, p := range byPath {
		if strings.HasPrefix(p.Path, "plugins/sdk/assemblyscript/") {
			continue // its links are those of the package as npm has it
		}
		for _, l := range p.Links() {
			if strings.Contains(l.Target, "://") || strings.HasPrefix(l.Target, "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(l.Target, "#")
			target := p.Path
			if file != "" {
				target = path.Join(path.Dir(p.Path), file)
			}
			if strings.HasPrefix(target, "..") {
				t.Errorf("%s:%d: %s leads out of the repository", p.Path, l.Line, l.Target)
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s:%d: %s leads nowhere", p.Path, l.Line, l.Target)
			} else if anchor != "" && byPath[target] != nil &&
				!byPath[target].Anchors()[anchor] {
				t.Errorf("%s:%d: %s has no heading %s", p.Path, l.Line, target, anchor)
			}
		}
	}
}

var listed = regexp.MustCompile(`(?m)^- \[([^\]]+)\]\(([^)]+)\): `)

// docs/README.md is the list of pages that the site's navigation is made of: it has each of them,
// once.
func TestContents(t *testing.T) {
	list, err := pages.Read(root, "docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, m := range listed.FindAllStringSubmatch(list.Text, -1) {
		times[m[2]]++
	}
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		name := filepath.Base(file)
		if n := times[name]; name != "README.md" && n != 1 {
			t.Errorf("docs/README.md lists %s %d times; it lists each page once", name, n)
		}
	}
	if len(times) != len(found)-1 {
		t.Errorf("docs/README.md lists %d pages, and there are %d", len(times), len(found)-1)
	}
}
