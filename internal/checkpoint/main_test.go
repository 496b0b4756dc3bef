package checkpoint

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("CHECKPOINT_TEST_DIR"); dir != "" {
		commitUntilKilled(dir)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

const folder = "/state/checkpoint"

// The state of the tests is a list of numbers. A commit adds one. A snapshot has all of them, and
// several blocks.

// numbered returns the block of a commit, which is the larger the larger pad is.
func numbered(n, pad int) []byte {
	return fmt.Appendf(nil, "add %d %s", n, strings.Repeat("x", pad))
}

// state reads blocks.
type state []int

func (s *state) read(block []byte) error {
	var n int
	if _, err := fmt.Sscanf(string(block), "add %d", &n); err != nil {
		return fmt.Errorf("block %q: %w", block, err)
	}
	*s = append(*s, n)
	return nil
}

// restart opens and loads the checkpoint of a disk.
func restart(d disk) (s *Store, loaded state, err error) {
	if s, err = open(folder, d); err != nil {
		return nil, nil, err
	}
	if err = s.Load(loaded.read); err != nil {
		_ = s.Close()
		return nil, nil, err
	}
	return s, loaded, nil
}

func mustRestart(t testing.TB, d disk) (*Store, state) {
	t.Helper()
	s, loaded, err := restart(d)
	if err != nil {
		t.Fatal(err)
	}
	return s, loaded
}

func mustCommit(t testing.TB, s *Store, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		if err := s.Commit(numbered(n, n*7%50)); err != nil {
			t.Fatal(err)
		}
	}
}

// writeSnapshot writes all of a state.
func writeSnapshot(sn *Snapshot, all state) error {
	for _, n := range all {
		if err := sn.Write(numbered(n, n%3)); err != nil {
			return err
		}
	}
	return sn.Finish()
}

func mustRotate(t testing.TB, s *Store) *Snapshot {
	t.Helper()
	sn, err := s.Rotate()
	if err != nil {
		t.Fatal(err)
	}
	return sn
}

// threeFiles returns a disk with a snapshot and two logs, and what was committed to them.
func threeFiles(t testing.TB) (*memDisk, state) {
	d := newMemDisk(1)
	s, _ := mustRestart(t, d)
	mustCommit(t, s, 1, 2, 3, 4, 5)
	if err := writeSnapshot(mustRotate(t, s), state{1, 2, 3, 4, 5}); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s, 6, 7, 8, 9)
	mustRotate(t, s).Abort()
	mustCommit(t, s, 10, 11, 12, 13)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return d, state{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}
}
