package deadletter

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// putUntilKilled is the process that is killed: it puts letters of several objects, removes some,
// and says what it has done.
func putUntilKilled(path, first string) {
	s, err := Open(Config{Path: path})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	var from int
	fmt.Sscan(first, &from)
	for object := range 4 {
		go func() {
			for version := from; ; version++ {
				l := letter(fmt.Sprint(object), version)
				l.Object = []byte(`"` + strings.Repeat(fmt.Sprint(object), 1<<(version%15)) + `"`)
				if _, err := s.Put(context.Background(), l); err != nil {
					say("error %v", err)
					return
				}
				say("put %d %d", object, version)
			}
		}()
	}
	for {
		for l := range s.List(context.Background(), Query{Limit: 5, Heads: true}) {
			say("dropping %s %s", l.Name, l.ResourceVersion)
			if _, err := s.Delete(l.ID); err != nil {
				say("error %v", err)
			}
			say("dropped %s %s", l.Name, l.ResourceVersion)
		}
	}
}

// A process that is killed at any time leaves a file that opens, with what Put has promised, in
// order, and without what Delete has promised to be gone.
func TestKilled(t *testing.T) {
	cfg := Config{Path: file(t)}
	from := 1
	for range 4 {
		acknowledged, dropping, dropped := map[string]bool{}, map[string]bool{}, map[string]bool{}
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
		cmd.Env = []string{"DEADLETTER_TEST_FILE=" + cfg.Path, fmt.Sprint("DEADLETTER_TEST_FROM=",
			from)}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, after := bufio.NewScanner(out), 50+rand.IntN(500)
		for n := 0; lines.Scan(); n++ {
			if n == after {
				_ = cmd.Process.Signal(syscall.SIGKILL)
			}
			word, what, _ := strings.Cut(lines.Text(), " ")
			switch word {
			case "put":
				acknowledged[what] = true
			case "dropping":
				dropping[what] = true
			case "dropped":
				dropped[what] = true
			default:
				t.Fatal(lines.Text())
			}
		}
		_ = cmd.Wait() // killed
		s := open(t, cfg)
		last, there := map[string]int{}, map[string]bool{}
		for _, l := range list(t, s, Query{}) {
			what := l.Name + " " + l.ResourceVersion
			var version int
			fmt.Sscan(l.ResourceVersion, &version)
			if version <= last[l.Name] || dropped[what] ||
				len(l.Object) != 1<<(version%15)+2 {
				t.Fatalf("%s behind %d", what, last[l.Name])
			}
			last[l.Name], there[what] = version, true
			from = max(from, version+1)
		}
		for what := range acknowledged {
			if !there[what] && !dropping[what] {
				t.Fatalf("%s is lost", what)
			}
		}
		if len(acknowledged) == 0 {
			t.Fatal("nothing was put")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// On a full disk Put fails, nothing is lost, and when there is room it goes on.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small disk cannot be mounted here (%v), so that it cannot be filled; that takes root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	cfg := Config{Path: dir + "/" + FileName}
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; ; n++ {
		l := letter("a", n)
		l.Object = []byte(`"` + strings.Repeat("x", 10_000) + `"`)
		if _, err = s.Put(t.Context(), l); err != nil {
			break
		}
	}
	if n < 10 || !strings.Contains(err.Error(), "no space left on device") {
		t.Fatalf("after %d: %v", n, err)
	}
	check := func() {
		t.Helper()
		all := list(t, s, Query{})
		if len(all) != n || s.Stats().Letters != n {
			t.Fatalf("%d letters, want %d", len(all), n)
		}
	}
	check()
	for range 100 {
		l := letter("a", n)
		l.Object = []byte(`"` + strings.Repeat("x", 10_000) + `"`)
		if _, err := s.Put(t.Context(), l); err == nil {
			n++
		}
	}
	check()
	bytes := s.Stats().Bytes
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(cfg); err != nil {
		t.Fatal(err)
	}
	check()
	if got := s.Stats().Bytes; got != bytes {
		t.Errorf("%d bytes, had %d", got, bytes)
	}
	// Removing letters makes room, as soon as the disk can take that.
	all := list(t, s, Query{Heads: true})
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=2m"); err != nil {
		t.Fatal(err)
	}
	for _, l := range all[:n/2] {
		if _, err := s.Delete(l.ID); err != nil {
			t.Fatal(err)
		}
		n--
	}
	put(t, s, letter("a", n))
	n++
	check()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func init() {
	if path := os.Getenv("DEADLETTER_TEST_FILE"); path != "" {
		go func() {
			time.Sleep(time.Minute) // if its test is gone
			os.Exit(1)
		}()
		putUntilKilled(path, os.Getenv("DEADLETTER_TEST_FROM"))
		os.Exit(1)
	}
}
