package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config/document"
)

// wrongInRepository are the configurations of the repository that are wrong on purpose, in a way
// that a JSON Schema finds. Those that are wrong in another way are valid for it.
var wrongInRepository = map[string]string{
	"docs/running.md # production.yaml":                         partOfSeveral,
	"internal/e2e/testdata/init.txtar/http.yaml":                partOfSeveral,
	"internal/e2e/testdata/several-files.txtar/here/own.yaml":   partOfSeveral,
	"internal/e2e/testdata/several-files.txtar/changed.yaml":    partOfSeveral,
	"internal/e2e/testdata/several-files.txtar/wrong.yaml":      partOfSeveral,
	"internal/e2e/testdata/bad-configuration.txtar/fields.yaml": "it has misspelt fields",
	"internal/e2e/testdata/bad-configuration.txtar/values.yaml": "it has wrong values",
	"internal/e2e/testdata/grants.txtar/wrong.yaml":             "it has a wrong URL",
	"internal/e2e/testdata/malformed-policy.txtar/member.yaml":  "it has a misspelt field",
}

const partOfSeveral = "it has no outputs: another file that is read with it has them"

// placeholders stand for values in stories and templates.
var placeholders = regexp.MustCompile(`\$\{?[A-Z_]+\}?`)

// fenced are the blocks of a page that are YAML.
var fenced = regexp.MustCompile("(?ms)^```ya?ml([^\n]*)\n(.*?)^```$")

// inStory begins a file of a story.
var inStory = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// TestJSONSchemaTakesTheRepository: the schema takes every configuration and every policy in the
// repository: files, blocks of pages, and files of stories; and each one that is wrong on purpose
// is known by its name.
func TestJSONSchemaTakesTheRepository(t *testing.T) {
	seen, known := 0, map[string]bool{}
	look := func(name, text string) {
		text = placeholders.ReplaceAllString(text, "x")
		var kind *document.Kind
		switch {
		case !strings.Contains(text, "apiVersion: "+APIVersion):
			return
		case document.TextAt("x.yaml", []byte(text), "kind") == Kind:
			kind = configuration
		case document.TextAt("x.yaml", []byte(text), "kind") == PolicyKind:
			kind = policy
		default:
			return
		}
		seen++
		reason, wrong := wrongInRepository[name]
		known[name] = wrong
		switch err := schemaSays(t, kind, text); {
		case err != nil && !wrong:
			t.Errorf("%s: %v", name, err)
		case err == nil && wrong:
			t.Errorf("%s: the JSON Schema takes it, but %s", name, reason)
		}
	}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "bin" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		switch filepath.Ext(path) {
		case ".yaml", ".md", ".txtar":
		default:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch filepath.Ext(path) {
		case ".yaml":
			look(name, string(text))
		case ".txtar":
			files := inStory.FindAllStringSubmatchIndex(string(text), -1)
			for i, at := range files {
				end := len(text)
				if i+1 < len(files) {
					end = files[i+1][0]
				}
				look(name+"/"+string(text[at[2]:at[3]]), string(text[at[1]:end]))
			}
		case ".md":
			for _, block := range fenced.FindAllStringSubmatch(string(text), -1) {
				first, _, _ := strings.Cut(block[2], "\n")
				if !strings.Contains(block[1], "wrong") && !strings.Contains(first, "wrong") {
					look(name+" "+first, block[2])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 150 {
		t.Errorf("only %d configurations were found", seen)
	}
	for name := range wrongInRepository {
		if !known[name] {
			t.Errorf("%s is not there any more", name)
		}
	}
	t.Logf("%d configurations and policies", seen)
}
