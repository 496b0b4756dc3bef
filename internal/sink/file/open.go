package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// errBusy is the error of a file that another output or process writes.
var errBusy = errors.New("another output or process writes to it")

// mayPass reports whether an error at the start may pass, so that Write should try again.
func mayPass(err error) bool {
	return errors.Is(err, errBusy) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.EDQUOT)
}

// maxName is how long a name may be on common file systems.
const maxName = 255

// resolve returns the path of the file that is written. A symbolic link is followed once, here,
// since a rotation would rename the link and not the file.
func resolve(path string) (string, error) {
	if path == "" {
		return "", errors.New("the path is empty")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", fmt.Errorf("create the folder of %s first: %w", path, err)
		}
		return filepath.Join(folder, filepath.Base(path)), nil
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return "", fmt.Errorf("follow the symbolic link %s: %w", path, err)
		}
		return target, nil
	}
	return filepath.EvalSymlinks(path)
}

// osDisk is the real disk.
type osDisk struct{}

// open implements opener. It does not wait for the other end of a named pipe, nor for the lock.
func (osDisk) open(path string) (osFile, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if err := checkOpened(f, path); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkRegular refuses, before it is opened, what exists and is not a regular file.
func checkRegular(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return regular(path, info)
}

func regular(path string, info os.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%s is a folder, not a file", path)
	case mode&fs.ModeNamedPipe != 0:
		return fmt.Errorf("%s is a named pipe, not a regular file", path)
	default:
		return fmt.Errorf("%s is not a regular file (%s)", path, mode)
	}
}

// checkOpened locks the file, and then checks that it is what path names: whoever had the lock may
// have renamed it meanwhile.
func checkOpened(f *os.File, path string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := regular(path, info); err != nil {
		return err
	}
	if err := lock(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if named, err := os.Lstat(path); err != nil || !os.SameFile(info, named) {
		return fmt.Errorf("%s was replaced while it was opened: %w", path, errBusy)
	}
	return nil
}

func (osDisk) create(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	// Some file systems cannot do it, and have the names anyway.
	_ = folder.Sync()
	return folder.Close()
}
