package checkpoint

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

// crashModel is a store on a disk that fails, and what must be in it.
type crashModel struct {
	t         *rapid.T
	disk      *memDisk
	store     *Store
	snapshot  *Snapshot // that is being written, may be nil
	rotatedAt state     // what it has to have
	committed state
	flying    int // a number whose commit has ended with an error, 0 if there is none
	next      int
	reloads   int
}

// TestCrashes commits, rotates, and lets the power fail or the disk return errors at any of its
// operations. What loads is what was committed, and with it all or nothing of the commit that was
// under way.
func TestCrashes(t *testing.T) {
	reloads := 0
	rapid.Check(t, func(t *rapid.T) {
		m := &crashModel{t: t, disk: newMemDisk(rapid.Uint64().Draw(t, "seed")), next: 1}
		m.restart(false)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			m.step()
		}
		m.end()
		m.restart(rapid.Bool().Draw(t, "lost at the end"))
		m.end()
		reloads += m.reloads
	})
	t.Logf("loaded %d times", reloads)
}

func (m *crashModel) step() {
	t := m.t
	var err error
	switch rapid.SampledFrom([]string{"commit", "commit", "commit", "rotate", "finish", "abort",
		"restart", "crash", "fail"}).Draw(t, "step") {
	case "commit":
		err = m.commit()
	case "rotate":
		err = m.rotate()
	case "finish":
		err = m.finish()
	case "abort":
		if m.snapshot != nil {
			m.snapshot.Abort()
			m.snapshot = nil
		}
	case "restart":
		m.end()
		m.restart(false)
	case "crash":
		m.disk.crashAt = m.disk.ops + rapid.IntRange(1, 8).Draw(t, "crash after")
	case "fail":
		m.disk.failAt = m.disk.ops + rapid.IntRange(1, 8).Draw(t, "fail after")
		m.disk.failure = rapid.SampledFrom([]error{syscall.EIO, syscall.ENOSPC,
			syscall.EROFS}).Draw(t, "failure")
	}
	switch {
	case errors.Is(err, errCrash):
		m.restart(true)
	case errors.Is(err, ErrFailed):
		if err := m.store.Commit(numbered(m.next, 0)); !errors.Is(err, ErrFailed) {
			t.Fatalf("a commit after a failed one: %v", err)
		}
		if _, err := m.store.Rotate(); !errors.Is(err, ErrFailed) {
			t.Fatalf("a rotation after a failed commit: %v", err)
		}
		m.end()
		m.restart(rapid.Bool().Draw(t, "power lost as well"))
	}
}

func (m *crashModel) commit() error {
	n := m.next
	m.next++
	pad := rapid.SampledFrom([]int{0, 1, 30, 200}).Draw(m.t, "length")
	if err := m.store.Commit(numbered(n, pad)); err != nil {
		if !errors.Is(err, ErrFailed) {
			m.t.Fatalf("commit: %v", err)
		}
		m.flying = n
		return err
	}
	m.committed = append(m.committed, n)
	return nil
}

func (m *crashModel) rotate() error {
	sn, err := m.store.Rotate()
	if m.snapshot != nil {
		if !errors.Is(err, errRotating) {
			m.t.Fatalf("two rotations: %v", err)
		}
		return nil
	}
	m.snapshot, m.rotatedAt = sn, slices.Clone(m.committed)
	return err
}

// finish ends a rotation. That it fails is no harm, unless there was a crash.
func (m *crashModel) finish() error {
	if m.snapshot == nil {
		return nil
	}
	err := writeSnapshot(m.snapshot, m.rotatedAt)
	m.snapshot.Abort() // of no effect after Finish
	m.snapshot = nil
	return err
}

// end closes the store.
func (m *crashModel) end() {
	if m.snapshot != nil {
		m.snapshot.Abort()
		m.snapshot = nil
	}
	_ = m.store.Close()
}

// restart begins again, after power was lost or with the files as they are, and checks what loads.
// Power may be lost again meanwhile.
func (m *crashModel) restart(lost bool) {
	t := m.t
	m.snapshot = nil
	m.disk.stop()
	if lost {
		m.disk = m.disk.crash()
	}
	if rapid.IntRange(0, 3).Draw(t, "again") == 0 {
		m.disk.crashAt = m.disk.ops + rapid.IntRange(1, 20).Draw(t, "crash while loading")
	}
	for {
		s, loaded, err := restart(m.disk)
		if errors.Is(err, errCrash) {
			m.disk.stop()
			m.disk = m.disk.crash()
			continue
		}
		if err != nil {
			t.Fatalf("loading: %v", err)
		}
		m.reloads++
		if m.flying > 0 && slices.Equal(loaded, append(slices.Clone(m.committed), m.flying)) {
			m.committed = loaded
		}
		if !slices.Equal(loaded, m.committed) {
			t.Fatalf("loaded %v, committed %v, under way %d", loaded, m.committed, m.flying)
		}
		// A commit that was cut off, or loaded, is not under way any more.
		m.store, m.flying = s, 0
		return
	}
}
