package code

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func entry(t *testing.T, f *codeFolder, name string) *codeEntry {
	t.Helper()
	e, err := f.entry(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// seal makes an entry with one file, in a folder of its own.
func seal(t *testing.T, f *codeFolder, name, text string) *codeEntry {
	t.Helper()
	e := entry(t, f, name)
	if err := os.MkdirAll(filepath.Join(e.path, "v1"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(e.path, "v1", "code"), text)
	if err := e.seal(); err != nil {
		t.Fatalf("sealed: %v", err)
	}
	return e
}

func TestAnEntryIsGivenOutAsItWasSealed(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "compiled"))
	if e := entry(t, f, "a"); e.files() != 0 || e.damaged != nil {
		t.Errorf("a new one has %d files, %v", e.files(), e.damaged)
	}
	if err := entry(t, f, "a").remove(); err != nil {
		t.Fatal(err)
	}
	seal(t, f, "a", "text")
	seal(t, f, "b", "other text")
	e := entry(t, f, "a")
	if text, err := os.ReadFile(filepath.Join(e.path, "v1", "code")); err != nil ||
		string(text) != "text" || e.files() != 1 || e.damaged != nil {
		t.Errorf("%d files, %q, %v, %v", e.files(), text, err, e.damaged)
	}
	if err := e.seal(); err != nil {
		t.Errorf("sealed again: %v", err)
	}
	writeFile(t, filepath.Join(e.path, "v1", "more"), "")
	if err := e.seal(); err != nil || e.files() != 2 {
		t.Errorf("with one more file: %v", err)
	}
	if e := entry(t, f, "a"); e.files() != 2 || e.damaged != nil {
		t.Errorf("then it has %d files, %v", e.files(), e.damaged)
	}
}

func TestADamagedEntryIsRemoved(t *testing.T) {
	const other = "its files are not those that were written"
	for _, test := range []struct {
		name   string
		damage func(path string) error
		want   string
	}{
		{"changed", func(p string) error {
			return os.WriteFile(p+"/v1/code", []byte("texT"), 0o600)
		}, other},
		{"longer", func(p string) error {
			return os.WriteFile(p+"/v1/code", []byte("text "), 0o600)
		}, other},
		{"cut off", func(p string) error { return os.Truncate(p+"/v1/code", 3) }, other},
		{"empty", func(p string) error { return os.Truncate(p+"/v1/code", 0) }, other},
		{"missing", func(p string) error { return os.Remove(p + "/v1/code") }, other},
		{"moved", func(p string) error { return os.Rename(p+"/v1/code", p+"/v1/Code") }, other},
		{"one too many", func(p string) error {
			return os.WriteFile(p+"/v1/more", nil, 0o600)
		}, other},
		{"digests cut off", func(p string) error { return os.Truncate(p+"/sums", 0) }, other},
		{"digests missing", func(p string) error {
			return os.Remove(p + "/sums")
		}, "it was not completed"},
		{"a link", func(p string) error {
			return os.Symlink("/etc/passwd", p+"/v1/link")
		}, "v1/link is not a regular file"},
		{"the same behind a link", func(p string) error {
			if err := os.Rename(p+"/v1/code", p+".code"); err != nil {
				return err
			}
			return os.Symlink(p+".code", p+"/v1/code")
		}, "v1/code is not a regular file"},
		{"itself a link", func(p string) error {
			if err := os.Rename(p, p+".moved"); err != nil {
				return err
			}
			return os.Symlink(p+".moved", p)
		}, "it is not a folder"},
		{"a file", func(p string) error {
			if err := os.RemoveAll(p); err != nil {
				return err
			}
			return os.WriteFile(p, nil, 0o600)
		}, "it is not a folder"},
		{"digests that are a folder", func(p string) error {
			if err := os.Remove(p + "/sums"); err != nil {
				return err
			}
			return os.Mkdir(p+"/sums", 0o700)
		}, "is a directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := open(t, filepath.Join(t.TempDir(), "compiled"))
			if err := test.damage(seal(t, f, "a", "text").path); err != nil {
				t.Fatal(err)
			}
			e := entry(t, f, "a")
			if e.files() != 0 || e.damaged == nil ||
				!strings.HasSuffix(e.damaged.Error(), test.want) {
				t.Errorf("%d files, got %v, want %s", e.files(), e.damaged, test.want)
			}
			if left, err := os.ReadDir(e.path); err != nil || len(left) != 0 {
				t.Errorf("left: %v, %v", left, err)
			}
			if e := seal(t, f, "b", "text"); e.files() != 1 {
				t.Error("another entry cannot be made")
			}
		})
	}
}

// One process removes an entry, or the folder, that another one is making.
func TestSealingAnEntryThatIsGoneFails(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "compiled"))
	e := entry(t, f, "a")
	if err := e.remove(); err != nil {
		t.Fatal(err)
	}
	if err := e.seal(); err == nil {
		t.Error("no error")
	}
	if err := os.RemoveAll(f.path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.entry("a"); err == nil {
		t.Error("no error without the folder")
	}
}
