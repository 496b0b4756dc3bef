package boltfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// ErrInUse is the error of Open if another process has the file open.
var ErrInUse = errors.New("another process uses it")

// lockTimeout is how long another process is waited for, that may be about to end.
const lockTimeout = time.Second

// Record returns an error if a value is not what was written under that key of that bucket, the
// innermost one.
type Record func(bucket, key, value []byte) error

// Open opens a database, and makes one if there is no file. The record checks each value.
func Open(path string, record Record) (*bbolt.DB, error) {
	var file *os.File
	options := &bbolt.Options{Timeout: lockTimeout, FreelistType: bbolt.FreelistMapType}
	options.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, mode)
		if err != nil {
			return nil, err
		}
		if err := f.Chmod(mode); err != nil { // one that was copied here may be open to all
			f.Close()
			return nil, err
		}
		file = f
		return f, nil
	}
	var db *bbolt.DB
	err := Safely(func() (err error) {
		if db, err = bbolt.Open(path, 0o600, options); err != nil {
			return err
		}
		return db.View(func(tx *bbolt.Tx) error {
			info, err := file.Stat()
			if err != nil {
				return err
			}
			if info.Size() < tx.Size() {
				return fmt.Errorf("it is cut off: it has %d bytes of %d", info.Size(), tx.Size())
			}
			r := reader{file, int64(db.Info().PageSize), record, map[uint64]bool{}}
			return r.bucket(tx.Cursor().Bucket(), nil, 0)
		})
	})
	if err == nil {
		return db, nil
	}
	if db != nil {
		_ = db.Close()
	} else if file != nil {
		unlock(file)
		_ = file.Close()
	}
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s: %w", path, ErrInUse)
	case errors.As(err, new(*fs.PathError)):
		return nil, err // it names the file
	}
	return nil, Damaged(path, err)
}

// Damaged returns the error of a damaged file.
func Damaged(path string, err error) error {
	return fmt.Errorf("%s: the file is damaged: %w; move it away, or put a copy in its place", path,
		err)
}

// Safely turns a panic of the library into an error, and so it does with the fault when a file was
// cut off after it was opened.
func Safely(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return do()
}

// reader reads a whole file.
type reader struct {
	file     io.ReaderAt
	pageSize int64
	record   Record
	seen     map[uint64]bool // pages
}

// bucket reads a bucket and those inside of it.
func (r *reader) bucket(b *bbolt.Bucket, name []byte, depth int) error {
	const deepest = 3
	if depth > deepest {
		return errors.New("its buckets are nested too deeply")
	}
	if root := uint64(b.Root()); root != 0 { // otherwise it is a value itself
		if err := r.tree(root); err != nil {
			return err
		}
	}
	return b.ForEach(func(key, value []byte) error {
		if inner := b.Bucket(key); inner != nil {
			return r.bucket(inner, key, depth+1)
		}
		return r.record(name, key, value)
	})
}

// tree returns an error if a page is below itself: the library would follow it without end.
func (r *reader) tree(page uint64) error {
	const (
		head, element = 16, 16 // bytes
		branch        = 1      // a kind of page
	)
	if r.seen[page] {
		return fmt.Errorf("page %d is used twice", page)
	}
	r.seen[page] = true
	b := make([]byte, r.pageSize)
	if _, err := r.file.ReadAt(b, int64(page)*r.pageSize); err != nil {
		return fmt.Errorf("page %d cannot be read: %v", page, err)
	}
	if binary.NativeEndian.Uint16(b[8:]) != branch {
		return nil
	}
	count := int(binary.NativeEndian.Uint16(b[10:]))
	for at := head; at < head+count*element; at += element {
		if err := r.tree(binary.NativeEndian.Uint64(b[at+8:])); err != nil {
			return err
		}
	}
	return nil
}
