package pages

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Page is a page of the documentation.
type Page struct {
	Path   string // relative to the repository, with slashes
	Text   string
	Blocks []Block
}

// Block is a fenced block of a page.
type Block struct {
	Line      int // of the fence, from 1
	Language  string
	Words     []string // behind the language
	Name      string   // of the file that the block is, or ""
	Text      string   // without the indentation of the fence
	Generated string   // the name of the generated part that it is in, or ""
}

// Has reports whether a word is in the block's info string.
func (b Block) Has(word string) bool { return slices.Contains(b.Words, word) }

// From returns the file of the repository that has the block's text, or "".
func (b Block) From() string {
	for _, w := range b.Words {
		if path, ok := strings.CutPrefix(w, "from="); ok {
			return path
		}
	}
	return ""
}

var (
	fence    = regexp.MustCompile("^( *)(```+)([A-Za-z0-9+-]*)(.*)$")
	named    = regexp.MustCompile(`^# (\S+\.(?:ya?ml|json|jsonl|txt))\n`)
	beginsAt = regexp.MustCompile(`^<!-- begin (\S+) -->$`)
)

// Parse reads a page.
func Parse(path, text string) (*Page, error) {
	p := &Page{Path: path, Text: text}
	var open *Block
	var indent, ticks, generated string
	for i, line := range strings.Split(text, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case open != nil && m != nil && m[2] == ticks && m[3] == "" && m[4] == "":
			if m := named.FindStringSubmatch(open.Text); m != nil {
				open.Name = m[1]
			}
			p.Blocks = append(p.Blocks, *open)
			open = nil
		case open != nil:
			open.Text += strings.TrimPrefix(line, indent) + "\n"
		case m != nil:
			indent, ticks = m[1], m[2]
			open = &Block{Line: i + 1, Language: m[3], Words: strings.Fields(m[4]),
				Generated: generated}
		case strings.HasPrefix(strings.TrimSpace(line), "~~~"):
			return nil, fmt.Errorf("%s:%d: begin and end blocks with ```, not with ~~~", path, i+1)
		case strings.HasPrefix(line, "<!-- end "):
			generated = ""
		default:
			if m := beginsAt.FindStringSubmatch(line); m != nil {
				generated = m[1]
			}
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s:%d: the block does not end", path, open.Line)
	}
	return p, nil
}

// Read reads a page of a repository.
func Read(root, path string) (*Page, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text))
}

// skipped are folders with files that are not part of the repository, or data of tests.
var skipped = []string{"node_modules", "testdata", "bin", "target", ".git", ".demo"}

// All returns every page of a repository, in the order of their paths.
func All(root string) (all []*Page, err error) {
	err = fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skipped, d.Name()):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		p, err := Read(root, path)
		all = append(all, p)
		return err
	})
	return all, err
}
