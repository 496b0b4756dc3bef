package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// start makes a sink of the disk's file, which the test closes.
func (d *disk) start(config Config) *Sink {
	d.t.Helper()
	config.Path = d.path
	s, err := newSink(config, d)
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

func closeSink(t testing.TB, s *Sink) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// some returns n messages in a version.
func some(t testing.TB, n, version int) (all []sink.Message) {
	t.Helper()
	for i := range n {
		all = append(all, sinktest.Message(t, fmt.Sprintf("web-%d", i), version))
	}
	return all
}

func write(t testing.TB, s *Sink, messages ...sink.Message) {
	t.Helper()
	if errs := s.Write(context.Background(), messages); errs != nil {
		t.Fatal(errors.Join(errs...))
	}
}

// wantFailed checks that messages from an index on have failed with err, and may be tried again.
func wantFailed(t testing.TB, errs []error, from int, err error) {
	t.Helper()
	for i, e := range errs {
		if i < from && e != nil || i >= from && (!errors.Is(e, err) || sink.IsPermanent(e)) {
			t.Errorf("message %d: %v; want %v from %d on", i, e, err, from)
		}
	}
	if errs == nil {
		t.Errorf("no error, want %v from %d on", err, from)
	}
}

func texts(messages ...sink.Message) (all []string) {
	for _, m := range messages {
		all = append(all, string(cloudevent.Append(nil, m)))
	}
	return all
}

func wantLines(t testing.TB, got []string, messages ...sink.Message) {
	t.Helper()
	if want := texts(messages...); !slices.Equal(got, want) {
		t.Errorf("%d lines, want %d\n got %.500q\nwant %.500q", len(got), len(want), got, want)
	}
}

// after makes a disk fail when it has taken n bytes.
func after(n int, err error) func(string, []byte) (int, error) {
	return func(op string, p []byte) (int, error) {
		if op != "write" {
			return 0, nil
		}
		if taken := min(n, len(p)); taken < len(p) {
			n -= taken
			return taken, err
		}
		n -= len(p)
		return 0, nil
	}
}

func TestALineIsWholeOrNotThere(t *testing.T) {
	messages := some(t, 3, 1)
	all := strings.Join(texts(messages...), "\n") + "\n"
	for _, config := range []Config{{}, {Sync: SyncAlways}} {
		for n := 0; n < len(all); n += 1 + n%97 {
			d := newDisk(t)
			s := d.start(config)
			write(t, s, some(t, 1, 9)...)
			d.fail(after(n, syscall.ENOSPC))
			errs := s.Write(t.Context(), messages)
			taken := strings.Count(all[:n], "\n")
			if config.Sync == SyncAlways { // nobody knows what the disk has
				taken = 0
			}
			wantFailed(t, errs, taken, syscall.ENOSPC)
			wantLines(t, d.Taken(), append(some(t, 1, 9), messages[:taken]...)...)
			d.fail(nil)
			write(t, s, messages[taken:]...)
			wantLines(t, d.Taken(), append(some(t, 1, 9), messages...)...)
			closeSink(t, s)
		}
	}
}

// The part of a line that cannot be removed is ended before the next line.
func TestAPartThatStaysIsEnded(t *testing.T) {
	for _, sync := range []Sync{SyncInterval, SyncAlways} {
		d := newDisk(t)
		s := d.start(Config{Sync: sync})
		messages := some(t, 2, 1)
		full := after(10, syscall.EIO)
		d.fail(func(op string, p []byte) (int, error) {
			if op == "truncate" {
				return 0, syscall.EIO
			}
			return full(op, p)
		})
		wantFailed(t, s.Write(t.Context(), messages), 0, syscall.EIO)
		d.fail(nil)
		write(t, s, messages...)
		want := append([]string{texts(messages...)[0][:10]}, texts(messages...)...)
		if got := d.Taken(); !slices.Equal(got, want) {
			t.Errorf("%s: got %.400q", sync, got)
		}
		closeSink(t, s)
	}
}

func TestAnExistingFile(t *testing.T) {
	for before, want := range map[string][]string{
		"":             nil,
		"a\nb\n":       {"a", "b"},
		"a\n{\"half\"": {"a", "{\"half\""},
		"\n":           {""},
	} {
		d := newDisk(t)
		if err := os.WriteFile(d.path, []byte(before), 0o640); err != nil {
			t.Fatal(err)
		}
		messages := some(t, 2, 1)
		for i, rotate := range []Rotate{{}, {Size: 1}} {
			s := d.start(Config{Rotate: rotate})
			wantMode(t, d.path, 0o640)
			write(t, s, messages[i])
			closeSink(t, s)
		}
		if got := d.Taken(); !slices.Equal(got, append(want, texts(messages...)...)) {
			t.Errorf("after %q: got %.400q", before, got)
		}
	}
}

// The part of a line at the end of a file that is renamed is ended as well.
func TestAPartInARenamedFile(t *testing.T) {
	d := newDisk(t)
	if err := os.WriteFile(d.path, []byte("a\n{\"half"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := d.start(Config{Rotate: Rotate{Size: 1}})
	write(t, s, some(t, 1, 1)...)
	closeSink(t, s)
	if got := d.Taken(); !slices.Equal(got, append([]string{"a", "{\"half"},
		texts(some(t, 1, 1)...)...)) || len(d.names()) != 2 {
		t.Errorf("got %.400q in %q", got, d.names())
	}
}

func wantMode(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Mode() != mode {
		t.Errorf("%v, %v; want %v", info.Mode(), err, mode)
	}
}

func TestANewFileIsForItsOwnerOnly(t *testing.T) {
	d := newDisk(t)
	s := d.start(Config{Rotate: Rotate{Size: 1}})
	write(t, s, some(t, 3, 1)...)
	closeSink(t, s)
	all := allFiles(t, d.path)
	for _, path := range all {
		wantMode(t, path, 0o600)
	}
	if len(all) != 3 {
		t.Errorf("files %q", all)
	}
}

// syncs counts the syncs of a disk.
func (d *disk) syncs(n *atomic.Int64, err error) func(string, []byte) (int, error) {
	return func(op string, _ []byte) (int, error) {
		if op == "sync" {
			n.Add(1)
			return 0, err
		}
		return 0, nil
	}
}

func TestSyncAlways(t *testing.T) {
	d := newDisk(t)
	var n atomic.Int64
	s := d.start(Config{Sync: SyncAlways})
	d.fail(d.syncs(&n, nil))
	write(t, s, some(t, 50, 1)...)
	if n.Load() != 1 {
		t.Errorf("%d syncs for one Write", n.Load())
	}
	d.fail(d.syncs(&n, syscall.EIO))
	messages := some(t, 3, 2)
	for range 2 {
		wantFailed(t, s.Write(t.Context(), messages), 0, syscall.EIO)
	}
	d.fail(nil)
	write(t, s, messages...)
	closeSink(t, s)
	wantLines(t, d.Taken(), append(some(t, 50, 1), messages...)...)
}

// Callers that come while the disk is busy wait for one sync together.
func TestSyncAlwaysIsForAllThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers = 10
		d, n, release := newDisk(t), 0, make(chan struct{})
		s := d.start(Config{Sync: SyncAlways})
		d.fail(func(op string, _ []byte) (int, error) {
			if op == "sync" {
				n++
				<-release
			}
			return 0, nil
		})
		results := make(chan []error, callers)
		for i := range callers {
			go func() { results <- s.Write(context.Background(), some(t, 2, i+1)) }()
			synctest.Wait()
		}
		if len(results) != 0 {
			t.Error("a Write has returned before the sync")
		}
		close(release)
		for range callers {
			if errs := <-results; errs != nil {
				t.Error(errs)
			}
		}
		if n != 2 {
			t.Errorf("%d syncs, want one for the first caller, and one for the others", n)
		}
		closeSink(t, s)
		if got := len(d.Taken()); got != 2*callers {
			t.Errorf("%d lines", got)
		}
	})
}

func TestSyncInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t)
		var n atomic.Int64
		s := d.start(Config{})
		d.fail(d.syncs(&n, nil))
		for i := range 5 {
			write(t, s, some(t, 2, i)...)
		}
		if n.Load() != 0 {
			t.Error("Write has waited for the disk")
		}
		time.Sleep(syncInterval)
		synctest.Wait()
		if n.Load() != 1 {
			t.Errorf("%d syncs after a second", n.Load())
		}
		time.Sleep(10 * syncInterval)
		if n.Load() != 1 {
			t.Errorf("%d syncs without a line", n.Load())
		}
		d.fail(d.syncs(&n, syscall.EIO))
		write(t, s, some(t, 2, 5)...)
		time.Sleep(syncInterval)
		synctest.Wait()
		d.fail(d.syncs(&n, nil))
		wantFailed(t, s.Write(t.Context(), some(t, 2, 6)), 0, syscall.EIO)
		write(t, s, some(t, 2, 6)...)
		closeSink(t, s)
		if n.Load() != 3 {
			t.Errorf("%d syncs in all: Close is one", n.Load())
		}
		if got := len(d.Taken()); got != 14 {
			t.Errorf("%d lines", got)
		}
	})
}

func TestSyncNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t)
		var n atomic.Int64
		s := d.start(Config{Sync: SyncNever, Rotate: Rotate{Size: 1000}})
		d.fail(d.syncs(&n, nil))
		write(t, s, some(t, 10, 1)...)
		time.Sleep(time.Minute)
		closeSink(t, s)
		if n.Load() != 0 {
			t.Errorf("%d syncs", n.Load())
		}
	})
}

// What somebody else does to the file.
func TestAFileThatSomebodyElseChanges(t *testing.T) {
	first, second := some(t, 2, 1), some(t, 2, 2)
	for name, change := range map[string]func(path string) error{
		"renamed":   func(path string) error { return os.Rename(path, path+".1") },
		"removed":   os.Remove,
		"truncated": func(path string) error { return os.Truncate(path, 0) },
		"renamed, and created": func(path string) error {
			return errors.Join(os.Rename(path, path+".1"), os.WriteFile(path, nil, 0o600))
		},
		"replaced by a part of a line": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("ha"), 0o600))
		},
		"truncated in a line": func(path string) error { return os.Truncate(path, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk(t)
			s := d.start(Config{})
			defer closeSink(t, s)
			write(t, s, first...)
			if err := change(d.path); err != nil {
				t.Fatal(err)
			}
			write(t, s, second...)
			got := d.Taken()
			if strings.Contains(name, "line") {
				if len(got) == 0 || len(got[0]) != 2 {
					t.Fatalf("got %.300q", got)
				}
				got = got[1:]
			}
			wantLines(t, got, second...)
			if strings.HasPrefix(name, "renamed") {
				wantLines(t, lines(t, d.path+".1"), first...)
			}
		})
	}
}

func TestAFolderThatGoesAwayAndComesBack(t *testing.T) {
	d := newDisk(t)
	folder := filepath.Join(filepath.Dir(d.path), "mounted")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	d.path = filepath.Join(folder, "audit.jsonl")
	s := d.start(Config{})
	defer closeSink(t, s)
	write(t, s, some(t, 1, 1)...)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		wantFailed(t, s.Write(t.Context(), some(t, 2, 2)), 0, fs.ErrNotExist)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was created")
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, s, some(t, 2, 2)...)
	wantLines(t, d.Taken(), some(t, 2, 2)...)
}

// Whatever opening says while informerd runs may pass.
func TestWhatCannotBeOpenedIsTriedAgain(t *testing.T) {
	for _, fault := range []error{syscall.EACCES, syscall.EROFS, syscall.ENOSPC, syscall.EMFILE,
		syscall.EIO, syscall.ESTALE} {
		d := newDisk(t)
		s := d.start(Config{})
		if err := os.Remove(d.path); err != nil {
			t.Fatal(err)
		}
		d.fail(func(op string, _ []byte) (int, error) {
			if op == "open" {
				return 0, &fs.PathError{Op: op, Path: d.path, Err: fault}
			}
			return 0, nil
		})
		errs := s.Write(t.Context(), some(t, 1, 1))
		wantFailed(t, errs, 0, fault)
		want := fmt.Sprintf(`file: write "pods/shop/web-0": open %s: %v`, d.path, fault)
		if errs[0].Error() != want {
			t.Errorf("got %v, want %s", errs[0], want)
		}
		d.fail(nil)
		write(t, s, some(t, 1, 1)...)
		wantLines(t, d.Taken(), some(t, 1, 1)...)
		closeSink(t, s)
	}
}

func TestTheFileIsLocked(t *testing.T) {
	d := newDisk(t)
	first := d.start(Config{Rotate: Rotate{Size: 1}})
	write(t, first, some(t, 2, 1)...)
	second, err := New(Config{Path: d.path})
	if err != nil {
		t.Fatal(err)
	}
	defer closeSink(t, second)
	errs := second.Write(t.Context(), some(t, 1, 2))
	wantFailed(t, errs, 0, errBusy)
	if want := fmt.Sprintf(`file: write "pods/shop/web-0": %s: another output or process writes to it`,
		d.path); errs[0].Error() != want {
		t.Errorf("got %v, want %s", errs[0], want)
	}
	write(t, first, some(t, 1, 3)...)
	closeSink(t, first)
	write(t, second, some(t, 1, 2)...)
	wantLines(t, d.Taken(), slices.Concat(some(t, 2, 1), some(t, 1, 3), some(t, 1, 2))...)
}

// What a fence refuses in the middle of a Write is not in the file.
func TestFence(t *testing.T) {
	d := newDisk(t)
	asked, other := 0, errors.New("another one leads")
	s := d.start(Config{Rotate: Rotate{Size: 1}, Sync: SyncNever,
		Fence: sink.NewFence(func() error {
			if asked++; asked > 2 {
				return other
			}
			return nil
		})})
	messages := some(t, 4, 1)
	wantFailed(t, s.Write(t.Context(), messages), 2, other)
	closeSink(t, s)
	wantLines(t, d.Taken(), messages[:2]...)
}
