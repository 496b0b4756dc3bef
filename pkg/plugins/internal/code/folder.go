package code

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	keepEntries   = 30 * 24 * time.Hour // an entry that nobody asks for
	maxFolderSize = 1 << 30             // bytes of all entries
)

// codeFolder holds entries.
type codeFolder struct{ path string }

// openFolder makes a folder, with those above it, or checks the one that is there.
func openFolder(path string) (*codeFolder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	owner, known := ownerOf(info)
	if !known {
		owner = os.Geteuid()
	}
	if err := check(path, info.Mode(), owner, os.Geteuid()); err != nil {
		return nil, err
	}
	f := &codeFolder{path}
	if err := f.removeOld(time.Now().Add(-keepEntries)); err != nil {
		return nil, err
	}
	return f, f.trim()
}

// check returns why a folder is not its owner's alone, and what to do about it.
func check(path string, mode fs.FileMode, owner, self int) error {
	const reason = "its code is run by informerd, so it must be out of everybody else's reach"
	switch {
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link: %s; name the folder itself", path, reason)
	case !mode.IsDir():
		return fmt.Errorf("%s is not a folder; move it away, or name another one", path)
	case owner != self:
		return fmt.Errorf("%s belongs to the user %d, and informerd runs as %d: %s; remove it, and it is created again", path, owner, self, reason)
	case mode.Perm()&0o077 != 0 && ownersAreKnown:
		return fmt.Errorf("%s is open to others (mode %04o): %s; remove it, and it is created again, or chmod 0700 it if nobody else "+
			"has written to it", path, mode.Perm(), reason)
	}
	return nil
}

// removeOld removes what was used last before some time.
func (f *codeFolder) removeOld(before time.Time) error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.ModTime().After(before) { // or another process has removed it
			continue
		}
		if err := os.RemoveAll(filepath.Join(f.path, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// trim removes the entries that were not asked for longest, until the rest have no more than 1 GiB.
// The latest one stays.
func (f *codeFolder) trim() error { return f.trimTo(maxFolderSize) }

func (f *codeFolder) trimTo(most int64) error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	type aged struct {
		path string
		used time.Time
	}
	var all []aged
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // or another process has removed it
			all = append(all, aged{filepath.Join(f.path, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b aged) int { return b.used.Compare(a.used) })
	sum := int64(0)
	for i, e := range all {
		if sum += sizeOf(e.path); sum <= most || i == 0 {
			continue
		}
		if err := os.RemoveAll(e.path); err != nil {
			return err
		}
	}
	return nil
}

// sizeOf is that of all files below a path, as far as they can be seen.
func sizeOf(path string) (sum int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it is gone
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
