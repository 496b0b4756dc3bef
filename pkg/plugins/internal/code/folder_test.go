package code

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string) *codeFolder {
	t.Helper()
	f, err := openFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestOpenMakesTheFolderForItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "compiled")
	for range 2 { // it is there the second time
		open(t, path)
		for _, folder := range []string{path, filepath.Dir(path)} {
			info, err := os.Lstat(folder)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode() != fs.ModeDir|0o700 && ownersAreKnown {
				t.Errorf("%s has the mode %v", folder, info.Mode())
			}
		}
	}
}

func TestOpenRefusesFoldersThatOthersReach(t *testing.T) {
	if !ownersAreKnown {
		t.Skip("modes mean nothing here")
	}
	const reason = "its code is run by informerd, so it must be out of everybody else's reach"
	dir := t.TempDir()
	path := filepath.Join(dir, "compiled")
	chmod := func(mode fs.FileMode) func() error {
		return func() error {
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			return os.Chmod(path, mode)
		}
	}
	for _, test := range []struct {
		name string
		make func() error
		want string
	}{
		{"group", chmod(0o750), "compiled is open to others (mode 0750): " + reason +
			"; remove it, and it is created again, or chmod 0700 it " +
			"if nobody else has written to it"},
		{"others", chmod(0o701), "compiled is open to others (mode 0701): " + reason +
			"; remove it, and it is created again, or chmod 0700 it " +
			"if nobody else has written to it"},
		{"link", func() error {
			return os.Symlink(t.TempDir(), path)
		}, "compiled is a symbolic link: " + reason + "; name the folder itself"},
		{"link to nowhere", func() error {
			return os.Symlink("nowhere", path)
		}, "compiled is a symbolic link: " + reason +
			"; name the folder itself"},
		{"file", func() error {
			return os.WriteFile(path, nil, 0o600)
		}, "compiled is not a folder; move it away, or name another one"},
		{"another user's", func() error {
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			if os.Geteuid() != 0 {
				return errSkip
			}
			return os.Chown(path, 65534, 65534)
		}, fmt.Sprintf("compiled belongs to the user 65534, and informerd runs as %d: %s; remove it, and it is created again", os.Geteuid(), reason)},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer os.RemoveAll(path)
			if err := test.make(); err == errSkip {
				t.Skip("only root can change the owner of folders")
			} else if err != nil {
				t.Fatal(err)
			}
			_, err := openFolder(path)
			if want := dir + "/" + test.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

var errSkip = fmt.Errorf("skip")

func TestOpenSaysWhyThereCanBeNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file, "")
	for _, path := range []string{filepath.Join(file, "compiled"),
		filepath.Join(file, "a", "compiled")} {
		if _, err := openFolder(path); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}

// What nobody asks for goes at the next start, what is asked for stays.
func TestOpenRemovesWhatIsOld(t *testing.T) {
	path := t.TempDir()
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	seal(t, f, "used", "x")
	seal(t, f, "old", "x")
	seal(t, f, "recent", "x")
	for name, age := range map[string]time.Duration{"used": keepEntries + time.Hour,
		"old": keepEntries + time.Hour, "recent": keepEntries - time.Hour} {
		then := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(path, name), then, then); err != nil {
			t.Fatal(err)
		}
	}
	if e := entry(t, f, "used"); e.files() != 1 {
		t.Error("the entry that is used is gone")
	}
	f = open(t, path)
	for name, files := range map[string]int{"used": 1, "old": 0, "recent": 1} {
		if e := entry(t, f, name); e.files() != files || e.damaged != nil {
			t.Errorf("%s: %d files, %v", name, e.files(), e.damaged)
		}
	}
}

// What has not been asked for longest goes first, and the latest entry stays, however large it is.
// Files that are left over from writing count, too.
func TestTrimKeepsWhatWasUsedLast(t *testing.T) {
	const mebi = 1 << 20
	for _, test := range []struct {
		sizes []int64 // of entries, in MiB, the one used last first
		most  int64
		left  int
	}{
		{[]int64{600, 300, 100, 1}, maxFolderSize, 4},
		// each has a few bytes more, of what it was sealed with
		{[]int64{600, 423, 1, 1}, maxFolderSize, 2},
		{[]int64{600, 425, 1, 1}, maxFolderSize, 1},
		{[]int64{1025, 1}, maxFolderSize, 1},
		{[]int64{1, 1, 1025, 1}, maxFolderSize, 2},
		{[]int64{2, 2, 2}, 5 * mebi, 2},
		{nil, maxFolderSize, 0},
	} {
		path := filepath.Join(t.TempDir(), "compiled")
		f := open(t, path)
		for n, size := range test.sizes {
			name := fmt.Sprint("entry", n)
			seal(t, f, name, "x")
			code := filepath.Join(path, name, "v1", "code")
			if err := os.Truncate(code, size*mebi); err != nil { // which takes no room on the disk
				t.Fatal(err)
			}
			if n%2 == 1 {
				if err := os.Rename(code, code+".tmp"); err != nil {
					t.Fatal(err)
				}
			}
			then := time.Now().Add(-time.Duration(n+1) * time.Hour)
			if err := os.Chtimes(filepath.Join(path, name), then, then); err != nil {
				t.Fatal(err)
			}
		}
		trim := f.trim
		if test.most != maxFolderSize {
			trim = func() error { return f.trimTo(test.most) }
		}
		if err := trim(); err != nil {
			t.Fatal(err)
		}
		for n := range test.sizes {
			_, err := os.Stat(filepath.Join(path, fmt.Sprint("entry", n)))
			if there := err == nil; there != (n < test.left) {
				t.Errorf("%d MiB: entry %d is there: %t", test.sizes, n, there)
			}
		}
	}
}
