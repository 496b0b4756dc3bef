package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/cli/manual"
)

// docs/command-line.md is made of the commands; make docs writes it.
func TestCommandLinePage(t *testing.T) {
	got := manual.Markdown(newRoot(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}))
	page := filepath.Join("..", "..", "docs", "command-line.md")
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what the commands say: make docs", page)
	}
}

// Every command has a man page, which is the same whenever it is written, and in which the checkers
// that there are find nothing.
func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"man", dir}, &stdout, &stderr); code != exitOK {
		t.Fatal(stderr.String())
	}
	var want []string
	root := newRoot(strings.NewReader(""), &stdout, &stdout)
	want = append(want, "informerd.1")
	every(root, func(path string, _ *cobra.Command) {
		want = append(want, "informerd-"+strings.ReplaceAll(path, " ", "-")+".1")
	})
	slices.Sort(want)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	checkers := [][]string{{"mandoc", "-T", "lint", "-W", "error"},
		{"man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"}}
	for _, checker := range checkers {
		path, err := exec.LookPath(checker[0])
		if errors.Is(err, exec.ErrNotFound) {
			t.Logf("the pages are not checked with %s, which is not installed", checker[0])
			continue
		}
		for _, name := range got {
			cmd := exec.Command(path, append(checker[1:], filepath.Join(dir, name))...)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if checker[0] == "mandoc" {
				errs.Write(out)
			}
			if err != nil || errs.Len() > 0 {
				t.Errorf("%s: %s: %v\n%s", name, checker[0], err, errs.String())
			}
		}
	}
	stdout.Reset()
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"man", exitUsage, "informerd: informerd man takes one folder, found 0\n"},
		{"man a b", exitUsage, "informerd: informerd man takes one folder, found 2\n"},
		{"man " + filepath.Join(dir, "informerd.1"), exitRun,
			"informerd: the man pages cannot be written: "},
	} {
		stderr.Reset()
		if code := Main(strings.Fields(c.args), &stdout, &stderr); code != c.code ||
			!strings.HasPrefix(stderr.String(), c.want) {
			t.Errorf("%s: exit code %d\n%s", c.args, code, stderr.String())
		}
	}
}

// Every command says what it does, at what length it is, and has an example that begins with it or
// pipes into it. Examples are command lines that the command understands.
func TestHelp(t *testing.T) {
	root := newRoot(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	every(root, func(path string, cmd *cobra.Command) {
		if cmd.Example == "" {
			t.Errorf("%s has no example", path)
		}
		for line := range strings.Lines(cmd.Long) {
			if strings.HasPrefix(line, "  ") {
				understood(t, strings.TrimSuffix(line, "\n"))
			}
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: %q", path, cmd.Short)
		}
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSuffix(line, "\n")
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line+" ", "informerd "+path+" ") &&
				!cmd.HasSubCommands() {
				t.Errorf("%s: the example %q is of another command", path, line)
			}
			understood(t, line)
		}
	})
	used := map[string]bool{"": true}
	every(root, func(path string, cmd *cobra.Command) {
		used[path] = cmd.Example == manual.ExampleOf(path)
	})
	for path := range manual.Examples {
		if !used[path] {
			t.Errorf("the examples of %q are shown nowhere", path)
		}
	}
}

// asCommand is informerd where a shell has a command, and its arguments.
var asCommand = regexp.MustCompile(`(?:^|[(&;=])\s*(?:sudo )?informerd (.*)`)

// understood checks that each informerd in a line of shell has a command and flags that there are.
func understood(t *testing.T, line string) {
	for _, part := range strings.FieldsFunc(line, func(r rune) bool { return r == '|' || r == '>' }) {
		call := asCommand.FindStringSubmatch(part)
		if call == nil {
			continue
		}
		args := strings.Fields(strings.NewReplacer("'", "", ")", "").Replace(call[1]))
		root := newRoot(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
		cmd, rest, err := root.Find(args)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil || cmd == root {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// A page that cannot be written is an error, also where others could be.
func TestManPagesNeedAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root := newRoot(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	var path *fs.PathError
	if n, err := manual.WriteMan(root, file); n != 0 || !errors.As(err, &path) {
		t.Errorf("got %d, %v", n, err)
	}
}
