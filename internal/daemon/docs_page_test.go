package daemon

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is generated in pages of docs again")

// A page of documentation, as its tests see it.
//
// A fenced block has a language and may have a name, which is its first line if that is a comment:
// "# pods.yaml". What stands between <!-- begin NAME --> and <!-- end NAME --> is generated.
type page struct {
	path, text string
	original   string // text as it was read
	blocks     []block
}

type block struct {
	line           int // of the fence
	language, info string
	name, text     string
}

var (
	fenceLine = regexp.MustCompile("^```([a-z]*) ?(.*)$")
	blockName = regexp.MustCompile(`^# (\S+\.yaml)\n`)
)

func readPage(t *testing.T, path string) *page {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{path: path, text: string(text), original: string(text)}
	var open *block
	for i, line := range strings.Split(p.text, "\n") {
		m := fenceLine.FindStringSubmatch(line)
		switch {
		case open == nil && m != nil:
			open = &block{line: i + 1, language: m[1], info: m[2]}
		case open != nil && line == "```":
			if m := blockName.FindStringSubmatch(open.text); m != nil {
				open.name = m[1]
			}
			p.blocks = append(p.blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block does not end", path, open.line)
	}
	return p
}

// named returns the block of a name.
func (p *page) named(t *testing.T, name string) block {
	t.Helper()
	i := slices.IndexFunc(p.blocks, func(b block) bool { return b.name == name })
	if i < 0 {
		t.Fatalf("%s: there is no block %s", p.path, name)
	}
	return p.blocks[i]
}

// generated holds a generated part against what it should be, or writes it.
func (p *page) generated(t *testing.T, name, want string) {
	t.Helper()
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, ok := strings.Cut(p.text, begin)
	got, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Errorf("%s: there is no %s%s", p.path, begin, end)
		return
	}
	if want = strings.TrimRight(want, "\n") + "\n"; got == want {
		return
	}
	if !*update {
		t.Errorf("%s: %s is\n%s\nand should be as follows; write it with make docs\n%s", p.path,
			name, got, want)
		return
	}
	p.text = before + begin + want + end + after
	if err := os.WriteFile(p.path, []byte(p.text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func fenced(language, text string) string {
	return "```" + language + "\n" + strings.TrimRight(text, "\n") + "\n```\n"
}

var (
	link    = regexp.MustCompile(`\]\(([^)]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// brokenLinks are those to files that do not exist, and to headings that the page does not have.
func (p *page) brokenLinks() (broken []string) {
	anchors := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(p.text, -1) {
		anchors[strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ",
			"-")] = true
	}
	for _, m := range link.FindAllStringSubmatch(p.text, -1) {
		target, anchor, _ := strings.Cut(m[1], "#")
		if strings.Contains(target, "://") {
			continue
		}
		if target == "" && !anchors[anchor] {
			broken = append(broken, m[1])
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(p.path),
			filepath.FromSlash(target))); err != nil {
			broken = append(broken, m[1])
		}
	}
	return broken
}

var inlineCode = regexp.MustCompile("`([^`]+)`")

// inlineExpressions are the pieces of code in the page's sentences that are expressions: that name
// object or old, or call something, and leave nothing out.
func (p *page) inlineExpressions(generated string) (all []string) {
	text, inBlock := "", false
	for line := range strings.Lines(strings.Replace(p.text, generated, "", 1)) {
		if strings.HasPrefix(line, "```") {
			inBlock = !inBlock
		} else if !inBlock {
			text += line
		}
	}
	for _, m := range inlineCode.FindAllStringSubmatch(text, -1) {
		code := m[1]
		if strings.Contains(code, "…") || !strings.Contains(code, "object.") &&
			!strings.Contains(code, "old.") && !strings.Contains(code, "(") {
			continue
		}
		all = append(all, code)
	}
	return all
}

func TestAPageIsReallyRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	text := "# One\n\n[a](#one) [b](#two) [c](gone.md) [d](page.md) [e](https://example.com)\n\n" +
		"`object.a == 1`, `any(…)`, `len(old.b)`, `text`\n\n```yaml\n# x.yaml\na: b\n```\n\n```events x\n`object.x`\n```\n" +
		"<!-- begin g -->\n`object.g`\n<!-- end g -->\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := readPage(t, path)
	got := fmt.Sprint(p.brokenLinks(), p.inlineExpressions("`object.g`"), p.named(t, "x.yaml"),
		p.blocks[1])
	want := "[#two gone.md] [object.a == 1 len(old.b)] {7 yaml  x.yaml # x.yaml\na: b\n} {12 events x  `object.x`\n}"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
