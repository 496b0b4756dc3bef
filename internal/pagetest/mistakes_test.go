package pagetest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/cli"
	"github.com/informerd/informerd/internal/pages"
)

// TestMistakes writes what README.md shows of mistakes: those of its configuration with two slips.
func TestMistakes(t *testing.T) {
	p, err := pages.Read(root, "README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, b := range p.Blocks {
		if b.Language == "yaml" {
			text = b.Text
		}
	}
	slips := strings.NewReplacer("filter:", "fliter:", "object.status.phase", "object.status.phse")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("config.yaml", []byte(slips.Replace(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if cli.Main([]string{"validate", "config.yaml"}, &out, &out) == 0 {
		t.Fatal("the slips are no mistakes")
	}
	generated(t, "README.md", "mistakes", "```\n"+strings.TrimRight(out.String(), "\n")+"\n```\n")
}

var repository, _ = filepath.Abs(root)

// generated compares a generated part of a page with what it should be, or writes it.
func generated(t *testing.T, page, name, want string) {
	t.Helper()
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	p, err := pages.Read(repository, page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(p.Text, begin)
	got, after, ended := strings.Cut(rest, end)
	switch {
	case !ok || !ended:
		t.Errorf("%s has no %s", page, begin)
	case got == want:
	case *update:
		if err := os.WriteFile(filepath.Join(repository, page),
			[]byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s of %s should be as follows; write it with make docs\n%s", name, page, want)
	}
}
