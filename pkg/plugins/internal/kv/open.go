package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// lockTimeout is how long another process is waited for, that may be about to end.
const lockTimeout = time.Second

// open opens the database, only its heads if it is not to be written.
func open(path string, readOnly bool) (db *bbolt.DB, err error) {
	options := &bbolt.Options{Timeout: lockTimeout, ReadOnly: readOnly}
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
	db, err = bbolt.Open(path, 0o600, options)
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, bbolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s: another process uses it", path)
	case isPathError(err):
		return nil, err // it names the file
	}
	return nil, damaged(path, err)
}

func isPathError(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p)
}

func damaged(path string, err error) error {
	return fmt.Errorf("%s: the file is damaged: %w; move it away, or put a copy in its place", path,
		err)
}

// safely turns a panic of the library into an error, and so it does with the fault when a file was
// cut off after it was opened.
func safely(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return do()
}

// inspect checks a file that exists, without writing to it.
func inspect(path string) error {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil &&
		info.Size() == 0 {
		return nil
	}
	db, err := open(path, true) // nobody writes to it then
	if err != nil {
		return err
	}
	defer db.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := check(b); err != nil {
		return damaged(path, err)
	}
	return nil
}

// A record is a checksum of all that belongs to a value, the time at which it is over, and the
// value: the library itself has no checksums for what it keeps.
const recordHead = 12

func appendRecord(b []byte, c change) []byte {
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(c.expires))
	b = append(b, c.value...)
	binary.LittleEndian.PutUint32(b, checksum([]byte(c.key), b))
	return b
}

func parseRecord(key, record []byte) (value []byte, expires int64, err error) {
	if len(record) < recordHead || binary.LittleEndian.Uint32(record) != checksum(key, record) {
		return nil, 0, fmt.Errorf("the value of key %.64q is not what was written", key)
	}
	return record[recordHead:], int64(binary.LittleEndian.Uint64(record[4:])), nil
}

func checksum(key, record []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(key), crc32.IEEETable, record[4:])
}
