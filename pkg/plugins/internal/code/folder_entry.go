package code

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// sumsFile holds the digests of an entry's other files, in the form of sha256sum.
const sumsFile = "sums"

// codeEntry is a folder of its own for one thing.
type codeEntry struct {
	// Path is the folder, to write to. It is there.
	path string
	// Damaged says why what was there before was removed; nil if nothing was.
	damaged error

	sums map[string]string // by file
}

// entry returns the entry of some name, which must be good for a file name. It is empty if there
// was none, or none that can be used.
func (f *codeFolder) entry(name string) (*codeEntry, error) {
	e := &codeEntry{path: filepath.Join(f.path, name)}
	_, err := os.Lstat(e.path)
	switch {
	case err == nil:
		if e.damaged = e.verify(); e.damaged != nil {
			if err := os.RemoveAll(e.path); err != nil {
				return nil, errors.Join(e.damaged, err)
			}
			e.sums = nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if err := os.Mkdir(e.path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	now := time.Now()
	return e, os.Chtimes(e.path, now, now)
}

// files is how many files the entry had when it was sealed.
func (e *codeEntry) files() int { return len(e.sums) }

// size is how many bytes its files have.
func (e *codeEntry) size() int64 { return sizeOf(e.path) }

// seal notes the files that are there, if there are other ones than before. Before that, the entry
// is damaged.
func (e *codeEntry) seal() error {
	sums, err := digests(e.path)
	if err != nil {
		return err
	}
	if maps.Equal(sums, e.sums) {
		return nil
	}
	path := filepath.Join(e.path, sumsFile)
	if err := os.WriteFile(path+".new", formatDigests(sums), 0o600); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	e.sums = sums
	return nil
}

// remove removes the entry.
func (e *codeEntry) remove() error { return os.RemoveAll(e.path) }

// verify holds what is there against the digests.
func (e *codeEntry) verify() error {
	info, err := os.Lstat(e.path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("it is not a folder")
	}
	want, err := os.ReadFile(filepath.Join(e.path, sumsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it was not completed")
	}
	if err != nil {
		return err
	}
	if e.sums, err = digests(e.path); err != nil {
		return err
	}
	if !bytes.Equal(formatDigests(e.sums), want) {
		return errors.New("its files are not those that were written")
	}
	return nil
}

// digests returns those of all files below a folder but the digests themselves.
func digests(folder string) (map[string]string, error) {
	sums := map[string]string{}
	return sums, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(folder, path)
		switch {
		case err != nil || relErr != nil:
			return errors.Join(err, relErr)
		case d.IsDir() || name == sumsFile:
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file", name)
		}
		sums[name], err = fileDigest(path)
		return err
	})
}

func fileDigest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func formatDigests(sums map[string]string) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, "%s  %s\n", sums[name], name)
	}
	return b.Bytes()
}
