package checkpoint

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
)

// errCrash is the error of everything after a crash.
var errCrash = errors.New("power was lost")

// memDisk is a file system in memory that can fail, and that can lose what was not synced.
type memDisk struct {
	mu      sync.Mutex
	rand    *rand.Rand
	names   map[string]*memFile // as a process sees them
	synced  map[string]*memFile // as the disk has them for sure
	pending []rename            // since the last SyncDir
	locked  map[string]bool

	ops     int
	crashAt int           // the number of the operation that power is lost in, 0 for none
	failAt  int           // the number of the operation that fails, 0 for none
	failure error         // which error that is
	holding chan struct{} // syncs wait until it is closed, if it is not nil
}

// rename is a change of names. from is "" for a new file, to is "" for a removed one.
type rename struct {
	from, to string
	file     *memFile
}

// memFile is a file: its content, and the one that was synced. Writes only append.
type memFile struct{ now, synced []byte }

func newMemDisk(seed uint64) *memDisk {
	return &memDisk{rand: rand.New(rand.NewPCG(seed, 1)), names: map[string]*memFile{},
		synced: map[string]*memFile{}, locked: map[string]bool{}}
}

// lockStep locks the disk and begins an operation. It reports whether the operation has an effect
// in spite of an error.
func (d *memDisk) lockStep() (effect bool, err error) {
	d.mu.Lock()
	d.ops++
	switch {
	case d.crashAt > 0 && d.ops >= d.crashAt:
		return d.ops == d.crashAt && d.rand.IntN(2) == 0, errCrash
	case d.ops == d.failAt:
		return d.rand.IntN(2) == 0, d.failure
	}
	return true, nil
}

// pageSize is small, so that a write has many pages.
const pageSize = 16

// crash returns the disk as it is found after power was lost: each change that was not synced is
// there or not.
func (d *memDisk) crash() *memDisk {
	after := newMemDisk(d.rand.Uint64())
	names := maps.Clone(d.synced)
	for _, c := range d.pending {
		if d.rand.IntN(2) == 0 {
			continue
		}
		if names[c.from] == c.file {
			delete(names, c.from)
		}
		if c.to != "" {
			names[c.to] = c.file
		}
	}
	for name, f := range names {
		content := f.afterCrash(d.rand)
		g := &memFile{now: content, synced: slices.Clone(content)}
		after.names[name], after.synced[name] = g, g
	}
	return after
}

// afterCrash returns what may be on disk.
func (f *memFile) afterCrash(r *rand.Rand) []byte {
	if len(f.now) < len(f.synced) { // it was truncated
		if r.IntN(2) == 0 {
			return slices.Clone(f.now)
		}
		return slices.Clone(f.synced)
	}
	size := len(f.synced) + r.IntN(len(f.now)-len(f.synced)+1)
	if r.IntN(2) == 0 {
		size = len(f.now)
	}
	content := slices.Clone(f.now[:size])
	if r.IntN(3) == 0 {
		return content
	}
	for at := len(f.synced); at < size; at++ {
		if page := at / pageSize; r.Uint64()%3 == 0 {
			for ; at < size && at/pageSize == page; at++ {
				content[at] = 0
			}
		}
	}
	return content
}

// stop ends the process that uses the disk.
func (d *memDisk) stop() {
	clear(d.locked)
	d.crashAt, d.failAt = 0, 0
}

// contents returns all files.
func (d *memDisk) contents() map[string]string {
	all := map[string]string{}
	for name, f := range d.names {
		all[name] = string(f.now)
	}
	return all
}

// put sets a file, on the disk as well.
func (d *memDisk) put(path, content string) {
	f := &memFile{now: []byte(content), synced: []byte(content)}
	d.names[path], d.synced[path] = f, f
}

func (d *memDisk) MakeDir(string) error {
	_, err := d.lockStep()
	defer d.mu.Unlock()
	return err
}

type memLock func()

func (l memLock) Close() error { l(); return nil }

func (d *memDisk) Lock(path string) (io.Closer, error) {
	_, err := d.lockStep()
	defer d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if d.locked[path] {
		return nil, ErrLocked
	}
	d.locked[path] = true
	return memLock(func() { delete(d.locked, path) }), nil
}

func (d *memDisk) List(dir string) (entries []entry, err error) {
	_, err = d.lockStep()
	defer d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	for path, f := range d.names {
		if filepath.Dir(path) == dir {
			entries = append(entries, entry{filepath.Base(path), int64(len(f.now))})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return len(a.name) - len(b.name) })
	return entries, nil
}

func (d *memDisk) open(path string) (file, error) {
	_, err := d.lockStep()
	defer d.mu.Unlock()
	f := d.names[path]
	if err == nil && f == nil {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, err
	}
	return &openMemFile{d, f}, nil
}

func (d *memDisk) Open(path string) (file, error)   { return d.open(path) }
func (d *memDisk) Append(path string) (file, error) { return d.open(path) }

func (d *memDisk) Create(path string) (file, error) {
	effect, err := d.lockStep()
	defer d.mu.Unlock()
	if !effect {
		return nil, err
	}
	f := d.names[path]
	if f == nil {
		f = &memFile{}
		d.names[path] = f
		d.pending = append(d.pending, rename{"", path, f})
	}
	f.now = nil
	return &openMemFile{d, f}, err
}

func (d *memDisk) Rename(from, to string) error {
	effect, err := d.lockStep()
	defer d.mu.Unlock()
	f := d.names[from]
	if f == nil && err == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	if effect && f != nil {
		d.names[to] = f
		delete(d.names, from)
		d.pending = append(d.pending, rename{from, to, f})
	}
	return err
}

func (d *memDisk) Remove(path string) error {
	effect, err := d.lockStep()
	defer d.mu.Unlock()
	f := d.names[path]
	if f == nil && err == nil {
		return &fs.PathError{Op: "remove", Path: path, Err: fs.ErrNotExist}
	}
	if effect && f != nil {
		delete(d.names, path)
		d.pending = append(d.pending, rename{path, "", f})
	}
	return err
}

func (d *memDisk) SyncDir(string) error {
	effect, err := d.lockStep()
	defer d.mu.Unlock()
	if effect {
		d.synced, d.pending = maps.Clone(d.names), nil
	}
	return err
}

// openMemFile is an open file of a memDisk.
type openMemFile struct {
	disk *memDisk
	file *memFile
}

func (f *openMemFile) ReadAt(b []byte, at int64) (int, error) {
	_, err := f.disk.lockStep()
	defer f.disk.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n := copy(b, f.file.now[min(int(at), len(f.file.now)):])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *openMemFile) Write(b []byte) (int, error) {
	_, err := f.disk.lockStep()
	defer f.disk.mu.Unlock()
	n := len(b)
	if err != nil {
		n = f.disk.rand.IntN(len(b) + 1)
	}
	if f.disk.ops > f.disk.crashAt && f.disk.crashAt > 0 {
		n = 0
	}
	f.file.now = append(f.file.now, b[:n]...)
	return n, err
}

func (f *openMemFile) Close() error { return nil }

func (f *openMemFile) Sync() error {
	f.disk.mu.Lock()
	holding := f.disk.holding
	f.disk.mu.Unlock()
	if holding != nil {
		<-holding
	}
	effect, err := f.disk.lockStep()
	defer f.disk.mu.Unlock()
	if effect {
		f.file.synced = slices.Clone(f.file.now)
	}
	return err
}

func (f *openMemFile) Truncate(size int64) error {
	effect, err := f.disk.lockStep()
	defer f.disk.mu.Unlock()
	if effect {
		f.file.now = f.file.now[:size]
	}
	return err
}

func (f *openMemFile) Size() (int64, error) {
	_, err := f.disk.lockStep()
	defer f.disk.mu.Unlock()
	return int64(len(f.file.now)), err
}

// The disk of the tests loses what was not synced, and nothing else.
func TestTheDiskOfTheTests(t *testing.T) {
	d := newMemDisk(1)
	f, err := d.Create("/c/a")
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write("synced ")
	if err := errors.Join(f.Sync(), d.SyncDir("/c")); err != nil {
		t.Fatal(err)
	}
	write("and this text was not synced")
	if err := d.Rename("/c/a", "/c/b"); err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for range 1000 {
		for name, content := range d.crash().contents() {
			found[name+" "+content]++
			if content[:7] != "synced " {
				t.Fatalf("%s: %q", name, content)
			}
		}
	}
	for _, want := range []string{"/c/a synced ", "/c/b synced and this text was not synced"} {
		if found[want] == 0 {
			t.Errorf("never %q", want)
		}
	}
	d.failAt, d.failure = d.ops+1, syscall.ENOSPC
	if n, err := f.Write([]byte("full")); !errors.Is(err, syscall.ENOSPC) || n > 4 {
		t.Errorf("%d, %v", n, err)
	}
}
