package secret

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// age makes a file older than any time that the tests have.
func age(t *testing.T, path string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

func expectFile(t *testing.T, f *file, want string) (version int) {
	t.Helper()
	data, version, err := f.Read()
	if err != nil || string(data) != want {
		t.Fatalf("got %q, %v, want %q", data, err, want)
	}
	return version
}

func TestReadAgainWhenChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "token")
		writeFile(t, path, "a")
		age(t, path)
		f := &file{Path: path, Max: 10}
		first := expectFile(t, f, "a")
		writeFile(t, path, "b")
		if expectFile(t, f, "a") != first {
			t.Error("looked at twice in a second")
		}
		time.Sleep(lookEvery)
		second := expectFile(t, f, "b")
		if second == first {
			t.Error("a change without another version")
		}
		age(t, path)
		time.Sleep(lookEvery)
		third := expectFile(t, f, "b")
		time.Sleep(time.Hour)
		if expectFile(t, f, "b") != third {
			t.Error("another version without a change")
		}
	})
}

// A ConfigMap's files are links through a link that is replaced, as are those of a Secret.
func TestLinkThatLeadsElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		for _, name := range []string{"one", "two"} {
			if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, name, "token"), name)
			age(t, filepath.Join(dir, name, "token"))
		}
		link := func(to string) {
			if err := os.Symlink(to, filepath.Join(dir, "..new")); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(dir, "..new"),
				filepath.Join(dir, "..data")); err != nil {
				t.Fatal(err)
			}
		}
		link("one")
		f := &file{Path: filepath.Join(dir, "token"), Max: 10}
		if err := os.Symlink("..data/token", f.Path); err != nil {
			t.Fatal(err)
		}
		expectFile(t, f, "one")
		link("two")
		time.Sleep(lookEvery)
		expectFile(t, f, "two")
	})
}

func TestUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "token")
		pipe := filepath.Join(dir, "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "large"), "hunter2hunter2")
		for at, want := range map[string]string{
			path:                        "cannot be read: no such file",
			dir:                         "it is not a regular file",
			pipe:                        "it is not a regular file",
			filepath.Join(dir, "large"): "has more than 10 bytes",
		} {
			data, _, err := (&file{Path: at, Max: 10}).Read()
			if err == nil || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), at) || data != nil {
				t.Errorf("%s: got %q, %v, want %s", at, data, err, want)
			}
		}

		f := &file{Path: path, Max: 10}
		writeFile(t, path, "a")
		expectFile(t, f, "a")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(lookEvery)
		if data, _, err := f.Read(); err == nil || data != nil {
			t.Errorf("the earlier content is in use: %q", data)
		}
		writeFile(t, path, "b")
		time.Sleep(lookEvery)
		expectFile(t, f, "b")
	})
}
