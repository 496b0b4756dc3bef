package pagetest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/cli"
	"github.com/informerd/informerd/internal/pages"
	"github.com/informerd/informerd/internal/secret/tlstest"
)

const (
	root = "../.."
	// asInformerd is the variable that makes this test program act as informerd.
	asInformerd = "INFORMERD_IN_TEST"
)

var update = flag.Bool("update", false, "write the output of commands in pages of docs again")

func TestMain(m *testing.M) {
	if os.Getenv(asInformerd) != "" {
		os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func all(t *testing.T) []*pages.Page {
	t.Helper()
	found, err := pages.All(root)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestPages holds every block of every page to what package pagetest says of it.
func TestPages(t *testing.T) {
	for _, p := range all(t) {
		if len(p.Blocks) == 0 {
			continue
		}
		t.Run(p.Path, func(t *testing.T) {
			r := newReader(t, p)
			for _, b := range p.Blocks {
				r.block(b)
			}
			for _, problem := range r.problems {
				t.Error(problem)
			}
			r.write()
		})
	}
}

// reader runs the blocks of one page.
type reader struct {
	t       *testing.T
	page    *pages.Page
	dir     string // with the files of the page
	outputs map[int]string
	// problems are what is wrong, with places.
	problems []string
}

// The files that configurations of pages name, and the variables.
const signingKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

var variable = regexp.MustCompile(`fromEnv: *"?([A-Z_0-9]+)`)
var namedFile = regexp.MustCompile(`(?:fromFile|kubeconfig): *"?([^\s,}"]+)`)

func newReader(t *testing.T, p *pages.Page) *reader {
	t.Helper()
	r := &reader{t: t, page: p, dir: t.TempDir(), outputs: map[int]string{}}
	for _, b := range p.Blocks {
		if b.Name != "" {
			r.file(b.Name, b.Text)
		}
		for _, m := range variable.FindAllStringSubmatch(b.Text, -1) {
			t.Setenv(m[1], secretFor(m[1]))
		}
		for _, m := range namedFile.FindAllStringSubmatch(b.Text, -1) {
			if !filepath.IsAbs(m[1]) {
				r.file(m[1], secretFor(m[1]))
			}
		}
	}
	if strings.Contains(p.Text, ".pem") {
		tls := tlstest.NewFolder(t, tlstest.New(t, "hooks.internal"))
		for name, from := range map[string]string{"ca.pem": "ca", "client.pem": "cert",
			"client-key.pem": "key"} {
			text, err := os.ReadFile(tls.Path(from))
			if err != nil {
				t.Fatal(err)
			}
			r.file(filepath.Join("secrets", name), string(text))
		}
	}
	// The rest is as in the repository, where a reader of README.md is.
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			_ = os.Symlink(filepath.Join(absolute, e.Name()), filepath.Join(r.dir, e.Name()))
		}
	}
	return r
}

// secretFor returns a value of the form that a secret of this name has.
func secretFor(name string) string {
	lower := strings.ToLower(name)
	switch {
	case strings.Contains(lower, "slack"):
		return "https://hooks.slack.com/services/1"
	case strings.Contains(lower, "url"):
		return "https://hooks.example.com/in"
	case strings.Contains(lower, "key"):
		return signingKey
	}
	return "hunter2"
}

func (r *reader) file(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// words are those that may be behind a language.
var words = []string{"cluster", "input", "warned", "wrong"}

// block runs a block, or finds who does.
func (r *reader) block(b pages.Block) {
	r.t.Helper()
	first, _, _ := strings.Cut(b.Text, "\n")
	if exceptions[[2]string{r.page.Path, first}] != "" || elsewhere(r.page, b) != nil {
		return
	}
	if b.Generated != "" {
		if !generators(r.t)[b.Generated] {
			r.errorf(b, "no test names the generated part %q", b.Generated)
		}
		return
	}
	if b.Language != "expr" {
		for _, w := range b.Words {
			if !slices.Contains(words, w) && !strings.HasPrefix(w, "from=") {
				r.errorf(b, "unknown word %q behind the language; there are %q", w, words)
			}
		}
	}
	if path := b.From(); path != "" {
		r.inFile(b, path)
		if b.Language != "yaml" || !strings.Contains(b.Text, "informerd.dev/") {
			return
		}
	}
	switch {
	case b.Has("cluster") && (b.Language == "console" || b.Language == "json" ||
		b.Language == "diff"):
		// internal/e2e
	case b.Language == "yaml" || b.Language == "yml":
		r.yaml(b)
	case b.Language == "console":
		r.console(b)
	case b.Language == "sh":
		r.shell(b)
	case b.Language == "expr":
		r.expressions(b)
	case b.Language == "diagram", b.Language == "" && r.page.Path == "ARCHITECTURE.md":
		// a picture
	case b.Has("input"):
		r.input(b)
	default:
		r.errorf(b, "nothing runs this block: see CONTRIBUTING.md for how to mark it")
	}
}

// errorf reports what is wrong with a block, with its place.
func (r *reader) errorf(b pages.Block, format string, args ...any) {
	r.t.Helper()
	r.problems = append(r.problems,
		fmt.Sprintf("%s:%d: %s", r.page.Path, b.Line, fmt.Sprintf(format, args...)))
}

// inFile checks that a file of the repository has the block's text.
func (r *reader) inFile(b pages.Block, path string) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil || !strings.Contains(string(text), b.Text) {
		r.errorf(b, "%s does not have this text (%v)", path, err)
	}
}

// input checks that commands of the page read the block's file.
func (r *reader) input(b pages.Block) {
	r.t.Helper()
	for _, c := range r.page.Blocks {
		if b.Name != "" && (c.Language == "console" || c.Language == "sh") &&
			strings.Contains(c.Text, b.Name) {
			return
		}
	}
	r.errorf(b, "no command of the page reads the file %q", b.Name)
}

var generatorNames map[string]bool

var quotedName = regexp.MustCompile(`"([a-z][a-z0-9-]*)"`)

// generators returns the words in quotes in all tests, which have the names of what they generate.
func generators(t *testing.T) map[string]bool {
	t.Helper()
	if generatorNames != nil {
		return generatorNames
	}
	generatorNames = map[string]bool{}
	for _, pattern := range []string{"internal/*/*_test.go", "pkg/*/*_test.go",
		"configs/*_test.go", "dev/*/*_test.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range quotedName.FindAllSubmatch(text, -1) {
				generatorNames[string(m[1])] = true
			}
		}
	}
	return generatorNames
}
