package keeper

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/internal/record"
)

// "Run returns the first error of the disk, and so does every Await. Nothing is committed after
// that."
func TestTheFirstErrorOfTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		k, w := open(t, dir), filled(t, 3)
		r := run(t, k, w)
		if err := k.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := w.text()
		k.out.(*writer).write = func([]byte) error {
			k.out.(*writer).write = k.store.Commit // it would go on
			return syscall.ENOSPC
		}
		r.put(newObject(t, "p1", 100, 10))
		if err := k.Await(t.Context()); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Await: %v", err)
		}
		if err := <-r.ended; !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Run: %v", err)
		}
		if err := k.Await(t.Context()); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Await: %v", err)
		}
		r.stop()
		if got := reopen(t, dir, k).text(); got != want {
			t.Errorf("there is\n%s", got)
		}
	})
}

// "With Continue, Run logs that error and goes on, and Await returns nil. What is on disk stays as
// it was."
func TestRunContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		k, w := open(t, dir), filled(t, 3)
		var log strings.Builder
		k.log, k.Continue = slog.New(slog.NewTextHandler(&log, nil)), true
		flushes := 0
		w.flush = func() error { flushes++; return nil }
		r := run(t, k, w)
		if err := k.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
		want, current := w.text(), k.Stats().Current
		k.out.(*writer).write = func([]byte) error {
			k.out.(*writer).write = k.store.Commit // it would go on
			return syscall.EROFS
		}
		for i := range 3 {
			r.put(newObject(t, "p1", 100+i, 10))
			if err := k.Await(t.Context()); err != nil {
				t.Errorf("Await: %v", err)
			}
			time.Sleep(time.Minute)
		}
		r.do(func() {
			if in := w.informers["pods"]; len(in.pending.keys) > 0 {
				t.Error("no cuts are made")
			}
		})
		s := k.Stats()
		if !errors.Is(s.Failed, syscall.EROFS) || s.Current != current || s.Commits != 1 ||
			flushes != 2 {
			t.Errorf("%+v, %d flushes", s, flushes)
		}
		if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
			t.Errorf("logged %s", log.String())
		}
		r.end(t)
		if err := k.Await(t.Context()); err == nil {
			t.Error("there are no more cuts, and Await has no error")
		}
		if got := reopen(t, dir, k).text(); got != want {
			t.Errorf("there is\n%s", got)
		}
	})
}

// A snapshot that is being written ends with the checkpoint.
func TestASnapshotEndsWithTheCheckpoint(t *testing.T) {
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 3)
	k.Continue, k.due = true, func() bool { return true }
	mustTurn(t, k, w)
	want := w.text()
	w.flush = func() error { return syscall.EIO }
	w.informers["pods"].put(newObject(t, "p1", 100, 10))
	mustTurn(t, k, w)
	if k.rotation != nil {
		t.Error("there is a snapshot")
	}
	w.informers["pods"].put(newObject(t, "p1", 101, 10))
	mustTurn(t, k, w)
	if got := reopen(t, dir, k).text(); got != want {
		t.Errorf("there is\n%s", got)
	}
}

// Stats follow what is done.
func TestStats(t *testing.T) {
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 3)
	if s := k.Stats(); s != (Stats{}) {
		t.Errorf("before the first cut: %+v", s)
	}
	begun := time.Now()
	mustTurn(t, k, w)
	first := k.Stats()
	if first.Current.Before(begun) || first.Took <= 0 || first.Commits != 1 || first.Written < 500 {
		t.Errorf("%+v", first)
	}
	mustTurn(t, k, w)
	second := k.Stats()
	if !second.Current.After(first.Current) || second.Commits != 1 ||
		second.Written != first.Written || second.Took != first.Took {
		t.Errorf("nothing has changed: %+v", second)
	}
	k.due = func() bool { return true }
	mustTurn(t, k, w)
	err := <-k.rotation.done
	if third := k.Stats(); err != nil || third.Written < second.Written+500 {
		t.Errorf("%v, a snapshot: %+v", err, third)
	}
	k.rotation.done <- err
}

// "A snapshot that cannot be written is logged, and tried again later; cuts go on."
func TestASnapshotThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 3)
	var log strings.Builder
	k.log = slog.New(slog.NewTextHandler(&log, nil))
	due := true
	k.due = func() bool { return due }
	inTheWay := filepath.Join(dir, "snapshot-0000000000000002.tmp")
	if err := os.MkdirAll(filepath.Join(inTheWay, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	mustTurn(t, k, w)
	if n := strings.Count(log.String(), "level=WARN"); n != 1 ||
		!strings.Contains(log.String(), "is a directory") {
		t.Errorf("logged %s", log.String())
	}
	if n := k.Stats().SnapshotFailures; n != 1 {
		t.Errorf("counted %d", n)
	}
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	w.informers["pods"].put(newObject(t, "p1", 100, 10))
	mustTurn(t, k, w)
	if k.rotation == nil {
		t.Fatal("it is not tried again")
	}
	err := <-k.rotation.done
	k.rotation.done <- err
	due = false
	mustTurn(t, k, w)
	if files := glob(t, dir, "snapshot-*"); len(files) != 1 || err != nil {
		t.Errorf("%v, %q", err, files)
	}
	if got := reopen(t, dir, k).text(); got != w.text() {
		t.Errorf("there is\n%s", got)
	}
}

// A snapshot waits until each listener that was loaded has what it had.
func TestASnapshotWaitsForListeners(t *testing.T) {
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 3)
	mustTurn(t, k, w)
	want := w.text()
	k = reopen(t, dir, k)
	k.due = func() bool { return true }
	if mustTurn(t, k, newWorld(t)); k.rotation != nil {
		t.Error("there is a snapshot")
	}
	w.restart()
	w.listeners["a"].saved = k.Listener("a")
	if mustTurn(t, k, w); k.rotation == nil {
		t.Error("there is no snapshot")
	}
	<-k.rotation.done
	k.rotation = nil
	if got := reopen(t, dir, k).text(); got != want || len(glob(t, dir, "snapshot-*")) != 1 {
		t.Errorf("there is\n%s", got)
	}
}

// "Damage, another format and a folder that another process uses are errors of Open."
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 3)
	mustTurn(t, k, w)
	if _, err := Open(dir, quiet); !errors.Is(err, checkpoint.ErrLocked) {
		t.Errorf("in use: %v", err)
	}
	const one = placeFirst | placeLast
	block := func(place byte, entries ...[]any) []byte {
		b := bytes.NewBuffer([]byte{place})
		for _, e := range entries {
			v := e[0].(verb)
			if e[4] != nil {
				v |= hasValue
			}
			b.WriteByte(byte(v))
			for _, text := range e[1:3] {
				b.WriteByte(byte(len(text.(string))))
				b.WriteString(text.(string))
			}
			if b.WriteByte(byte(e[3].(int))); e[4] != nil {
				record.Encode(b, e[4])
			}
		}
		return b.Bytes()
	}
	listener := []any{verbListener, "", "a", 0, nil}
	part := func(name string) []any { return []any{verbPart, "", name, 0, nil} }
	gone := []any{verbPut, "ns", "a", 0, "7"}
	for what, c := range map[string]struct{ block []byte }{
		"a route": {block(one, listener, part("outputs"),
			[]any{verbPut, "", "1", 0, []any{"out", 7}})},
		"an unknown record":         {block(one, []any{verb(100), "", "", 0, nil})},
		"a record that is cut off":  {[]byte{one, byte(verbListener), 9}},
		"more objects than bytes":   {block(one, listener, part("x"), []any{verbPut, "", "a", 9, nil})},
		"a cut without a beginning": {block(placeLast, listener)},
		"an object of no informer":  {block(one, part("objects"), gone)},
		"an object of no part":      {block(one, listener, gone)},
		"nothing":                   {[]byte{}},
	} {
		other := t.TempDir()
		k := open(t, other)
		if err := k.store.Commit(c.block); err != nil {
			t.Fatal(err)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(other, quiet); !errors.Is(err, checkpoint.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
		if err := checkpoint.Remove(other); err != nil { // it is not locked
			t.Errorf("%s: %v", what, err)
		}
	}
}
