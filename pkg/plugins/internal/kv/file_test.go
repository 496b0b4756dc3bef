package kv

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"
)

// restart closes the stores as a daemon does that ends, and opens the same file again.
func restart(t *testing.T, stores *Stores) *Stores {
	t.Helper()
	closeStores(t, stores)
	again := &Stores{Path: stores.Path, Log: stores.Log}
	t.Cleanup(func() { closeStores(t, again) })
	return again
}

func TestValuesSurviveRestart(t *testing.T) {
	stores := onDisk(t)
	s := openStore(t, stores, "pods", roomy, true)
	s.set(t, "a", "1", 0)
	s.set(t, "b", "", 0)
	s.set(t, "gone", "2", 0)
	openStore(t, stores, "nodes", roomy, true).set(t, "a", "node", 0)
	openStore(t, stores, "pods", roomy, false).set(t, "a", "in memory", 0)
	stores = restart(t, stores)
	s = openStore(t, stores, "pods", roomy, true)
	expect(t, s, "a", "1")
	expect(t, s, "b", "")
	expect(t, s, "gone", "2")
	s.Delete([]byte("gone"))
	s.set(t, "a", "3", 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, stores, "pods", roomy, true) // read from the file
	expect(t, s, "a", "3")
	expect(t, s, "gone", "-")
	stores = restart(t, stores)
	// more is there than is allowed now
	s = openStore(t, stores, "pods", Limits{Keys: 1, Bytes: 1}, true)
	expect(t, s, "a", "3")
	expect(t, s, "b", "")
	expect(t, openStore(t, stores, "nodes", roomy, true), "a", "node")
}

// The time that a value has goes on while nobody is there.
func TestExpiryIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stores := onDisk(t)
		s := openStore(t, stores, "pods", roomy, true)
		s.set(t, "minute", "1", time.Minute)
		s.set(t, "hour", "2", time.Hour)
		stores = restart(t, stores)
		time.Sleep(time.Minute)
		s = openStore(t, stores, "pods", roomy, true)
		expect(t, s, "minute", "-")
		expect(t, s, "hour", "2")
		stores = restart(t, stores)
		openStore(t, stores, "pods", roomy, true)
		if n := records(t, stores); n != 1 {
			t.Errorf("the file has %d records, what is over must leave it", n)
		}
		time.Sleep(time.Hour)
		expect(t, s, "hour", "-")
		closeStores(t, stores) // its goroutine must end within the test
	})
}

func records(t *testing.T, stores *Stores) (n int) {
	t.Helper()
	err := stores.file.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(root).ForEachBucket(func(k []byte) error {
			n += tx.Bucket(root).Bucket(k).Stats().KeyN
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func pagesWritten(stores *Stores) int64 {
	stats := stores.file.db.Stats()
	return stats.TxStats.GetWrite()
}

// A second after a change it is in the file, with what else has changed, without anybody closing
// anything.
func TestWritesInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stores := onDisk(t)
		s := openStore(t, stores, "pods", roomy, true)
		before := pagesWritten(stores)
		for n := range 50 {
			s.set(t, fmt.Sprint(n), "1", 0)
		}
		time.Sleep(pause - 1)
		synctest.Wait()
		if n := pagesWritten(stores); n != before {
			t.Errorf("%d pages were written at once", n-before)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if n := records(t, stores); n != 50 {
			t.Errorf("the file has %d records", n)
		}
		if n := pagesWritten(stores) - before; n > 10 {
			t.Errorf("%d pages were written", n)
		}
		closeStores(t, stores)
	})
}

// While the file cannot be written nothing is forgotten, and the log says so, more and more seldom.
func TestFailedWritesAreRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stores, log := onDisk(t), &bytes.Buffer{}
		stores.Log = slog.New(slog.NewTextHandler(log, nil))
		s := openStore(t, stores, "pods", roomy, true)
		s.set(t, "a", "1", 0)
		time.Sleep(2 * pause)
		synctest.Wait()
		good := stores.file.db
		broken, err := bbolt.Open(filepath.Join(t.TempDir(), "kv.db"), 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		broken.Close()
		stores.file.mu.Lock()
		stores.file.db = broken
		stores.file.mu.Unlock()
		s.set(t, "a", "2", 0)
		s.set(t, "b", "3", 0)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		// after 1, 3 and 7 s
		if n := strings.Count(log.String(),
			"values of handlers are not written to their file"); n != 3 {
			t.Errorf("logged %d times:\n%s", n, log)
		}
		if !strings.Contains(log.String(), `error=": database not open" "again in"=2s`) {
			t.Errorf("logged %s", log)
		}
		if err := s.Close(); err == nil || err.Error() != ": database not open" {
			t.Errorf("closing returns %v", err)
		}
		s = openStore(t, stores, "pods", roomy, true)
		expect(t, s, "a", "2")
		stores.file.mu.Lock()
		stores.file.db = good
		stores.file.mu.Unlock()
		time.Sleep(longestPause)
		synctest.Wait()
		stores = restart(t, stores)
		s = openStore(t, stores, "pods", roomy, true)
		expect(t, s, "a", "2")
		expect(t, s, "b", "3")
		closeStores(t, stores)
	})
}

func TestFileIsPrivate(t *testing.T) {
	stores := onDisk(t)
	openStore(t, stores, "pods", roomy, true)
	mode := func() os.FileMode {
		info, err := os.Stat(stores.Path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if mode() != 0o600 {
		t.Errorf("its mode is %v", mode())
	}
	stores = restart(t, stores)
	if err := os.Chmod(stores.Path, 0o644); err != nil {
		t.Fatal(err)
	}
	openStore(t, stores, "pods", roomy, true)
	if mode() != 0o600 {
		t.Errorf("its mode is still %v", mode())
	}
}

func TestOpenRefuses(t *testing.T) {
	stores := onDisk(t)
	openStore(t, stores, "pods", roomy, true)
	closed := onDisk(t)
	closeStores(t, closed)
	if _, err := closed.Open(t.Context(), Table{Listener: "pods", Keep: true}, roomy); err == nil ||
		err.Error() != "the stores are closed" {
		t.Errorf("closed stores return %v", err)
	}
	for _, test := range []struct {
		name, path, listener, want string
	}{
		{"no file", "", "pods", "there is no file to keep values in"},
		{"no listener", stores.Path, "", "values are kept by the listener's name, which is empty"},
		{"in use", stores.Path, "pods", stores.Path + ": another process uses it"},
		{"no folder", "/nowhere/kv.db", "pods", "open /nowhere/kv.db: no such file or directory"},
	} {
		other := &Stores{Path: test.path, Log: stores.Log}
		_, err := other.Open(t.Context(), Table{Listener: test.listener, Keep: true}, roomy)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
		closeStores(t, other)
	}
}

// filled makes a file with some pages of every kind, and returns its bytes.
func filled(t *testing.T) []byte {
	t.Helper()
	stores := onDisk(t)
	for _, listener := range []string{"pods", "nodes"} {
		s := openStore(t, stores, listener, Limits{Keys: 1000, Bytes: 1 << 20}, true)
		for n := range 300 {
			s.set(t, fmt.Sprintf("key %d", n), strings.Repeat("value", n%50), 0)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openStore(t, stores, listener, roomy, true)
		for n := range 100 {
			s.Delete([]byte(fmt.Sprintf("key %d", n)))
		}
	}
	closeStores(t, stores)
	b, err := os.ReadFile(stores.Path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDamagedFile(t *testing.T) {
	good := filled(t)
	path := filepath.Join(t.TempDir(), "kv.db")
	advice := "; move it away, or put a copy in its place"
	for _, test := range []struct {
		name   string
		damage func(b []byte) []byte
		want   string // "" is any
	}{
		{"text", func([]byte) []byte { return []byte(strings.Repeat("hello, world\n", 10_000)) },
			path + ": the file is damaged: invalid database" + advice},
		{"short", func(b []byte) []byte {
			return b[:100]
		}, path + ": the file is damaged: invalid database" + advice},
		{"cut to its heads", func(b []byte) []byte { return b[:8192] }, ""},
		{"cut in half", func(b []byte) []byte { return b[:len(b)/2/4096*4096] }, ""},
		{"a value was changed", func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("valuevalue"), []byte("valuevalve"))
		}, ""},
		{"pages of zeros", func(b []byte) []byte { clear(b[8192:]); return b }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			bad := test.damage(bytes.Clone(good))
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			stores := &Stores{Path: path, Log: slog.New(slog.DiscardHandler)}
			for range 2 { // the first attempt holds nothing that hinders the second
				_, err := stores.Open(t.Context(), Table{Listener: "pods", Keep: true}, roomy)
				if err == nil {
					t.Fatal("it was opened")
				}
				got := err.Error()
				if test.want == "" {
					if !strings.HasPrefix(got, path+": the file is damaged: ") ||
						!strings.HasSuffix(got, advice) {
						t.Errorf("got %s", got)
					}
				} else if got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
			}
			if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, bad) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

// Whatever bits are turned over in a file: it is refused and left as it is, or all that it returns
// is what was written.
func TestDamagedBits(t *testing.T) {
	good := filled(t)
	path := filepath.Join(t.TempDir(), "kv.db")
	refused := 0
	const places = 400
	for n := range places {
		at := (len(good)-1)*n/places/8*8 + n%8
		bad := bytes.Clone(good)
		bad[at] ^= 1 << (n % 8)
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		stores := &Stores{Path: path, Log: slog.New(slog.DiscardHandler)}
		s, err := stores.Open(t.Context(), Table{Listener: "pods", Keep: true}, roomy)
		if err != nil {
			refused++
			if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, bad) {
				t.Fatalf("bit %d of byte %d: the file was changed: %v", n%8, at, err)
			}
			continue
		}
		for n := range 300 {
			want := strings.Repeat("value", n%50)
			if got := s.value(fmt.Sprintf("key %d", n)); got != want && got != "-" {
				t.Fatalf("bit %d of byte %d: key %d has %q", n%8, at, n, got)
			}
		}
		closeStores(t, stores)
	}
	t.Logf("%d of %d were refused", refused, places)
	if refused == 0 {
		t.Error("none was refused")
	}
}
