package kv

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.etcd.io/bbolt"

	"github.com/informerd/informerd/internal/boltfile"
)

const (
	// from a change until it is written, so that one transaction takes many
	pause        = time.Second
	longestPause = time.Minute // after failures
)

// root is the bucket that holds one bucket for each table; its name is the version of what is in
// it.
var root = []byte("kv.v1")

// file keeps tables on disk. A goroutine of its own writes their changes.
type file struct {
	tables
	db  *bbolt.DB // guarded by the lock of tables
	log *slog.Logger

	wake, stop, done chan struct{}
}

func openFile(path string, log *slog.Logger) (*file, error) {
	db, err := boltfile.Open(path, checkRecord)
	if err != nil {
		return nil, err
	}
	f := &file{db: db, log: log, wake: make(chan struct{}, 1), stop: make(chan struct{}),
		done: make(chan struct{})}
	f.backing, f.changed = f, f.signal
	go f.run()
	return f, nil
}

// Load implements Backing.
func (f *file) Load(_ context.Context, table string) (map[string]Value, error) {
	all := map[string]Value{}
	err := f.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(root)
		if b != nil {
			b = b.Bucket([]byte(table))
		}
		if b == nil {
			return nil
		}
		return b.ForEach(func(key, record []byte) error {
			value, expires, err := parseRecord(key, record)
			if err != nil {
				return boltfile.Damaged(f.db.Path(), err)
			}
			all[string(key)] = Value{string(value), expires}
			return nil
		})
	})
	return all, err
}

// Commit implements Backing, with one transaction.
func (f *file) Commit(_ context.Context, changes map[string]map[string]*Value) error {
	err := boltfile.Safely(func() error {
		return f.db.Update(func(tx *bbolt.Tx) error {
			for table, c := range changes {
				if err := write(tx, table, c); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", f.db.Path(), err)
	}
	return nil
}

func write(tx *bbolt.Tx, table string, changes map[string]*Value) error {
	b, err := tx.CreateBucketIfNotExists(root)
	if err != nil {
		return err
	}
	if b, err = b.CreateBucketIfNotExists([]byte(table)); err != nil {
		return err
	}
	for key, v := range changes {
		if v == nil {
			err = b.Delete([]byte(key))
		} else {
			err = b.Put([]byte(key), appendRecord(nil, key, v))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// close writes what is not in the file yet. Tables that are still open stay in memory.
func (f *file) close() error {
	close(f.stop)
	<-f.done
	f.mu.Lock()
	defer f.mu.Unlock()
	err := errors.Join(f.commitLocked(), f.db.Close())
	f.open = nil
	return err
}

func (f *file) signal() {
	select {
	case f.wake <- struct{}{}:
	default: // it is awake
	}
}

func (f *file) run() {
	defer close(f.done)
	wait := pause
	for {
		select {
		case <-f.stop:
			return
		case <-f.wake:
		}
		select {
		case <-f.stop:
			return
		case <-time.After(wait):
		}
		err := f.flush()
		if err == nil {
			wait = pause
			continue
		}
		wait = min(2*wait, longestPause)
		f.log.Error("values of handlers are not written to their file", "error", err, "again in",
			wait)
		f.signal()
	}
}
