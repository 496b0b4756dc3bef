package deadletter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/informerd/informerd/internal/boltfile"
)

// The buckets of the file. Their names are the version of what is in them.
var (
	lettersBucket    = []byte("letters.v1")    // ID: record
	supersededBucket = []byte("superseded.v1") // ID: its checksum
)

// disk is the file of a store.
type disk struct{ db *bbolt.DB }

func openDisk(path string) (*disk, error) {
	db, err := boltfile.Open(path, checkRecord)
	if err != nil {
		return nil, err
	}
	return &disk{db}, nil
}

// checkRecord returns an error if a value in the file is not what was written.
func checkRecord(bucket, key, value []byte) error {
	switch {
	case len(key) != 8:
	case bytes.Equal(bucket, supersededBucket):
		if !bytes.Equal(value, keySum(key)) {
			return errRecord
		}
		return nil
	case bytes.Equal(bucket, lettersBucket):
		return checkLetter(binary.BigEndian.Uint64(key), value)
	}
	return errRecord
}

func (d *disk) close() error { return d.db.Close() }

// each calls do for each letter, in order. The record is valid during the call.
func (d *disk) each(do func(id uint64, record []byte, superseded bool) error) error {
	return d.view(func(tx *bbolt.Tx) error {
		letters, superseded := tx.Bucket(lettersBucket), tx.Bucket(supersededBucket)
		if letters == nil || superseded == nil {
			return nil // nothing was written yet
		}
		return letters.ForEach(func(key, record []byte) error {
			if len(key) != 8 {
				return errRecord
			}
			return do(binary.BigEndian.Uint64(key), record, superseded.Get(key) != nil)
		})
	})
}

// read calls do for those of the letters that are there.
func (d *disk) read(ids []uint64, do func(id uint64, record []byte) error) error {
	return d.view(func(tx *bbolt.Tx) error {
		letters := tx.Bucket(lettersBucket)
		if letters == nil {
			return nil
		}
		for _, id := range ids {
			key := keyOf(id)
			if record := letters.Get(key[:]); record != nil {
				if err := do(id, record); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// present returns those IDs that the file has.
func (d *disk) present(ids []uint64) (there []uint64) {
	_ = d.read(ids, func(id uint64, _ []byte) error { // what cannot be read is not there
		there = append(there, id)
		return nil
	})
	return there
}

// write does all of a batch or nothing of it.
func (d *disk) write(b *batch) error {
	return d.safely(func() error {
		return d.db.Update(func(tx *bbolt.Tx) error {
			letters, err1 := tx.CreateBucketIfNotExists(lettersBucket)
			superseded, err2 := tx.CreateBucketIfNotExists(supersededBucket)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			letters.FillPercent = 0.95 // almost all come at the end
			return b.apply(letters, superseded)
		})
	})
}

func (b *batch) apply(letters, superseded *bbolt.Bucket) (err error) {
	keep := func(e error) { err = errors.Join(err, e) }
	remove := func(id uint64) {
		key := keyOf(id)
		keep(letters.Delete(key[:]))
		keep(superseded.Delete(key[:]))
	}
	for _, id := range b.undo {
		remove(id)
	}
	for _, e := range b.marks {
		key := keyOf(e.id)
		keep(superseded.Put(key[:], keySum(key[:])))
	}
	for _, e := range b.expired {
		remove(e.id)
	}
	for _, op := range b.operations {
		if op.put != nil {
			key := keyOf(op.put.id)
			keep(letters.Put(key[:], op.record))
		}
		for _, e := range op.drop {
			remove(e.id)
		}
	}
	return err
}

func (d *disk) view(do func(*bbolt.Tx) error) error {
	return d.safely(func() error { return d.db.View(do) })
}

// safely returns an error with the file's name, also for a panic of the library.
func (d *disk) safely(do func() error) error {
	if err := boltfile.Safely(do); err != nil {
		return fmt.Errorf("%s: %w", d.db.Path(), err)
	}
	return nil
}
