package checkpoint

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
)

// The whole life of a checkpoint, with files.
func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "checkpoint")
	var want state
	start := func() *Store {
		t.Helper()
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		var loaded state
		if err := s.Load(loaded.read); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(loaded, want) {
			t.Fatalf("loaded %v, want %v", loaded, want)
		}
		return s
	}
	for round := range 4 {
		s := start()
		for range 3 {
			want = append(want, len(want))
			mustCommit(t, s, want[len(want)-1])
		}
		if round%2 == 1 {
			sn := mustRotate(t, s)
			all := slices.Clone(want)
			want = append(want, len(want))
			mustCommit(t, s, want[len(want)-1]) // meanwhile
			if err := writeSnapshot(sn, all); err != nil {
				t.Fatal(err)
			}
		}
		checkSize(t, s, dir)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if files := listed(t, dir); files != "lock log-0000000000000003 snapshot-0000000000000003" {
		t.Errorf("there are %s", files)
	}
	// The incomplete end of a crash is cut off.
	log := filepath.Join(dir, "log-0000000000000003")
	complete, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, append(complete, "torn"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := start().Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(log); err != nil || !slices.Equal(after, complete) {
		t.Errorf("%d bytes are %d, %v", len(complete), len(after), err)
	}
	if err := Remove(dir); err != nil {
		t.Fatal(err)
	}
	want = nil
	if err := start().Close(); err != nil {
		t.Fatal(err)
	}
	if err := Remove(filepath.Join(dir, "none")); err != nil {
		t.Errorf("removing nothing: %v", err)
	}
}

// checkSize compares Size with the files, which are readable for their owner only.
func checkSize(t *testing.T, s *Store, dir string) {
	t.Helper()
	sum := int64(0)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if sum += info.Size(); info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v", e.Name(), info.Mode())
		}
	}
	if n, err := s.Size(); n != sum || err != nil {
		t.Errorf("size %d, %v, want %d", n, err, sum)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func listed(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// "After an error of Commit the store refuses everything with ErrFailed", also when the disk works
// again. The error says which file, and why.
func TestNothingIsCommittedAfterAnError(t *testing.T) {
	for op, what := range []string{"the write", "the sync"} {
		for _, reason := range []error{syscall.EIO, syscall.ENOSPC, syscall.EROFS} {
			d := newMemDisk(1)
			s, _ := mustRestart(t, d)
			mustCommit(t, s, 1)
			sn := mustRotate(t, s)
			d.failAt, d.failure = d.ops+1+op, reason
			err := s.Commit(numbered(2, 100))
			if !errors.Is(err, ErrFailed) || !errors.Is(err, reason) ||
				!strings.Contains(err.Error(), folder+"/log-0000000000000002: ") {
				t.Errorf("%s: %v", what, err)
			}
			if err := s.Commit(numbered(3, 0)); !errors.Is(err, ErrFailed) {
				t.Errorf("the next commit: %v", err)
			}
			if err := sn.Finish(); !errors.Is(err, ErrFailed) {
				t.Errorf("a snapshot: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if _, loaded := mustRestart(t, d); loaded[0] != 1 || len(loaded) > 2 {
				t.Errorf("loaded %v", loaded)
			}
		}
	}
}

// "A snapshot that cannot be written does no harm; commits go on."
func TestASnapshotMayFail(t *testing.T) {
	for op := 1; ; op++ {
		d := newMemDisk(uint64(op))
		s, _ := mustRestart(t, d)
		mustCommit(t, s, 1, 2)
		began := d.ops
		d.failAt, d.failure = began+op, syscall.ENOSPC
		sn, err := s.Rotate()
		want := state{1, 2}
		if err == nil {
			err = writeSnapshot(sn, want)
		}
		if d.ops < d.failAt {
			if err != nil {
				t.Fatal(err)
			}
			break // all operations have failed once
		}
		if errors.Is(err, ErrFailed) { // it is unknown which log is the last
			continue
		}
		mustCommit(t, s, 3)
		if err := writeSnapshot(mustRotate(t, s), append(want, 3)); err != nil {
			t.Errorf("the next snapshot, after operation %d: %v", op, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, loaded := mustRestart(t, d.crash()); !slices.Equal(loaded, state{1, 2, 3}) {
			t.Errorf("loaded %v", loaded)
		}
	}
}

// Due reports true once the logs are larger than the snapshot, and not small.
func TestDue(t *testing.T) {
	d := newMemDisk(1)
	s, _ := mustRestart(t, d)
	commit := func(megabytes int) {
		t.Helper()
		for range megabytes {
			if err := s.Commit(numbered(1, 1<<20)); err != nil {
				t.Fatal(err)
			}
		}
	}
	expect := func(want bool) {
		t.Helper()
		if s.Due() != want {
			t.Errorf("due %v", !want)
		}
	}
	commit(15)
	expect(false)
	commit(2)
	expect(true)
	sn := mustRotate(t, s)
	expect(false) // one is under way
	commit(1)
	sn.Abort()
	expect(false) // not again at once
	commit(17)
	expect(true)
	sn = mustRotate(t, s)
	for range 20 {
		if err := sn.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	commit(3)
	if err := sn.Finish(); err != nil {
		t.Fatal(err)
	}
	commit(14)
	expect(false) // smaller than the snapshot
	commit(5)
	expect(true)
}

// While the disk is slow, nothing but the commit waits for it.
func TestASlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newMemDisk(1)
		s, _ := mustRestart(t, d)
		d.holding = make(chan struct{})
		committed := make(chan error, 1)
		go func() { committed <- s.Commit(numbered(1, 0)) }()
		synctest.Wait()
		select {
		case err := <-committed:
			t.Fatalf("committed before the sync: %v", err)
		default:
		}
		if s.Due() {
			t.Error("due")
		}
		if n, err := s.Size(); n == 0 || err != nil {
			t.Errorf("size %d, %v", n, err)
		}
		close(d.holding)
		if err := <-committed; err != nil {
			t.Error(err)
		}
	})
}

// What is called in a wrong order has an error, and does nothing.
func TestOrderOfCalls(t *testing.T) {
	d := newMemDisk(1)
	s, err := open(folder, d)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(nil); !errors.Is(err, errNotLoaded) {
		t.Errorf("a commit before Load: %v", err)
	}
	if _, err := s.Rotate(); !errors.Is(err, errNotLoaded) {
		t.Errorf("a rotation before Load: %v", err)
	}
	var loaded state
	if err := s.Load(loaded.read); err != nil {
		t.Fatal(err)
	}
	if err := s.Load(loaded.read); err == nil {
		t.Error("loaded twice")
	}
	sn := mustRotate(t, s)
	sn.Abort()
	if err := sn.Write(nil); err == nil {
		t.Error("wrote to a snapshot that has ended")
	}
	if err := sn.Finish(); err == nil {
		t.Error("finished a snapshot that has ended")
	}
	mustCommit(t, s, 1)
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if err := s.Commit(nil); !errors.Is(err, errClosed) || errors.Is(err, ErrFailed) {
		t.Errorf("a commit after Close: %v", err)
	}
	wrong := errors.New("it means nothing")
	if s, err = open(folder, d); err != nil {
		t.Fatal(err)
	}
	before := len(d.contents())
	if err := s.Load(func([]byte) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("loading: %v", err)
	}
	if err := s.Commit(nil); !errors.Is(err, wrong) || len(d.contents()) != before {
		t.Errorf("a commit after a failed Load: %v", err)
	}
}

// A folder that cannot be written is an error of Open, and so is a disk that fails then.
func TestReadOnly(t *testing.T) {
	for op := 1; op <= 3; op++ {
		d, _ := threeFiles(t)
		before := len(d.contents())
		d.failAt, d.failure = d.ops+op, syscall.EROFS
		if _, err := open(folder, d); !errors.Is(err, syscall.EROFS) {
			t.Errorf("operation %d: %v", op, err)
		}
		if len(d.contents()) != before {
			t.Error("files were changed")
		}
		d.stop()
		if _, loaded := mustRestart(t, d); len(loaded) != 13 {
			t.Errorf("loaded %v", loaded)
		}
	}
}

// An error of the disk while loading is no sign of damage, nor of a torn end: everything is there
// once the disk can be read again.
func TestErrorsWhileLoading(t *testing.T) {
	for op := 1; ; op++ {
		d, committed := threeFiles(t)
		before := d.contents()
		d.failAt, d.failure = d.ops+op, syscall.EIO
		_, _, err := restart(d)
		if d.ops < d.failAt {
			if err != nil {
				t.Fatal(err)
			}
			break // all operations have failed once
		}
		if !errors.Is(err, syscall.EIO) || errors.Is(err, ErrDamaged) {
			t.Errorf("operation %d: %v", op, err)
		}
		if !maps.Equal(d.contents(), before) {
			t.Errorf("operation %d: files were changed", op)
		}
		d.stop()
		if _, loaded := mustRestart(t, d.crash()); !slices.Equal(loaded, committed) {
			t.Errorf("operation %d: loaded %v", op, loaded)
		}
	}
}
