package plugins

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// apartHost is a host whose modules are compiled by processes of their own, with folders for what
// is not kept.
func apartHost(t *testing.T, cfg HostConfig, folders ...string) (*Host, *buffer) {
	t.Helper()
	log := &buffer{}
	cfg.Log, cfg.Compiler = newTestLog(log), SelfCompiler()
	host := NewHost(cfg)
	host.compiler.Temporary = folders
	t.Cleanup(func() {
		if err := host.Close(t.Context()); err != nil {
			t.Errorf("closing the host: %v", err)
		}
	})
	return host, log
}

// compiledApart is how many processes have compiled a module.
func compiledApart(log *buffer) int {
	return strings.Count(log.String(), `msg="compiling has ended"`)
}

// warned reports whether there is anything in the log that somebody should see.
func warned(log *buffer) bool {
	return strings.Contains(strings.ReplaceAll(log.String(), "level=DEBUG", ""), "level=")
}

// slowToCompile is a module that the engine compiles for minutes: changing many variables in nested
// loops.
func slowToCompile() []byte {
	const loops, variables = 100, 5_000
	m := guestModule()
	f := m.Func("", "i", "", "")
	var sets []byte
	for i := range uint32(variables) {
		// add, local.set
		sets = append(sets, slices.Concat(local(1+i), konst64(1), []byte{0x7c, 0x21},
			wasmtest.Uint(1+i))...)
	}
	again := slices.Concat(local(0), []byte{0x0d, 0, 0x0b}) // br_if 0, end
	m.Variables(f, variables, wasmtest.I64, slices.Repeat([]byte{0x03, 0x40}, loops), sets,
		slices.Repeat(again, loops))
	return onEvent(m, konst(0))
}

// manyCalls is a module that takes longer to compile than it looks.
func manyCalls() []byte {
	m := guestModule()
	m.Func("", "", "", "", slices.Repeat(invoke(0), 261_000))
	return onEvent(m, konst(0))
}

// liveValues is a module in which many values are there in many blocks, for all of which the engine
// keeps notes.
func liveValues(values, blocks int) []byte {
	m := guestModule()
	f := m.Func("", "i", "", "")
	load := slices.Concat(local(0), []byte{0x29, 0, 0}) // i64.load
	m.Body(f, "", []byte{0x02, 0x40}, konst(0), slices.Repeat(load, values),
		slices.Repeat(slices.Concat(local(0), []byte{0x0d, 0}), blocks),
		slices.Repeat([]byte{0x7c}, values-1), []byte{0x37, 3, 0, 0x0b}) // adds, i64.store
	return onEvent(m, konst(0))
}

func TestModulesAreCompiledByAnotherProcess(t *testing.T) {
	folder, kept := t.TempDir(), filepath.Join(t.TempDir(), "compiled")
	for n, want := range []int{1, 0} {
		host, log := apartHost(t, HostConfig{CacheDir: kept}, folder)
		expectVerdict(t, instance(t, host, testSpec(verdictGuest(Drop))), podAdd(t), Drop)
		if got := compiledApart(log); got != want {
			t.Errorf("host %d: %d processes compiled, want %d", n, got, want)
		}
		if warned(log) {
			t.Errorf("host %d logs %s", n, log.String())
		}
	}
	host, _ := apartHost(t, HostConfig{}, folder)
	expectVerdict(t, instance(t, host, testSpec(verdictGuest(Drop))), podAdd(t), Drop)
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

// The engine of this process compiles nothing: it would not be bounded.
func TestCompiledCodeIsOnlyReadHere(t *testing.T) {
	host, _ := apartHost(t, HostConfig{}, t.TempDir())
	here := compilations{Context: t.Context(), n: new(atomic.Int64), during: func() {
		t.Error("it compiles here")
	}}
	handler, err := host.Load(here, testSpec(verdictGuest(Drop)))
	if err != nil {
		t.Fatal(err)
	}
	if err := handler.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCompilingHasLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles for seconds")
	}
	folder := t.TempDir()
	for _, test := range []struct {
		name   string
		wasm   []byte
		limits Limits
		want   string
	}{
		{"time", manyCalls(), Limits{LoadTime: 200 * time.Millisecond, LoadMemory: 2 << 30},
			"compiling it takes more than 200ms of processor time: " +
				"make the module smaller or simpler, or raise limits.load.time"},
		{"memory", liveValues(20_000, 6_000), Limits{LoadTime: time.Hour, LoadMemory: 64 << 20},
			"compiling it takes more than 64 MiB of memory: " +
				"make the module smaller or simpler, or raise limits.load.memory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			host, log := apartHost(t, HostConfig{}, folder)
			goHost(t)
			host.compiler.Command = goGuests.command // the race detector takes time and memory
			spec := testSpec(test.wasm)
			spec.Limits.LoadTime = test.limits.LoadTime
			spec.Limits.LoadMemory = test.limits.LoadMemory
			_, err := host.Load(t.Context(), spec)
			if err == nil || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
			if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
				t.Errorf("left in the temporary folder: %v, %v", left, err)
			}
			expectVerdict(t, instance(t, host, testSpec(verdictGuest(Drop))), podAdd(t), Drop)
			if warned(log) {
				t.Errorf("it logs %s", log.String())
			}
		})
	}
}

// compiling waits until a process of this host compiles.
func compiling(t *testing.T, host *Host) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		if compilingCount(host) > 0 {
			return
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("nothing is compiled")
		}
	}
}

// What is compiled meanwhile would take minutes, so the test would not end in time if compiling
// went on.
func TestCompilingEndsWithItsContextOrHost(t *testing.T) {
	for name, end := range map[string]func(host *Host, cancel context.CancelFunc) error{
		"context": func(_ *Host, cancel context.CancelFunc) error { cancel(); return nil },
		"host":    func(host *Host, _ context.CancelFunc) error { return host.Close(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			host, _ := apartHost(t, HostConfig{}, folder)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			loaded := make(chan error)
			spec := testSpec(slowToCompile())
			spec.Limits.LoadTime, spec.Limits.LoadMemory = time.Hour, 8<<30
			for range 2 {
				go func() {
					_, err := host.Load(ctx, spec)
					loaded <- err
				}()
			}
			compiling(t, host)
			// Another module is loaded meanwhile.
			expectVerdict(t, instance(t, host, testSpec(verdictGuest(Drop))), podAdd(t), Drop)
			if err := end(host, cancel); err != nil {
				t.Error(err)
			}
			for range 2 {
				if err := <-loaded; !errors.Is(err, context.Canceled) &&
					!errors.Is(err, ErrClosed) {
					t.Errorf("got %v", err)
				}
			}
			if err := host.compiler.Wait(t.Context()); err != nil {
				t.Error(err)
			}
			if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
				t.Errorf("left in the temporary folder: %v, %v", left, err)
			}
		})
	}
}

// One handler's limits say nothing of another one's, though they wait for the same code.
func TestLargerLimitsAreTriedAgain(t *testing.T) {
	host, _ := apartHost(t, HostConfig{}, t.TempDir())
	few, enough := testSpec(verdictGuest(Drop)), testSpec(verdictGuest(Drop))
	few.Limits.LoadTime, few.Limits.LoadMemory = time.Nanosecond, 1<<30
	failed := make(chan error, 1)
	go func() {
		_, err := host.Load(t.Context(), few)
		failed <- err
	}()
	expectVerdict(t, instance(t, host, enough), podAdd(t), Drop)
	// nil: it came second, and found the code
	if err := <-failed; err != nil && !strings.Contains(err.Error(), "raise limits.load.") {
		t.Errorf("got %v", err)
	}
}

// A folder that cannot be written to is as good as none: the next one is taken.
func TestCompilingNeedsSomeFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	host, _ := apartHost(t, HostConfig{}, file, t.TempDir())
	expectVerdict(t, instance(t, host, testSpec(verdictGuest(Drop))), podAdd(t), Drop)
	host, _ = apartHost(t, HostConfig{}, file, file)
	_, err := host.Load(t.Context(), testSpec(verdictGuest(Drop)))
	if err == nil || !strings.Contains(err.Error(),
		"compiling needs a folder to write to, such as an emptyDir at "+file) {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsNotValidIsSaid(t *testing.T) {
	host, _ := apartHost(t, HostConfig{}, t.TempDir())
	_, err := host.Load(t.Context(), testSpec(onEvent(guestModule(), konst64(0))))
	if err == nil || !strings.Contains(err.Error(), "the module is not valid: ") {
		t.Errorf("got %v", err)
	}
}

// What does not compile, but says something, is an error with its words.
func TestACompilerThatIsNone(t *testing.T) {
	for _, test := range []struct {
		command []string
		want    string
	}{
		{[]string{"/bin/sh", "-c", "echo no such thing >&2; exit 7"},
			`the process that compiles: exit status 7: "no such thing"`},
		{[]string{"/bin/sh", "-c", "exit 0"}, "the process that compiles: "},
		{[]string{"/does/not/exist"}, "the process that compiles: fork/exec /does/not/exist"},
	} {
		host, _ := apartHost(t, HostConfig{}, t.TempDir())
		host.compiler.Command = test.command
		if _, err := host.Load(t.Context(), testSpec(verdictGuest(Drop))); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v", test.command, err)
		}
	}
}
