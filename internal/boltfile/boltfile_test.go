package boltfile

import (
	"bytes"
	"errors"
	"fmt"
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
func filled(t testing.TB, record Record) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	db, err := Open(path, record)
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
	path := filled(t, record)
	db, err := Open(path, record)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, record); err == nil ||
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
	wrong := func(_, key, _ []byte) error {
		if string(key) == "123" {
			return errors.New("it is wrong")
		}
		return nil
	}
	before, _ := os.ReadFile(path)
	if _, err := Open(path, wrong); err == nil || err.Error() != path+
		": the file is damaged: it is wrong; move it away, or put a copy in its place" {
		t.Errorf("got %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("it was changed")
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

// Whatever is in a file: opening it ends, without a panic, and the file is as before unless it was
// opened.
func FuzzOpen(f *testing.F) {
	good, err := os.ReadFile(filled(f, record))
	if err != nil {
		f.Fatal(err)
	}
	for at := range 64 {
		f.Add(at*len(good)/64, []byte{0xff})
		f.Add(at*4096+at%32, []byte{1, 2, 3})
		f.Add(at%8*4096+16+at/8*16+8, []byte{4}) // the number of a page
	}
	f.Fuzz(func(t *testing.T, at int, with []byte) {
		bad := bytes.Clone(good)
		if at < 0 || at > len(bad) {
			return
		}
		copy(bad[at:], with)
		for _, b := range [][]byte{bad, bad[:at]} {
			path := filepath.Join(t.TempDir(), "x.db")
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			db, err := Open(path, record)
			if err == nil {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(b, after) {
				t.Errorf("%v, and the file was changed", err)
			}
		}
	})
}
