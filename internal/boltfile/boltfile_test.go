package boltfile

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// record wants values that are their keys, in buckets inside of others.
func record(bucket, key, value []byte) error {
	if !bytes.HasPrefix(bucket, []byte("in")) || !bytes.HasPrefix(value, key) {
		return errors.New("it is wrong")
	}
	return nil
}

// filled makes a file with pages of every kind.
func filled(t testing.TB, cfg Config) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	db, err := Open(path, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		err := db.Update(func(tx *bbolt.Tx) error {
			out, err := tx.CreateBucketIfNotExists([]byte("out"))
			if err != nil {
				return err
			}
			for _, name := range []string{"in", "inline"} {
				in, err := out.CreateBucketIfNotExists([]byte(name))
				if err != nil {
					return err
				}
				for i := range 200 {
					key := fmt.Sprintf("%03d", i)
					if round == 2 && i < 50 {
						err = in.Delete([]byte(key))
					} else if name == "in" || i < 3 {
						err = in.Put([]byte(key), []byte(key+strings.Repeat("x", i*50)))
					}
					if err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	for _, free := range []bool{false, true} {
		cfg := Config{Record: record, FreeInMemory: free}
		path := filled(t, cfg)
		db, err := Open(path, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, cfg); err == nil ||
			err.Error() != path+": another process uses it" {
			t.Errorf("got %v", err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		cfg.Record = func(_, key, _ []byte) error {
			if string(key) == "123" {
				return errors.New("it is wrong")
			}
			return nil
		}
		before, _ := os.ReadFile(path)
		if _, err := Open(path, cfg); err == nil || err.Error() != path+
			": the file is damaged: it is wrong; move it away, or put a copy in its place" {
			t.Errorf("got %v", err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Error("it was changed")
		}
	}
}

// Pages that belong to nothing would never be used again; they are a sign of damage.
func TestLostPages(t *testing.T) {
	b, err := os.ReadFile(filled(t, Config{Record: record}))
	if err != nil {
		t.Fatal(err)
	}
	for _, head := range [][]byte{b[pageHead:], b[4096+pageHead:]} {
		native.PutUint64(head[40:], native.Uint64(head[40:])+1)
		sum := fnv.New64a()
		sum.Write(head[:metaSize-8])
		native.PutUint64(head[metaSize-8:], sum.Sum64())
	}
	b = append(b, make([]byte, 4096)...)
	if err := Check(bytes.NewReader(b), int64(len(b)), record); err == nil ||
		err.Error() != "1 of its pages belong to nothing" {
		t.Errorf("got %v", err)
	}
}

func TestSafely(t *testing.T) {
	if err := Safely(func() error { panic("oh") }); err == nil || err.Error() != "oh" {
		t.Errorf("got %v", err)
	}
	var nothing *int
	if err := Safely(func() error { *nothing = 1; return nil }); err == nil {
		t.Error("no error")
	}
}

// Check reads nothing that is not there.
func FuzzCheck(f *testing.F) {
	good, err := os.ReadFile(filled(f, Config{Record: record}))
	if err != nil {
		f.Fatal(err)
	}
	if err := Check(bytes.NewReader(good), int64(len(good)), record); err != nil {
		f.Fatal(err)
	}
	for at := range 64 {
		f.Add(at*len(good)/64, []byte{0xff})
		f.Add(at*4096+at%32, []byte{1, 2, 3})
	}
	f.Fuzz(func(t *testing.T, at int, with []byte) {
		bad := bytes.Clone(good)
		if at < 0 || at > len(bad) {
			return
		}
		copy(bad[at:], with)
		_ = Check(bytes.NewReader(bad), int64(len(bad)), record) // no panic, no loop
		bad = bad[:at]
		_ = Check(bytes.NewReader(bad), int64(len(bad)), record)
	})
}
