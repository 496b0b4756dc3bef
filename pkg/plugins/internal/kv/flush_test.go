package kv

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"go.etcd.io/bbolt"
)

func flush(t *testing.T, stores *Stores) {
	t.Helper()
	if err := stores.Flush(""); err != nil {
		t.Fatal(err)
	}
}

// killed returns stores on what the file has now, as a process finds it that starts after this one
// was killed: the file itself is locked.
func killed(t *testing.T, stores *Stores) *Stores {
	t.Helper()
	b, err := os.ReadFile(stores.Path)
	if err != nil {
		t.Fatal(err)
	}
	again := onDisk(t)
	if err := os.WriteFile(again.Path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return again
}

// replaceDB has stores write to another database.
func replaceDB(stores *Stores, db *bbolt.DB) (former *bbolt.DB) {
	stores.file.mu.Lock()
	defer stores.file.mu.Unlock()
	former, stores.file.db = stores.file.db, db
	return former
}

func closedDB(t *testing.T) *bbolt.DB {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "kv.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return db
}

// The bubble's time stands still, so that nothing but Flush writes.
func TestFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stores := onDisk(t)
		pods := openStore(t, stores, "pods", roomy, true)
		nodes := openStore(t, stores, "nodes", roomy, true)
		openStore(t, stores, "pods", roomy, false).set(t, "c", "in memory", 0)
		step := func(a, b, c, node string) {
			t.Helper()
			again := killed(t, stores)
			s := openStore(t, again, "pods", roomy, true)
			expect(t, s, "a", a)
			expect(t, s, "b", b)
			expect(t, s, "c", c)
			expect(t, openStore(t, again, "nodes", roomy, true), "a", node)
			closeStores(t, again) // its goroutine must end within the test
		}
		pods.set(t, "a", "1", 0)
		pods.set(t, "b", "2", 0)
		step("-", "-", "-", "-")
		flush(t, stores)
		step("1", "2", "-", "-")
		pods.set(t, "a", "3", 0)
		pods.Delete([]byte("b"))
		nodes.set(t, "a", "4", 0)
		flush(t, stores)
		step("3", "-", "-", "4")
		closeStores(t, stores)
	})
}

// Even a transaction without a change would write a page.
func TestFlushWritesOnlyChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stores := onDisk(t)
		s := openStore(t, stores, "pods", roomy, true)
		s.set(t, "a", "1", 0)
		flush(t, stores)
		written := pagesWritten(stores)
		for range 3 {
			flush(t, stores)
		}
		s.value("a")
		s.Delete([]byte("nothing"))
		flush(t, stores)
		if n := pagesWritten(stores) - written; n > 0 {
			t.Errorf("%d pages were written", n)
		}
		closeStores(t, stores)
	})
}

// Without a file that is open there is nothing to write, and none is made.
func TestFlushWithoutFile(t *testing.T) {
	inMemory := &Stores{}
	openStore(t, inMemory, "pods", roomy, false).set(t, "a", "1", 0)
	flush(t, inMemory)
	closeStores(t, inMemory)

	stores := onDisk(t)
	flush(t, stores)
	openStore(t, stores, "pods", roomy, false).set(t, "a", "1", 0)
	flush(t, stores)
	if _, err := os.Stat(stores.Path); !os.IsNotExist(err) {
		t.Errorf("the file: %v", err)
	}
	s := openStore(t, stores, "pods", roomy, true)
	closeStores(t, stores)
	s.set(t, "a", "2", 0) // it stays in memory
	flush(t, stores)
	expect(t, openStore(t, killed(t, stores), "pods", roomy, true), "a", "-")
}

// What could not be written is written the next time, in its last state, and by Close as well.
func TestFailedFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stores := onDisk(t)
		s := openStore(t, stores, "pods", roomy, true)
		s.set(t, "a", "1", 0)
		s.set(t, "gone", "1", 0)
		flush(t, stores)
		good := replaceDB(stores, closedDB(t))
		flush(t, stores) // nothing is to be written
		s.set(t, "a", "2", 0)
		s.set(t, "b", "3", 0)
		s.Delete([]byte("gone"))
		for range 2 {
			if err := stores.Flush(""); err == nil || err.Error() != "kv: : database not open" {
				t.Errorf("got %v", err)
			}
		}
		s.set(t, "b", "4", 0)
		replaceDB(stores, good)
		flush(t, stores)
		again := killed(t, stores)
		s = openStore(t, again, "pods", roomy, true)
		expect(t, s, "a", "2")
		expect(t, s, "b", "4")
		expect(t, s, "gone", "-")
		closeStores(t, again)
		closeStores(t, stores)
	})
}

// A file that can only be read is an error that names it.
func TestFlushToReadOnlyFile(t *testing.T) {
	stores := onDisk(t)
	s := openStore(t, stores, "pods", roomy, true)
	flush(t, stores)
	copied := killed(t, stores)
	db, err := bbolt.Open(copied.Path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	good := replaceDB(stores, db)
	s.set(t, "a", "1", 0)
	if err := stores.Flush(""); err == nil ||
		err.Error() != "kv: "+copied.Path+": database is in read-only mode" {
		t.Errorf("got %v", err)
	}
	replaceDB(stores, good)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	flush(t, stores)
	expect(t, openStore(t, killed(t, stores), "pods", roomy, true), "a", "1")
}

// After a Close that could not write everything, Flush does not say that all is on disk.
func TestFlushAfterFailedClose(t *testing.T) {
	stores := &Stores{Path: filepath.Join(t.TempDir(), "kv.db"),
		Log: slog.New(slog.DiscardHandler)}
	s := openStore(t, stores, "pods", roomy, true)
	good := replaceDB(stores, closedDB(t))
	s.set(t, "a", "1", 0)
	const want = "kv: : database not open"
	if err := stores.Close(); err == nil || err.Error() != want {
		t.Errorf("closing returns %v", err)
	}
	if err := stores.Flush(""); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if err := good.Close(); err != nil {
		t.Fatal(err)
	}
}

// Everything that was stored before a Flush began is in the file once it returns, whoever else
// stores, flushes, opens and closes meanwhile, until the stores are closed.
func TestFlushesAtOnce(t *testing.T) {
	stores := onDisk(t)
	var flushing, storing sync.WaitGroup
	for n := range 4 {
		listener := fmt.Sprint("listener ", n)
		storing.Go(func() {
			s := openStore(t, stores, listener, roomy, true)
			for v := range 50 {
				s.set(t, "a", fmt.Sprint(v), 0)
				if err := stores.Flush(""); err != nil {
					t.Error(err)
					return
				}
				if v%10 != 0 {
					continue
				}
				if got := filed(t, stores, listener, "a"); got != fmt.Sprint(v) {
					t.Errorf("the file has %q, want %d", got, v)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				s = openStore(t, stores, listener, roomy, true)
			}
		})
	}
	over := make(chan struct{})
	for range 2 {
		flushing.Go(func() {
			for {
				if err := stores.Flush(""); err != nil {
					t.Error(err)
				}
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	storing.Wait()
	closeStores(t, stores)
	close(over)
	flushing.Wait()
}

// filed returns what the file has for a key.
func filed(t *testing.T, stores *Stores, listener, key string) (value string) {
	t.Helper()
	err := stores.file.db.View(func(tx *bbolt.Tx) error {
		record := tx.Bucket(root).Bucket([]byte(listener)).Get([]byte(key))
		v, _, err := parseRecord([]byte(key), record)
		value = string(v)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return value
}
