package file

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// smallDisk mounts a disk of half a megabyte.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("a small disk cannot be mounted here (%v); that takes root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A disk that is really full holds messages up and loses none, with and without old files.
func TestAFullDisk(t *testing.T) {
	for _, config := range []Config{{}, {Sync: SyncAlways},
		{Rotate: Rotate{Size: 20_000}}, {Rotate: Rotate{Size: 20_000}, Sync: SyncAlways}} {
		dir := smallDisk(t)
		d := newDisk(t)
		d.path = filepath.Join(dir, "audit.jsonl")
		config.Path = d.path
		ballast := filepath.Join(dir, "ballast")
		if err := os.WriteFile(ballast, make([]byte, 300<<10), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		var taken []string
		fill := func(version int) (rest []sink.Message) {
			messages := some(t, 5, version)
			messages = append(messages, sinktest.Message(t, strings.Repeat("x", 1500), version))
			for i, err := range s.Write(t.Context(), messages) {
				if err != nil {
					if !errors.Is(err, syscall.ENOSPC) || sink.IsPermanent(err) {
						t.Fatal(err)
					}
					rest = append(rest, messages[i])
				}
			}
			taken = append(taken, texts(messages[:len(messages)-len(rest)]...)...)
			return rest
		}
		var rest []sink.Message
		for version := 1; len(rest) == 0; version++ {
			rest = fill(version)
		}
		if got := d.Taken(); len(got) != len(taken) || strings.Join(got, "\n") !=
			strings.Join(taken, "\n") {
			t.Errorf("%+v: %d lines are there, %d were taken", config, len(got), len(taken))
		}
		wantFailed(t, s.Write(t.Context(), rest), 0, syscall.ENOSPC)
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		write(t, s, rest...)
		taken = append(taken, texts(rest...)...)
		closeSink(t, s)
		if got := d.Taken(); strings.Join(got, "\n") != strings.Join(taken, "\n") {
			t.Errorf("%+v: %d lines are there, %d were taken", config, len(got), len(taken))
		}
	}
}

// A disk that is full when informerd starts is no reason not to.
func TestADiskThatIsFullAtTheStart(t *testing.T) {
	dir := smallDisk(t)
	ballast := filepath.Join(dir, "ballast")
	os.WriteFile(ballast, make([]byte, 1<<20), 0o600) // takes what there is
	s, err := New(Config{Path: filepath.Join(dir, "audit.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	wantFailed(t, s.Write(t.Context(), some(t, 1, 1)), 0, syscall.ENOSPC)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	write(t, s, some(t, 1, 1)...)
	closeSink(t, s)
}

// A disk that is read-only for a while.
func TestAReadOnlyDisk(t *testing.T) {
	dir := smallDisk(t)
	d := newDisk(t)
	d.path = filepath.Join(dir, "audit.jsonl")
	s := d.start(Config{Sync: SyncAlways})
	write(t, s, some(t, 1, 1)...)
	if err := os.Rename(d.path, d.path+".1"); err != nil {
		t.Fatal(err)
	}
	// closes the file, so that the disk can be remounted
	d.fail(func(op string, _ []byte) (int, error) {
		if op == "sync" {
			return 0, syscall.EIO
		}
		return 0, nil
	})
	wantFailed(t, s.Write(t.Context(), some(t, 1, 2)), 0, syscall.EIO)
	d.fail(nil)
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	wantFailed(t, s.Write(t.Context(), some(t, 1, 2)), 0, syscall.EROFS)
	if _, err := New(Config{Path: d.path}); !errors.Is(err, syscall.EROFS) {
		t.Errorf("New: %v", err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT, ""); err != nil {
		t.Fatal(err)
	}
	write(t, s, some(t, 1, 2)...)
	closeSink(t, s)
	wantLines(t, d.Taken(), some(t, 1, 2)...)
}
