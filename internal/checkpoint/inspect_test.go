package checkpoint

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// inspect returns what Inspect reads from a folder.
func inspect(t *testing.T, dir string) (Contents, state) {
	t.Helper()
	var read state
	c, err := Inspect(dir, read.read)
	if err != nil {
		t.Fatal(err)
	}
	return c, read
}

// What Inspect reads is what Load would, while a process uses the folder as well, and it changes
// nothing: what a crash has torn stays.
func TestInspect(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "checkpoint")
	if _, err := Inspect(dir, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c, _ := inspect(t, dir); c.Bytes != 0 || !c.Committed.IsZero() {
		t.Errorf("before the first log: %+v", c)
	}
	var all state
	if err := s.Load(all.read); err != nil {
		t.Fatal(err)
	}
	began := time.Now().Add(-time.Minute)
	mustCommit(t, s, 1, 2)
	if err := writeSnapshot(mustRotate(t, s), state{1, 2}); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s, 3)
	sn := mustRotate(t, s) // under way
	mustCommit(t, s, 4)
	c, read := inspect(t, dir)
	size, err := s.Size()
	if err != nil || !slices.Equal(read, state{1, 2, 3, 4}) || c.Bytes != size ||
		c.Committed.Before(began) {
		t.Errorf("%v, read %v, %+v, the size is %d", err, read, c, size)
	}
	sn.Abort()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	log := logFile.path(dir, 3)
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	content = content[:len(content)-3]
	if err := os.WriteFile(log, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, read := inspect(t, dir); !slices.Equal(read, state{1, 2, 3}) {
		t.Errorf("read %v of a torn log", read)
	}
	if now, err := os.ReadFile(log); err != nil || !slices.Equal(now, content) {
		t.Errorf("the log was changed, %v", err)
	}
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(logFile.path(dir, 2)); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(dir, read.read); !errors.Is(err, ErrDamaged) {
		t.Errorf("a log is missing: %v", err)
	}
}
