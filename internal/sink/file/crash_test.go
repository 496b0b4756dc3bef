package file

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

const crashVariable = "INFORMERD_FILE_CRASH"

var crashConfig = Config{Rotate: Rotate{Size: 20_000}}

// TestCrashChild is the process that TestAKilledProcessLosesNothing kills. It prints the version of
// the messages that were taken.
func TestCrashChild(t *testing.T) {
	path := os.Getenv(crashVariable)
	if path == "" {
		t.Skip("run by TestAKilledProcessLosesNothing")
	}
	config := crashConfig
	config.Path = path
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	for version := 1; ; version++ {
		if errs := s.Write(context.Background(), some(t, 3, version)); errs != nil {
			t.Fatal(errs)
		}
		fmt.Printf("\ntaken %d\n", version)
	}
}

// Every line that Write has reported as taken is there after kill -9, and the next process goes on
// in a new line.
func TestAKilledProcessLosesNothing(t *testing.T) {
	d := newDisk(t)
	d.path = filepath.Join(t.TempDir(), "audit.jsonl")
	for round := range 4 {
		before := d.Taken()
		taken := runUntilKilled(t, d.path, 20+37*round)
		var got []string
		for _, path := range allFiles(t, d.path) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if path == d.path && len(text) > 0 && text[len(text)-1] != '\n' {
				t.Logf("round %d: the last line is a part", round)
			}
		}
		config := crashConfig
		s := d.start(config) // completes the last line
		write(t, s, some(t, 1, 1_000_000+round)...)
		closeSink(t, s)
		got = d.Taken()[len(before):]
		var want []string
		for version := 1; version <= taken; version++ {
			want = append(want, texts(some(t, 3, version)...)...)
		}
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("round %d: %d lines were taken, and are not all there", round, len(want))
		}
		if last := texts(some(t, 1, 1_000_000+round)...); got[len(got)-1] != last[0] {
			t.Errorf("round %d: the last line is %.300q", round, got[len(got)-1])
		}
	}
}

// runUntilKilled runs the child and kills it after some lines of output. It returns the last
// version that it has reported.
func runUntilKilled(t *testing.T, path string, lines int) (taken int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestCrashChild$")
	child.Env = append(os.Environ(), crashVariable+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	reported := bufio.NewScanner(out)
	for n := 0; reported.Scan(); n++ {
		if n == lines {
			if err := child.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
		var version string
		if k, _ := fmt.Sscanf(reported.Text(), "taken %s", &version); k == 1 {
			if v, err := strconv.Atoi(version); err == nil {
				taken = v
			}
		}
	}
	if err := child.Wait(); err == nil || taken == 0 {
		t.Fatalf("the child ended: %v, after %d", err, taken)
	}
	return taken
}
