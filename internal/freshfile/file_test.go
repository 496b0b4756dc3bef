package freshfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func write(t *testing.T, path, text string) {
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

func expect(t *testing.T, f *File, want string) (version int) {
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
		write(t, path, "a")
		age(t, path)
		f := &File{Path: path, Max: 10}
		first := expect(t, f, "a")
		write(t, path, "b")
		if expect(t, f, "a") != first {
			t.Error("looked at twice in a second")
		}
		time.Sleep(lookEvery)
		second := expect(t, f, "b")
		if second == first {
			t.Error("a change without another version")
		}
		age(t, path)
		time.Sleep(lookEvery)
		third := expect(t, f, "b")
		time.Sleep(time.Hour)
		if expect(t, f, "b") != third {
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
			write(t, filepath.Join(dir, name, "token"), name)
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
		f := &File{Path: filepath.Join(dir, "token"), Max: 10}
		if err := os.Symlink("..data/token", f.Path); err != nil {
			t.Fatal(err)
		}
		expect(t, f, "one")
		link("two")
		time.Sleep(lookEvery)
		expect(t, f, "two")
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
		write(t, filepath.Join(dir, "large"), "hunter2hunter2")
		for file, want := range map[string]string{
			path:                        "cannot be read: no such file",
			dir:                         "it is not a regular file",
			pipe:                        "it is not a regular file",
			filepath.Join(dir, "large"): "has more than 10 bytes",
		} {
			data, _, err := (&File{Path: file, Max: 10}).Read()
			if err == nil || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), file) || data != nil {
				t.Errorf("%s: got %q, %v, want %s", file, data, err, want)
			}
		}

		f := &File{Path: path, Max: 10}
		write(t, path, "a")
		expect(t, f, "a")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(lookEvery)
		if data, _, err := f.Read(); err == nil || data != nil {
			t.Errorf("the earlier content is in use: %q", data)
		}
		write(t, path, "b")
		time.Sleep(lookEvery)
		expect(t, f, "b")
	})
}
