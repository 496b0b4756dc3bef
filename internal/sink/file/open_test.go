package file

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What a retry cannot fix is refused at once, and a named pipe without waiting for its reader.
func TestNewRefuses(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"loop": at("loop"), "nowhere": at("missing"),
		"link": at("pipe")} {
		if err := os.Symlink(target, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at("plain"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"":     "file output: the path is empty",
		folder: "file output: " + folder + " is a folder, not a file",
		at("pipe"): "file output: " + at("pipe") +
			" is a named pipe, not a regular file",
		at("link"): "file output: " + at("pipe") +
			" is a named pipe, not a regular file",
		os.DevNull:               "file output: /dev/null is not a regular file (Dcrw-rw-rw-)",
		at("loop"):               "follow the symbolic link",
		at("nowhere"):            "follow the symbolic link",
		at("missing/audit"):      "create the folder of",
		at("plain/audit"):        "not a directory",
		at("nul\x00/audit"):      "invalid argument",
		strings.Repeat("x", 300): "file name too long",
	} {
		s, err := New(Config{Path: path})
		if err == nil {
			closeSink(t, s)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", path, err, want)
		}
	}
	long := Config{Path: at(strings.Repeat("x", 240)), Rotate: Rotate{Size: 1}}
	if _, err := New(long); err == nil || !strings.Contains(err.Error(), "is too long to add") {
		t.Errorf("got %v", err)
	}
}

// A path that turns into something else while informerd runs is not written to either.
func TestAPathThatIsNoFileAnyMore(t *testing.T) {
	d := newDisk(t)
	s := d.start(Config{})
	defer closeSink(t, s)
	write(t, s, some(t, 1, 1)...)
	for _, become := range []func() error{
		func() error { return os.Mkdir(d.path, 0o700) },
		func() error { return syscall.Mkfifo(d.path, 0o600) },
		func() error { return os.Symlink(os.DevNull, d.path) },
	} {
		if err := os.Remove(d.path); err != nil {
			t.Fatal(err)
		}
		if err := become(); err != nil {
			t.Fatal(err)
		}
		errs := s.Write(t.Context(), some(t, 1, 2))
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), "not a") {
			t.Errorf("got %v", errs)
		}
	}
	if err := os.Remove(d.path); err != nil {
		t.Fatal(err)
	}
	write(t, s, some(t, 1, 2)...)
	wantLines(t, d.Taken(), some(t, 1, 2)...)
}

// A link is followed once: the file that it names is written and renamed.
func TestASymbolicLinkIsFollowed(t *testing.T) {
	d, folder := newDisk(t), t.TempDir()
	target, link := filepath.Join(folder, "real.jsonl"), d.path
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	s := d.start(Config{Rotate: Rotate{Size: 1}})
	write(t, s, some(t, 2, 1)...)
	closeSink(t, s)
	if all := allFiles(t, target); len(all) != 2 {
		t.Errorf("files %q", all)
	}
	d.path = target
	wantLines(t, d.Taken(), some(t, 2, 1)...)
	if to, err := os.Readlink(link); err != nil || to != target {
		t.Errorf("the link names %q, %v", to, err)
	}
}
