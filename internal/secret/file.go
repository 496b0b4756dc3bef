package secret

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

const (
	// lookEvery is how long a file is taken to be what it was.
	lookEvery = time.Second
	// settled is the age of a change after which a second one in the same moment cannot be missed.
	settled = 2 * time.Second
)

// file is a file that is read again when it has changed. It is safe for concurrent use. Its fields
// must not change after the first Read.
type file struct {
	Path string
	Max  int64 // the most bytes that it may have

	mu      sync.Mutex
	looked  time.Time // zero: never
	info    os.FileInfo
	racy    bool // it had changed just before it was read
	version int
	data    []byte
	err     error
}

// Read returns the content of the file, and a number that is another one after each change of it.
// The content must not be changed.
func (f *file) Read() (data []byte, version int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); f.looked.IsZero() || now.Sub(f.looked) >= lookEvery {
		f.looked = now
		f.look(now)
	}
	return f.data, f.version, f.err
}

// look reads the file, unless it is known to be the same.
func (f *file) look(now time.Time) {
	info, err := os.Stat(f.Path) // opening what is not a regular file may never end
	if err == nil && f.err == nil && !f.racy && f.info != nil && os.SameFile(info, f.info) &&
		info.ModTime().Equal(f.info.ModTime()) && info.Size() == f.info.Size() {
		return
	}
	f.version++
	f.info, f.racy = info, err != nil || now.Sub(info.ModTime()) < settled
	f.data, f.err = f.read(info, err)
}

func (f *file) read(info os.FileInfo, err error) ([]byte, error) {
	switch {
	case err != nil:
		return nil, f.unreadable(err)
	case !info.Mode().IsRegular():
		return nil, f.unreadable(errors.New("it is not a regular file"))
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, f.unreadable(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, f.Max+1))
	switch {
	case err != nil:
		return nil, f.unreadable(err)
	case int64(len(data)) > f.Max:
		return nil, fmt.Errorf("the file %s has more than %d bytes", f.Path, f.Max)
	}
	return data, nil
}

func (f *file) unreadable(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err // the path is not needed twice
	}
	return fmt.Errorf("the file %s cannot be read: %w", f.Path, err)
}
