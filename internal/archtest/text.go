package archtest

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxColumns is how wide a line may be, and tabColumns what a tab counts.
const (
	maxColumns = 100
	tabColumns = 4
)

// text is prose of a file: a group of comments, a string literal, or a paragraph of Markdown.
type text struct {
	line   int // of its begin
	string     // in one line each, joined by spaces
	breaks []int
}

// lineAt returns the line of the text's byte at.
func (t text) lineAt(at int) int {
	line := t.line
	for _, b := range t.breaks {
		if b <= at {
			line++
		}
	}
	return line
}

// add appends a line.
func (t *text) add(line string) {
	if t.string != "" || len(t.breaks) > 0 {
		t.string += " "
		t.breaks = append(t.breaks, len(t.string))
	}
	t.string += strings.TrimSpace(line)
}

// prose is a file whose words and lines are checked.
type prose struct {
	path  string
	texts []text
	wide  []int // lines that are too wide and could be wrapped
}

// loadProse reads the comments and string literals of all Go files, and the Markdown.
func loadProse(repo fs.FS) ([]prose, error) {
	var found []prose
	err := fs.WalkDir(repo, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped(name, d.Name()) || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		switch path.Ext(name) {
		case ".go":
			content, err := fs.ReadFile(repo, name)
			if err != nil {
				return err
			}
			found = append(found, goProse(name, content))
		case ".md":
			content, err := fs.ReadFile(repo, name)
			if err != nil {
				return err
			}
			found = append(found, markdownProse(name, string(content)))
		}
		return nil
	})
	return found, err
}

func goProse(name string, content []byte) prose {
	s := prose{path: name}
	set := token.NewFileSet()
	f := set.AddFile(name, set.Base(), len(content))
	var sc scanner.Scanner
	sc.Init(f, content, nil, scanner.ScanComments)
	var comments text
	last := 0 // line of the last comment of the group
	flush := func() {
		if comments.string != "" {
			s.texts = append(s.texts, comments)
		}
		comments = text{}
	}
	unbroken := map[int]bool{} // lines whose column maxColumns is within a literal or a long word
	output := false            // in the expected output of an example
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			break
		}
		at := f.Position(pos)
		switch tok {
		case token.COMMENT:
			if at.Line != last+1 {
				flush()
				output = false
			}
			last = at.Line
			body := strings.TrimPrefix(lit, "//")
			output = output || strings.HasPrefix(strings.ToLower(strings.TrimSpace(body)),
				"output:")
			if output || strings.HasPrefix(lit, "//go:") ||
				!strings.Contains(strings.TrimSpace(body), " ") ||
				strings.HasPrefix(body, "  ") || strings.HasPrefix(body, "\t") ||
				strings.HasPrefix(body, " |") {
				unbroken[at.Line] = true
			}
			if comments.string == "" {
				comments.line = at.Line
			}
			for line := range strings.Lines(lit) {
				comments.add(strings.TrimPrefix(strings.TrimSpace(line), "//"))
			}
		case token.STRING, token.CHAR:
			for i := range strings.Count(lit, "\n") + 1 {
				unbroken[at.Line+i] = true
			}
			if unquoted, err := strconv.Unquote(lit); err == nil &&
				strings.Contains(unquoted, " ") {
				t := text{line: at.Line}
				for line := range strings.Lines(unquoted) {
					t.add(line)
				}
				s.texts = append(s.texts, t)
			}
		}
	}
	flush()
	n := 0
	for line := range bytes.Lines(content) {
		n++
		if columns(string(bytes.TrimRight(line, "\n"))) > maxColumns && !unbroken[n] {
			s.wide = append(s.wide, n)
		}
	}
	return s
}

func columns(line string) int {
	return utf8.RuneCountInString(line) + strings.Count(line, "\t")*(tabColumns-1)
}

// markdownSource reads paragraphs. Code is not prose, and tables cannot be wrapped.
func markdownProse(name, content string) prose {
	s := prose{path: name}
	var t text
	flush := func() {
		if t.string != "" {
			s.texts = append(s.texts, t)
		}
		t = text{}
	}
	code := false
	n := 0
	for line := range strings.Lines(content) {
		n++
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			flush()
			code = !code
			continue
		case code:
			continue
		case trimmed == "":
			flush()
			continue
		}
		if strings.HasPrefix(trimmed, "|") {
			flush()
		}
		if t.string == "" {
			t.line = n
		}
		t.add(trimmed)
		if columns(strings.TrimRight(line, "\n")) > maxColumns &&
			!strings.HasPrefix(trimmed, "|") &&
			!strings.HasPrefix(trimmed, "#") &&
			strings.Contains(strings.TrimLeft(trimmed, "-*0123456789. "), " ") {
			s.wide = append(s.wide, n)
		}
	}
	flush()
	return s
}

// checkPhrases returns the banned phrases that are used.
func checkPhrases(sources []prose) []string {
	var found []string
	list := compilePhrases(phrases)
	for _, s := range sources {
		if s.path == "internal/archtest/words.go" || s.path == "internal/archtest/text_test.go" {
			continue
		}
		for _, t := range s.texts {
			lower := strings.ToLower(t.string)
			for _, p := range list {
				if !strings.Contains(lower, p.hint) {
					continue
				}
				for _, at := range p.re.FindAllStringIndex(t.string, -1) {
					if p.ok != nil &&
						p.ok.MatchString(t.string[at[0]:min(len(t.string), at[1]+20)]) {
						continue
					}
					found = append(found,
						fmt.Sprintf("%s:%d: %q: write %s", s.path, t.lineAt(at[0]),
							t.string[at[0]:at[1]], p.instead))
				}
			}
		}
	}
	return found
}

// checkWidths returns the lines that are too wide. A line is as wide as the literal in it needs.
func checkWidths(sources []prose) []string {
	var found []string
	for _, s := range sources {
		for _, line := range s.wide {
			found = append(found, fmt.Sprintf("%s:%d: over %d columns: wrap it", s.path, line,
				maxColumns))
		}
	}
	return found
}
