package checkpoint

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// commitUntilKilled is a process that commits numbers and says which, and that rotates every now
// and then. It waits if it is killed too late.
func commitUntilKilled(dir string) {
	say := func(what ...any) { fmt.Println(what...) }
	s, err := Open(dir)
	var all state
	if err == nil {
		err = s.Load(all.read)
	}
	say("open", err)
	var sn *Snapshot
	var before state
	for n := len(all); err == nil && n < len(all)+10_000; n++ {
		switch n % 20 {
		case 5:
			before = slices.Clone(all)
			sn, err = s.Rotate()
		case 15:
			if sn != nil {
				err = writeSnapshot(sn, before)
			}
		}
		if err == nil {
			err = s.Commit(numbered(n, n%9*100))
		}
		all = append(all, n)
		say("committed", n, err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // which ends with the test
}

// process starts one that commits to a folder, with a pipe that ends when the test does.
func process(t *testing.T, dir string) (cmd *exec.Cmd, out *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "CHECKPOINT_TEST_DIR="+dir)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out = bufio.NewScanner(pipe)
	if !out.Scan() || out.Text() != "open <nil>" {
		t.Fatal(out.Text(), out.Err())
	}
	return cmd, out
}

// A process that is killed at any time leaves everything that Commit has promised, in order. While
// it runs, no other one can open the folder: "One process at a time uses a folder; others get
// ErrLocked. A killed process holds no lock."
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	last := -1
	for range 4 {
		cmd, out := process(t, dir)
		if _, err := Open(dir); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), dir) {
			t.Errorf("opening: %v", err)
		}
		if err := Remove(dir); !errors.Is(err, ErrLocked) {
			t.Errorf("removing: %v", err)
		}
		for after := 20 + rand.IntN(100); out.Scan(); after-- {
			var n int
			var err string
			if _, scanErr := fmt.Sscan(out.Text(), new(string), &n, &err); scanErr != nil ||
				err != "<nil>" || n != last+1 {
				t.Fatalf("%q after %d", out.Text(), last)
			}
			if last = n; after == 0 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // killed
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		var loaded state
		if err := s.Load(loaded.read); err != nil {
			t.Fatal(err)
		}
		if len(loaded) != last+1 && len(loaded) != last+2 {
			t.Fatalf("%d numbers, want %d, and perhaps one more", len(loaded), last+1)
		}
		for i, n := range loaded {
			if n != i {
				t.Fatalf("number %d is %d", i, n)
			}
		}
		last = len(loaded) - 1
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
