package filewatch

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watching is a Watcher that runs until the test ends.
type watching struct {
	*Watcher
	changes  chan struct{}
	compared atomic.Uintptr // what it had found before the last report
}

func watch(t *testing.T, paths ...string) *watching {
	t.Helper()
	w := &watching{Watcher: &Watcher{}, changes: make(chan struct{})}
	w.Set(paths)
	w.compared.Store(w.found())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Run(ctx, func() {
			w.compared.Store(w.found())
			select {
			case w.changes <- struct{}{}:
			case <-ctx.Done():
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return w
}

// patience is how long a change may take to be found on a busy machine. It is less than poll, so
// that a report of the operating system is what finds it.
const patience = 20 * time.Second

func (w *watching) expect(t *testing.T, what string) {
	t.Helper()
	select {
	case <-w.changes:
	case <-time.After(patience):
		t.Fatalf("%s: no change is reported", what)
	}
}

// found tells comparisons apart.
func (w *watching) found() uintptr {
	w.mu.Lock()
	defer w.mu.Unlock()
	return reflect.ValueOf(w.content.files).Pointer()
}

// settle waits for the comparison that follows when folders are newly watched. A change after that
// is found only if its folder is watched.
func (w *watching) settle(t *testing.T) {
	t.Helper()
	for begun := time.Now(); w.found() == w.compared.Load(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatal("nothing is compared")
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Each change of what is in the files is reported, and nothing else that happens in their folders.
func TestChangesOfContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, other := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "other")
	write(t, file, "a")
	w := watch(t, file, filepath.Join(dir, "p", "*.yaml"))
	write(t, file, "b")
	w.expect(t, "written")
	write(t, other, "x")
	write(t, file, "b")
	do(t, os.Remove(other))
	do(t, os.Rename(file, other))
	w.expect(t, "gone")
	do(t, os.Rename(other, file))
	w.expect(t, "back")
	do(t, os.Mkdir(filepath.Join(dir, "p"), 0o700))
	write(t, filepath.Join(dir, "p", "x.yaml"), "p")
	w.expect(t, "a file that the pattern matches")
	write(t, filepath.Join(dir, "p", "x.yaml"), "q")
	w.expect(t, "a change of it")
	select {
	case <-w.changes:
		t.Error("a change was reported twice")
	case <-time.After(2 * quiet):
	}
}

// The folder of a mounted ConfigMap: its files are links into a folder that is exchanged.
func TestALinkedFolderIsExchanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := func(name, text string) {
		do(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		write(t, filepath.Join(dir, name, "c.yaml"), text)
		do(t, os.Symlink(name, filepath.Join(dir, "..tmp")))
		do(t, os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")))
	}
	folder("..1", "one")
	file := filepath.Join(dir, "c.yaml")
	do(t, os.Symlink(filepath.Join("..data", "c.yaml"), file))
	w := watch(t, file)
	w.settle(t)
	folder("..2", "two")
	w.expect(t, "exchanged")
	w.settle(t)
	do(t, os.RemoveAll(filepath.Join(dir, "..1")))
	folder("..3", "three")
	w.expect(t, "exchanged again")
}

// A file in a folder that is itself a link, and one that does not exist yet.
func TestOtherPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"v1", "v2"} {
		do(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		write(t, filepath.Join(dir, name, "c.yaml"), name)
	}
	link := filepath.Join(dir, "current")
	do(t, os.Symlink("v1", link))
	w := watch(t, filepath.Join(link, "c.yaml"))
	w.settle(t)
	do(t, os.Symlink("v2", link+".new"))
	do(t, os.Rename(link+".new", link))
	w.expect(t, "the folder is another one")
	w.settle(t)
	write(t, filepath.Join(dir, "v2", "c.yaml"), "changed in its place")
	w.expect(t, "a file of the other folder")
	w.Set([]string{filepath.Join(dir, "later")})
	write(t, filepath.Join(dir, "later"), "x")
	w.expect(t, "a file that was not there")
}

// What is known of a file stays when the set changes, so that no change is missed meanwhile.
func TestSetForgetsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	write(t, file, "1")
	w := &Watcher{}
	w.Set([]string{file})
	write(t, file, "22")
	w.Set([]string{file, file + "b"})
	if !w.compare() {
		t.Error("the change was missed")
	}
	if w.compare() {
		t.Error("there was no change")
	}
}

// A file of the same time and size is read again while it is young.
func TestYoungFilesAreRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	write(t, file, "1")
	now := time.Now()
	do(t, os.Chtimes(file, now, now))
	before := look(file, state{})
	write(t, file, "2")
	do(t, os.Chtimes(file, now, now))
	if after := look(file, before); after.digest == before.digest {
		t.Error("the content of a young file was not compared")
	}
	for _, path := range []string{filepath.Dir(file), file + "x"} {
		if !look(path, state{}).missing {
			t.Errorf("%s is no file", path)
		}
	}
}

// Whatever takes the place of a file is looked at without waiting for it, and no more of it is read
// than anybody uses.
func TestWhatIsNoFileIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	for name, put := range map[string]func() error{
		"a pipe":     func() error { return syscall.Mkfifo(file, 0o600) },
		"a device":   func() error { return os.Symlink("/dev/zero", file) },
		"a folder":   func() error { return os.Mkdir(file, 0o700) },
		"a loop":     func() error { return os.Symlink(file, file) },
		"to nowhere": func() error { return os.Symlink("nowhere", file) },
	} {
		do(t, put())
		if !look(file, state{}).missing {
			t.Errorf("%s is no file", name)
		}
		if sum := digest(file); sum.digest != (state{}).digest {
			t.Errorf("%s is read", name)
		}
		do(t, os.Remove(file))
	}
	write(t, file, "x")
	do(t, os.Truncate(file, 1<<40))
	before := look(file, state{})
	do(t, os.Truncate(file, 1<<39))
	if after := look(file, before); after.digest == before.digest || before.missing {
		t.Error("another size of a large file is no change")
	}
}

// Another file of the same time and size takes the place of a link's target: files of archives
// often have a fixed time.
func TestTimeAndSizeAreNotTheFile(t *testing.T) {
	dir := t.TempDir()
	link, old := filepath.Join(dir, "a"), time.Unix(1, 0)
	var before state
	for _, name := range []string{"1", "2"} {
		path := filepath.Join(dir, name)
		write(t, path, name)
		do(t, os.Chtimes(path, old, old))
		_ = os.Remove(link)
		do(t, os.Symlink(name, link))
		now := look(link, before)
		if now.digest == before.digest {
			t.Errorf("the content of %s is not compared", name)
		}
		if again := look(link, state{info: now.info}); again.digest != (state{}).digest {
			t.Error("an old file is read again")
		}
		before = now
	}
}

// A link leads through others to a file in another folder, which changes in its place, and where a
// link on the way changes.
func TestLinksToOtherFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(path string) string { return filepath.Join(dir, path) }
	for _, name := range []string{"a", "b", "c"} {
		do(t, os.Mkdir(in(name), 0o700))
	}
	write(t, in("c/file"), "1")
	write(t, in("c/other"), "2")
	do(t, os.Symlink("../c/file", in("b/link")))
	do(t, os.Symlink(in("b/link"), in("a/link")))
	w := watch(t, in("a/link"))
	w.settle(t)
	write(t, in("c/file"), "3")
	w.expect(t, "written in its place")
	w.settle(t)
	do(t, os.Symlink("../c/other", in("b/new")))
	do(t, os.Rename(in("b/new"), in("b/link")))
	w.expect(t, "a link on the way leads elsewhere")
	w.settle(t)
	write(t, in("c/other"), "4")
	w.expect(t, "the other file")
}
