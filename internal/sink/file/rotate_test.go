package file

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// clock is a clock that a test sets.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 11, 22, 21, 30, 0, 0, time.UTC)} }

// startAt makes a sink that has a clock.
func (d *disk) startAt(c *clock, config Config) *Sink {
	s := d.start(config)
	s.group.mu.Lock()
	defer s.group.mu.Unlock()
	s.group.journal.now = func() time.Time { return c.now }
	if s.group.journal.size == 0 {
		s.group.journal.began = c.now
	} else {
		s.group.journal.began = s.group.journal.firstLine()
	}
	return s
}

// names returns the names in the disk's folder, sorted.
func (d *disk) names() (names []string) {
	d.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(d.path))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func wantNames(t *testing.T, d *disk, want ...string) {
	t.Helper()
	if got := d.names(); !slices.Equal(got, want) {
		t.Errorf("files\n got %q\nwant %q", got, want)
	}
}

func TestRotationBySize(t *testing.T) {
	for _, sync := range []Sync{SyncInterval, SyncAlways, SyncNever} {
		const perFile = 3
		line := int64(len(texts(some(t, 1, 1)...)[0]) + 1)
		d := newDisk(t)
		s := d.start(Config{Rotate: Rotate{Size: perFile * line}, Sync: sync})
		var all []sink.Message
		for version := range 4 {
			write(t, s, some(t, 5, version+1)...)
			all = append(all, some(t, 5, version+1)...)
		}
		closeSink(t, s)
		wantLines(t, d.Taken(), all...)
		for i, path := range allFiles(t, d.path) {
			want := min(perFile, len(all)-i*perFile)
			if got := len(lines(t, path)); got != want {
				t.Errorf("%s: file %d has %d lines, want %d", sync, i, got, want)
			}
		}
	}
}

func TestALargeLineHasAFileForItself(t *testing.T) {
	d := newDisk(t)
	s := d.start(Config{Rotate: Rotate{Size: 1000}})
	large := sinktest.Message(t, strings.Repeat("x", 2000), 1)
	write(t, s, some(t, 1, 1)[0], large, some(t, 1, 2)[0])
	closeSink(t, s)
	var counts []int
	for _, path := range allFiles(t, d.path) {
		counts = append(counts, len(lines(t, path)))
	}
	if !slices.Equal(counts, []int{1, 1, 1}) {
		t.Errorf("lines of the files: %d", counts)
	}
}

func TestRotationByAge(t *testing.T) {
	d, c := newDisk(t), newClock()
	config := Config{Rotate: Rotate{Age: time.Hour}}
	s := d.startAt(c, config)
	c.now = c.now.Add(10 * time.Hour) // the file is empty, and begins with its first line
	write(t, s, some(t, 1, 1)...)
	c.now = c.now.Add(time.Hour - 1)
	write(t, s, some(t, 1, 2)...)
	wantNames(t, d, "audit.jsonl")
	c.now = c.now.Add(1)
	write(t, s, some(t, 1, 3)...)
	wantNames(t, d, "audit-2026-11-23T08-30-00.000.jsonl", "audit.jsonl")
	closeSink(t, s)
	wantLines(t, lines(t, d.path), some(t, 1, 3)...)
	wantLines(t, d.Taken(), slices.Concat(some(t, 1, 1), some(t, 1, 2), some(t, 1, 3))...)
}

// After a restart a file is as old as its first line says; without one, as its last change.
func TestAgeAfterARestart(t *testing.T) {
	observed := sinktest.Message(t, "a", 1).Time
	for name, tt := range map[string]struct {
		text    string
		now     time.Time
		rotates bool
	}{
		"young":        {texts(some(t, 1, 1)...)[0] + "\n", observed.Add(time.Minute), false},
		"old":          {texts(some(t, 1, 1)...)[0] + "\n", observed.Add(time.Hour), true},
		"of tomorrow":  {texts(some(t, 1, 1)...)[0] + "\n", observed.Add(-24 * time.Hour), false},
		"another text": {"one\ntwo\n", time.Now().Add(time.Minute), false},
		"another old":  {"one\n,\"time\":\"x\"", time.Now().Add(2 * time.Hour), true},
	} {
		d, c := newDisk(t), &clock{tt.now}
		if err := os.WriteFile(d.path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := d.startAt(c, Config{Rotate: Rotate{Age: time.Hour}})
		write(t, s, some(t, 1, 2)...)
		if got := len(d.names()); (got == 2) != tt.rotates {
			t.Errorf("%s: files %q", name, d.names())
		}
		files := len(d.names())
		c.now = c.now.Add(time.Hour)
		write(t, s, some(t, 1, 3)...)
		closeSink(t, s)
		if got := len(d.names()); got != files+1 {
			t.Errorf("%s: an hour later files %q", name, d.names())
		}
	}
}

// Names sort by time even if the clock is set back, and none is taken twice.
func TestNamesSortByTime(t *testing.T) {
	d, c := newDisk(t), newClock()
	s := d.startAt(c, Config{Rotate: Rotate{Size: 1}})
	for i, step := range []time.Duration{0, 0, time.Second, -time.Hour, 0, 2 * time.Hour} {
		c.now = c.now.Add(step)
		write(t, s, some(t, 1, i)...)
	}
	write(t, s, some(t, 1, 6)...)
	closeSink(t, s)
	wantNames(t, d,
		"audit-2026-11-22T21-30-00.000.jsonl",
		"audit-2026-11-22T21-30-01.000.jsonl",
		"audit-2026-11-22T21-30-01.001.jsonl",
		"audit-2026-11-22T21-30-01.002.jsonl",
		"audit-2026-11-22T22-30-01.000.jsonl",
		"audit-2026-11-22T22-30-01.001.jsonl",
		"audit.jsonl")
	var want []sink.Message
	for i := range 7 {
		want = append(want, some(t, 1, i)...)
	}
	wantLines(t, d.Taken(), want...)
}

// The newest files are kept, and nothing else is removed, nor taken for an old file, nor replaced.
func TestOnlyOldFilesAreRemoved(t *testing.T) {
	d, c := newDisk(t), newClock()
	folder := filepath.Dir(d.path)
	foreign := []string{
		"audit-2020-01-01T00-00-00.000.jsonl.gz",
		"audit-2020-01-01T00-00-00.000",
		"audit-2020-01-01T00-00-00.jsonl",
		"audit-2020-01-01T00-00-00.0000.jsonl",
		"audit-2020-13-01T00-00-00.000.jsonl",
		"audit-2020-01-01T00-00-00,000.jsonl",
		"audit-.jsonl",
		"audits-2020-01-01T00-00-00.000.jsonl",
		"audit.jsonl.1",
		"x-audit-2020-01-01T00-00-00.000.jsonl",
	}
	for _, name := range foreign {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("keep"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inTheWay := []string{"audit-2020-01-02T00-00-00.000.jsonl",
		"audit-2026-11-22T21-31-00.000.jsonl"}
	if err := os.Mkdir(filepath.Join(folder, inTheWay[0]), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(folder, inTheWay[1])); err != nil {
		t.Fatal(err)
	}
	before := d.names()

	s := d.startAt(c, Config{Rotate: Rotate{Size: 1, Keep: 3}})
	for i := range 10 {
		write(t, s, some(t, 1, i)...)
		c.now = c.now.Add(time.Minute)
		if len(d.names()) > len(before)+4 {
			t.Errorf("files %q", d.names())
		}
	}
	closeSink(t, s)
	wantLines(t, d.Taken(), slices.Concat(some(t, 1, 6), some(t, 1, 7), some(t, 1, 8),
		some(t, 1, 9))...)
	if to, err := os.Readlink(filepath.Join(folder, inTheWay[1])); to != os.DevNull {
		t.Errorf("the link names %q, %v", to, err)
	}
	for _, name := range before {
		if !slices.Contains(d.names(), name) {
			t.Errorf("%s was removed", name)
		}
	}

	closeSink(t, d.startAt(c, Config{Rotate: Rotate{Keep: 1}})) // fewer, from the start
	wantLines(t, d.Taken(), slices.Concat(some(t, 1, 8), some(t, 1, 9))...)
}

// A name that was reserved by a rotation that a crash has ended is free again.
func TestAnInterruptedRotation(t *testing.T) {
	d, c := newDisk(t), newClock()
	empty := filepath.Join(filepath.Dir(d.path), "audit-2026-11-22T21-30-00.000.jsonl")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := d.startAt(c, Config{Rotate: Rotate{Size: 1}})
	wantNames(t, d, "audit.jsonl")
	write(t, s, some(t, 2, 1)...)
	closeSink(t, s)
	wantNames(t, d, filepath.Base(empty), "audit.jsonl")
}

func TestNamesOfOtherPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/a/audit.jsonl": "audit-*.jsonl", "/a/audit": "audit-*", "/a/.audit": ".audit-*",
		"/a/b.c.d": "b.c-*.d", "/a/x.": "x-*.",
	} {
		before, after := newJournal(Config{Path: path}, nil).pattern()
		if got := before + "*" + after; got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// What a failed Write cannot remove comes twice, in order, and before what is written later.
func TestWhatCannotBeRemovedComesTwice(t *testing.T) {
	old, later := some(t, 2, 1), some(t, 2, 2)
	breakLess := func(p []byte) int { return len(p) - 1 }
	for name, tt := range map[string]struct {
		sync  Sync
		fails []string
		bytes func([]byte) int // that a write takes which fails
		want  []sink.Message
	}{
		"sync, no truncate": {SyncAlways, []string{"sync", "truncate"}, nil,
			slices.Concat(old, old, later)},
		"sync, no open": {SyncAlways, []string{"sync", "open"}, nil,
			slices.Concat(old, old, later)},
		"sync alone": {SyncAlways, []string{"sync"}, nil,
			slices.Concat(old, later)},
		"no line break": {SyncInterval, []string{"write", "truncate"}, breakLess,
			slices.Concat(old, old[1:], later)},
		"no line break alone": {SyncInterval, []string{"write"}, breakLess,
			slices.Concat(old, later)},
	} {
		line := int64(len(texts(old...)[0]) + 1)
		for _, size := range []int64{0, 3 * line} { // in one file, and in two
			d := newDisk(t)
			s := d.start(Config{Rotate: Rotate{Size: size}, Sync: tt.sync})
			d.fail(func(op string, p []byte) (int, error) {
				if !slices.Contains(tt.fails, op) {
					return 0, nil
				}
				if tt.bytes == nil {
					return 0, syscall.EIO
				}
				return tt.bytes(p), syscall.EIO
			})
			errs := s.Write(t.Context(), old)
			taken := 0
			if tt.bytes != nil {
				taken = 1
			}
			wantFailed(t, errs, taken, syscall.EIO)
			d.fail(nil)
			write(t, s, old[taken:]...)
			write(t, s, later...)
			closeSink(t, s)
			if got := d.Taken(); !slices.Equal(got, texts(tt.want...)) {
				t.Errorf("%s, files of %d bytes:\n got %.900q\nwant %.900q", name, size, got,
					texts(tt.want...))
			}
		}
	}
}

// A rotation that fails loses nothing and is tried again.
func TestARotationThatFails(t *testing.T) {
	for _, sync := range []Sync{SyncInterval, SyncAlways, SyncNever} {
		for _, op := range []string{"sync", "open", "create", "rename"} {
			d, n := newDisk(t), 0
			// Some lines of the batch are in the first file.
			s := d.start(Config{Rotate: Rotate{Size: 2000}, Sync: sync})
			write(t, s, some(t, 1, 1)...)
			fault := fmt.Errorf("no %s", op)
			d.fail(func(got string, _ []byte) (int, error) {
				if got == op {
					n++
					return 0, fault
				}
				return 0, nil
			})
			errs := s.Write(t.Context(), some(t, 4, 2))
			if sync == SyncNever && op == "sync" {
				if errs != nil || n != 0 {
					t.Errorf("never: %v, %d syncs", errs, n)
				}
				closeSink(t, s)
				continue
			}
			if errs == nil || n == 0 {
				t.Fatalf("%s, %s: %v", sync, op, errs)
			}
			for _, path := range allFiles(t, d.path) {
				if path != d.path && len(lines(t, path)) == 0 {
					t.Errorf("%s, %s: %s is empty", sync, op, path)
				}
			}
			var again []sink.Message
			for i, m := range some(t, 4, 2) {
				if errs[i] != nil {
					again = append(again, m)
				}
			}
			d.fail(nil)
			write(t, s, again...)
			closeSink(t, s)
			if sync != SyncAlways { // which undoes what it is not sure of
				wantLines(t, d.Taken(), append(some(t, 1, 1), some(t, 4, 2)...)...)
			}
			got := d.Taken()
			for _, want := range texts(append(some(t, 1, 1), some(t, 4, 2)...)...) {
				if !slices.Contains(got, want) {
					t.Errorf("%s, %s: a line is lost", sync, op)
				}
			}
		}
	}
}
