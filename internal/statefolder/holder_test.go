package statefolder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A process that lives is named, others are not.
func TestHint(t *testing.T) {
	dir := t.TempDir()
	parent := os.Getppid()
	for text, want := range map[string]string{
		fmt.Sprintf("%d\n", parent): fmt.Sprintf("stop it (process %d), or", parent),
		"2147483646\n":              "stop it, or", "": "stop it, or", "x": "stop it, or",
		"-1": "stop it, or",
	} {
		if err := os.WriteFile(filepath.Join(dir, LockFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := holderHint(dir); !strings.Contains(got, want) {
			t.Errorf("%q: %s", text, got)
		}
	}
	f, err := os.Create(filepath.Join(dir, LockFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	MarkHolder(f)
	text, err := os.ReadFile(f.Name())
	if err != nil || string(text) != fmt.Sprintf("%d\n", os.Getpid()) || holderOf(dir) != 0 {
		t.Errorf("%q, %v, %d", text, err, holderOf(dir))
	}
	if holderHint(filepath.Join(dir, "none")) == "" {
		t.Error("a folder that is not there has no hint")
	}
}
