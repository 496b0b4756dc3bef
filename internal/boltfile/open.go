package boltfile

import (
	"errors"
	"fmt"
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

// Config is how a database is opened.
type Config struct {
	Record Record // checks a value
	// FreeInMemory keeps the list of free pages in memory alone, and finds them when the file is
	// opened. That is for files with so many that writing their list would take longer than writing
	// a value.
	FreeInMemory bool
}

// Open opens a database, and makes one if there is no file.
func Open(path string, cfg Config) (*bbolt.DB, error) {
	if err := inspect(path, cfg.Record); err != nil {
		return nil, err
	}
	return open(path, false, cfg.FreeInMemory)
}

// open opens the database, only its heads if it is not to be written.
func open(path string, readOnly, freeInMemory bool) (db *bbolt.DB, err error) {
	options := &bbolt.Options{Timeout: lockTimeout, ReadOnly: readOnly,
		NoFreelistSync: freeInMemory}
	if freeInMemory {
		options.FreelistType = bbolt.FreelistMapType // there are many
	}
	options.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, mode)
		if err != nil {
			return nil, err
		}
		if err := f.Chmod(mode); err != nil { // one that was copied here may be open to all
			f.Close()
			return nil, err
		}
		return f, nil
	}
	err = Safely(func() (err error) {
		db, err = bbolt.Open(path, 0o600, options)
		return err
	})
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, bbolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s: %w", path, ErrInUse)
	case isPathError(err):
		return nil, err // it names the file
	}
	return nil, Damaged(path, err)
}

func isPathError(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p)
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

// inspect checks a file that exists, without writing to it.
func inspect(path string, record Record) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	db, err := open(path, true, false) // nobody writes to it then
	if err != nil {
		return err
	}
	defer db.Close()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return err
	}
	if err := Check(f, info.Size(), record); err != nil {
		return Damaged(path, err)
	}
	return nil
}
