package plugins

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// filedHost is a host that keeps compiled code in a folder. It is closed by its user.
func filedHost(t *testing.T, folder string) (*Host, *buffer) {
	t.Helper()
	log := &buffer{}
	host := NewHost(HostConfig{Log: newTestLog(log), CacheDir: folder})
	if err := host.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	log.Reset()
	return host, log
}

// filesOf are the files in a folder of compiled code that hold code.
func filesOf(t *testing.T, folder string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "sums" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// startWith starts a host, has a guest return a verdict, and returns how often the engine compiled.
func startWith(t *testing.T, folder string, spec Spec) (compiled int64, log string) {
	t.Helper()
	host, lines := filedHost(t, folder)
	ctx := compilations{t.Context(), &atomic.Int64{}, nil}
	h, err := host.Load(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	i := newInstance(t, h)
	expectVerdict(t, i, podAdd(t), Done)
	compiled = ctx.n.Load()
	if err := errors.Join(i.Close(t.Context()), host.Close(t.Context())); err != nil {
		t.Error(err)
	}
	expectClean(t, host)
	return compiled, lines.String()
}

// A module is compiled by the first host, and read by those that come later.
func TestCompiledCodeIsKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state", "compiled")
	spec := testSpec(generation(true, false))
	var files []string
	for n, want := range []int64{1, 0, 0} {
		compiled, log := startWith(t, folder, spec)
		if compiled != want || log != "" {
			t.Errorf("host %d: compiled %d times, logged:\n%s", n, compiled, log)
		}
		now := filesOf(t, folder)
		if len(now) != 1 || n > 0 && now[0] != files[0] {
			t.Errorf("host %d: the files are %v, were %v", n, now, files)
		}
		files = now
	}
	for path := files[0]; path != filepath.Dir(folder); path = filepath.Dir(path) {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
	}
}

// So is a module of Go, whose code has megabytes.
func TestCompiledCodeOfGoIsKept(t *testing.T) {
	spec := Spec{Listener: "pods", Wasm: wasmtest.GoGuest(t, "testdata/guest", "."),
		Config: []byte(`{"do":"nothing"}`),
		Limits: Limits{Deadline: 10 * time.Second}, Grants: Grants{Log: &LogGrant{}}}
	goHost(t)
	folder := filepath.Join(t.TempDir(), "compiled")
	for n, want := range []int{1, 0} {
		host, log := filedHost(t, folder)
		host.compiler.Command = goGuests.command
		expectVerdict(t, newInstance(t, loadHandler(t, host, spec)), podAdd(t), Done)
		if got := compiledApart(log); got != want || warned(log) {
			t.Errorf("host %d: %d processes compiled, logged:\n%s", n, got, log)
		}
		if err := host.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// Whatever is wrong with a file, it is removed and told, the module is compiled again, and the next
// host reads it.
func TestDamagedCodeIsCompiledAgain(t *testing.T) {
	spec := testSpec(generation(true, false))
	folder := filepath.Join(t.TempDir(), "compiled")
	startWith(t, folder, spec)
	path := filesOf(t, folder)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damages := map[string][]byte{"nothing left": {},
		"one more": append(whole[:len(whole):len(whole)], 0), "zeros": make([]byte, len(whole))}
	for n := 1; n < len(whole); n += 1 + len(whole)/40 {
		damages["cut off"+strings.Repeat("+", n*40/len(whole))] = whole[:n]
		flipped := append([]byte(nil), whole...)
		flipped[n] ^= 0x80
		damages["flipped"+strings.Repeat("+", n*40/len(whole))] = flipped
	}
	for name, text := range damages {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		compiled, log := startWith(t, folder, spec)
		want := `level=WARN msg="a handler's compiled code was damaged; it is removed and compiled again" entry=` +
			filepath.Dir(filepath.Dir(path)) +
			` error="its files are not those that were written"` + "\n"
		if compiled != 1 || log != want {
			t.Errorf("%s: compiled %d times, logged %s\nwant %s", name, compiled, log, want)
		}
		if compiled, log := startWith(t, folder, spec); compiled != 0 || log != "" {
			t.Errorf("after %s: compiled %d times, logged %s", name, compiled, log)
		}
	}
}

// A folder that cannot be written to costs a compilation and a line in the log. An invalid module
// has nothing to do with it.
func TestCodeThatCannotBeKeptIsUsedAllTheSame(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "compiled")
	host, log := filedHost(t, folder)
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expectVerdict(t, newInstance(t, loadHandler(t, host, testSpec(verdictGuest(Done)))), podAdd(t),
		Done)
	want := `level=WARN msg="a handler's compiled code cannot be kept; the next start compiles it again" error="`
	if lines := log.String(); strings.Count(lines, "\n") != 1 || !strings.HasPrefix(lines, want) ||
		!strings.Contains(lines, "not a directory") {
		t.Errorf("logged:\n%s\nwant %s", lines, want)
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	log.Reset()
	// while it is compiled
	vanishing := compilations{t.Context(), &atomic.Int64{}, func() { os.RemoveAll(folder) }}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	h, err := host.Load(vanishing, testSpec(verdictGuest(Drop)))
	if err != nil {
		t.Fatal(err)
	}
	expectVerdict(t, newInstance(t, h), podAdd(t), Drop)
	if lines := log.String(); strings.Count(lines, "\n") != 1 || !strings.HasPrefix(lines, want) ||
		vanishing.n.Load() != 2 {
		t.Errorf("compiled %d times, logged:\n%s\nwant %s", vanishing.n.Load(), lines, want)
	}
	log.Reset()
	if _, err := host.Load(t.Context(), testSpec(onEvent(guestModule(), drop))); err == nil ||
		log.String() != "" {
		t.Errorf("an invalid module: %v, logged:\n%s", err, log)
	}
	if err := host.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// An invalid module leaves no entry.
func TestInvalidModulesAreNotKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "compiled")
	host, log := filedHost(t, folder)
	if _, err := host.Load(t.Context(), testSpec(onEvent(guestModule(), drop))); err == nil {
		t.Error("no error")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 || log.String() != "" {
		t.Errorf("left: %v, %v, logged:\n%s", left, err, log)
	}
	if err := host.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// A folder that others reach is refused before anything is loaded, and by each Load.
func TestFolderOfCompiledCodeIsChecked(t *testing.T) {
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	host := NewHost(HostConfig{Log: newTestLog(&buffer{}), CacheDir: folder})
	want := "the folder for compiled code: " + folder +
		" is open to others (mode 0755): its code is run by informerd, so it must be out " +
		"of everybody else's reach; remove it, and it is created again, or chmod 0700 it if nobody else has written to it"
	if err := host.Open(t.Context()); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err := host.Load(t.Context(), testSpec(verdictGuest(Done)))
	if want = `listener "pods": handler guest.wasm: ` + want; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if err := host.Close(t.Context()); err != nil {
		t.Error(err)
	}
	expectClean(t, host)
}

// Hosts that share a folder, as two daemons might, load the same modules at once.
func TestHostsShareTheFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "compiled")
	guests := [][]byte{generation(true, false), generation(false, true), verdictGuest(Done)}
	var wg sync.WaitGroup
	for range 4 {
		host, _ := filedHost(t, folder)
		wg.Go(func() {
			for n := range 12 {
				h, err := host.Load(t.Context(), testSpec(guests[n%len(guests)]))
				if err != nil {
					t.Error(err)
					continue
				}
				i, err := h.NewInstance(t.Context())
				if err != nil {
					t.Error(err)
					continue
				}
				if r, err := i.Handle(t.Context(), podAdd(t)); err != nil || r.Verdict != Done {
					t.Errorf("%v, %v", r.Verdict, err)
				}
				if err := errors.Join(i.Close(t.Context()), h.Close(t.Context())); err != nil {
					t.Error(err)
				}
			}
			if err := host.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
