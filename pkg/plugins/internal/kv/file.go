package kv

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/informerd/informerd/internal/boltfile"
)

const (
	// from a change until it is written, so that one transaction takes many
	pause        = time.Second
	longestPause = time.Minute // after failures
)

// root is the bucket that holds one bucket for each listener; its name is the version of what is in
// it.
var root = []byte("kv.v1")

// file keeps tables on disk. A goroutine of its own writes their changes.
type file struct {
	db  *bbolt.DB
	log *slog.Logger

	// guards what follows; held while writing, so that changes are written in their order
	mu     sync.Mutex
	tables map[string]*table

	wake, stop, done chan struct{}
}

func openFile(path string, log *slog.Logger) (*file, error) {
	db, err := boltfile.Open(path, checkRecord)
	if err != nil {
		return nil, err
	}
	f := &file{db: db, log: log, tables: map[string]*table{},
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go f.run()
	return f, nil
}

// load reads a listener's table, without the values whose time is over.
func (f *file) load(listener string) (*table, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.tables[listener]; t != nil { // it could not be written when it was released
		return t, nil
	}
	t := newTable()
	t.changed, t.wake = map[string]struct{}{}, f.signal
	now := time.Now().UnixNano()
	err := f.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(root)
		if b != nil {
			b = b.Bucket([]byte(listener))
		}
		if b == nil {
			return nil
		}
		return b.ForEach(func(key, record []byte) error {
			value, expires, err := parseRecord(key, record)
			if err != nil {
				return boltfile.Damaged(f.db.Path(), err)
			}
			if expires != 0 && expires <= now {
				t.note(string(key))
				return nil
			}
			e := &entry{key: string(key), value: string(value), expires: expires, filed: true}
			t.entries[e.key] = e
			t.bytes += int64(len(value))
			t.noteExpiry(expires)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	f.tables[listener] = t
	return t, nil
}

// release writes a table's changes and forgets it, unless that fails; then it is tried again.
func (f *file) release(listener string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.writeLocked(); err != nil {
		f.signal()
		return err
	}
	delete(f.tables, listener)
	return nil
}

func (f *file) flush() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writeLocked()
}

func (f *file) close() error {
	close(f.stop)
	<-f.done
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.writeLocked(), f.db.Close())
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

// writeLocked writes the changes of all tables in one transaction.
func (f *file) writeLocked() error {
	changes := map[string][]change{}
	for listener, t := range f.tables {
		if c := t.take(); len(c) > 0 {
			changes[listener] = c
		}
	}
	if len(changes) == 0 {
		return nil
	}
	err := boltfile.Safely(func() error {
		return f.db.Update(func(tx *bbolt.Tx) error {
			for listener, c := range changes {
				if err := write(tx, listener, c); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err == nil {
		return nil
	}
	for listener, c := range changes {
		f.tables[listener].putBack(c)
	}
	return fmt.Errorf("%s: %w", f.db.Path(), err)
}

func write(tx *bbolt.Tx, listener string, changes []change) error {
	b, err := tx.CreateBucketIfNotExists(root)
	if err != nil {
		return err
	}
	if b, err = b.CreateBucketIfNotExists([]byte(listener)); err != nil {
		return err
	}
	for _, c := range changes {
		if c.gone {
			err = b.Delete([]byte(c.key))
		} else {
			err = b.Put([]byte(c.key), appendRecord(nil, c))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
