package image

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// copied returns what the Dockerfile copies from the repository: sources, and where they go.
func copied(t *testing.T) (sources [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 2 && words[0] == "COPY" && !strings.HasPrefix(words[1], "--") {
			sources = append(sources, words[1:])
		}
	}
	if len(sources) < 3 {
		t.Fatalf("the Dockerfile copies %q", sources)
	}
	return sources
}

// The files that the Dockerfile copies are enough to build informerd, embedded ones included.
func TestContext(t *testing.T) {
	dir := t.TempDir()
	for _, words := range copied(t) {
		from, to := words[:len(words)-1], words[len(words)-1]
		for _, source := range from {
			info, err := os.Stat(filepath.Join(root, source))
			if err != nil {
				t.Fatalf("COPY %s: %v", strings.Join(words, " "), err)
			}
			target := filepath.Join(dir, to)
			if strings.HasSuffix(to, "/") && !info.IsDir() {
				target = filepath.Join(target, filepath.Base(source))
			}
			if err := copyAll(filepath.Join(root, source), target); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, list := range [][]string{
		{dir, "-deps", "./cmd/informerd"},
		{filepath.Join(dir, "dev/image"), "tool"},
	} {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"list"}, list[1:]...)...)
		cmd.Dir = list[0]
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v\n%.2000s", cmd, err, stderr.String())
		}
	}
}

// copyAll copies a file or a folder, without what .dockerignore keeps out.
func copyAll(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		switch {
		case e.IsDir() && e.Name() == "node_modules":
			return fs.SkipDir
		case e.IsDir():
			return os.MkdirAll(target, 0o700)
		case !e.Type().IsRegular():
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
}
