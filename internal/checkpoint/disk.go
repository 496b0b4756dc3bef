package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// disk is the file system. Tests have one that loses what was not synced.
type disk interface {
	// MakeDir makes a folder, and those around it, unless it exists.
	MakeDir(dir string) error
	// Lock locks a file, and makes it if there is none. The error is ErrLocked if it is locked.
	Lock(path string) (io.Closer, error)
	// List returns the files of a folder.
	List(dir string) ([]entry, error)
	// Open opens a file for reading.
	Open(path string) (file, error)
	// Create makes an empty file for writing, in place of what there is.
	Create(path string) (file, error)
	// Append opens a file for writing at its end.
	Append(path string) (file, error)
	Rename(from, to string) error
	Remove(path string) error
	// SyncDir writes the names of a folder to the disk.
	SyncDir(dir string) error
}

// file is an open file. Write writes at the end.
type file interface {
	io.ReaderAt
	io.Writer
	io.Closer
	Sync() error
	Truncate(size int64) error
	Size() (int64, error)
}

// entry is a file of a folder.
type entry struct {
	name string
	size int64
}

// osDisk is the file system of the operating system.
type osDisk struct{}

func (osDisk) MakeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

func (osDisk) Lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func (osDisk) List(dir string) ([]entry, error) {
	found, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, e := range found {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			entries = append(entries, entry{e.Name(), info.Size()})
		}
	}
	return entries, nil
}

func (osDisk) Open(path string) (file, error) { return openFile(path, os.O_RDONLY) }

func (osDisk) Create(path string) (file, error) {
	return openFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
}

func (osDisk) Append(path string) (file, error) {
	return openFile(path, os.O_WRONLY|os.O_APPEND)
}

func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) Remove(path string) error { return os.Remove(path) }

func (osDisk) SyncDir(dir string) error { return syncDir(dir) }

func openFile(path string, flag int) (file, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// osFile is a file of the operating system.
type osFile struct{ *os.File }

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
