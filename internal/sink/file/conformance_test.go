package file

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

var _ sink.Sink = (*Sink)(nil)

// disk is a real folder on a disk that a test controls.
type disk struct {
	*sinktest.Log
	t    testing.TB
	path string

	mu    sync.Mutex
	fault func(op string, p []byte) (n int, err error) // nil if the disk is healthy
	opens int
}

func newDisk(t testing.TB) *disk {
	return &disk{Log: sinktest.NewLog(), t: t, path: filepath.Join(t.TempDir(), "audit.jsonl")}
}

func (d *disk) open(path string) (osFile, error) {
	if _, err := d.try("open", nil); err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.opens++
	d.mu.Unlock()
	f, err := osDisk{}.open(path)
	if err != nil {
		return nil, err
	}
	return &diskFile{f.(*os.File), d}, nil
}

func (d *disk) syncFolder(string) error { return nil }

func (d *disk) create(path string) error {
	if _, err := d.try("create", nil); err != nil {
		return err
	}
	return osDisk{}.create(path)
}

func (d *disk) rename(from, to string) error {
	if _, err := d.try("rename", nil); err != nil {
		return err
	}
	return osDisk{}.rename(from, to)
}

// fail makes the disk fail from now on; nil heals it.
func (d *disk) fail(fault func(op string, p []byte) (int, error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = fault
}

func (d *disk) try(op string, p []byte) (int, error) {
	d.mu.Lock()
	fault := d.fault
	d.mu.Unlock()
	if fault == nil {
		return 0, nil
	}
	return fault(op, p)
}

type diskFile struct {
	*os.File
	disk *disk
}

func (f *diskFile) Write(p []byte) (int, error) {
	if f.disk.Take(nil, "") == sinktest.Fail {
		n, _ := f.File.Write(p[:min(len(p), 100)]) // a part of the first line
		return n, syscall.ENOSPC
	}
	if n, err := f.disk.try("write", p); err != nil {
		n, _ = f.File.Write(p[:n])
		return n, err
	}
	return f.File.Write(p)
}

// Sync does not bother the real disk: no test takes the power away.
func (f *diskFile) Sync() error {
	_, err := f.disk.try("sync", nil)
	return err
}

func (f *diskFile) Truncate(size int64) error {
	if _, err := f.disk.try("truncate", nil); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// Taken returns the lines of all files, oldest first.
func (d *disk) Taken() []string { return lines(d.t, allFiles(d.t, d.path)...) }

// allFiles returns the renamed files, oldest first, and the file.
func allFiles(t testing.TB, path string) []string {
	t.Helper()
	old, err := newJournal(Config{Path: path}, nil).archives()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, a := range old {
		paths = append(paths, a.path)
	}
	if _, err := os.Stat(path); err == nil {
		paths = append(paths, path)
	}
	return paths
}

// lines returns the lines of files, each of which has to be whole.
func lines(t testing.TB, paths ...string) (all []string) {
	t.Helper()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			whole, ok := strings.CutSuffix(line, "\n")
			if !ok {
				t.Errorf("%s ends with a part of a line: %.300q", path, line)
			}
			all = append(all, whole)
		}
	}
	return all
}

func TestConformance(t *testing.T) {
	for name, config := range map[string]Config{
		"interval": {},
		"rotating": {Rotate: Rotate{Size: 2000}, Sync: SyncAlways},
	} {
		t.Run(name, func(t *testing.T) {
			sinktest.Run(t, sinktest.Target{
				New: func(t *testing.T, f *sink.Fence) (sink.Sink, sinktest.Receiver) {
					d := newDisk(t)
					config.Path, config.Fence = d.path, f
					s, err := newSink(config, d)
					if err != nil {
						t.Fatal(err)
					}
					return s, d
				},
				Together: true,
				Skip: map[string]string{
					"one message is refused": "a disk that takes a line takes every line",
					"broken connection":      "a file has no connection",
				},
			})
		})
	}
}
