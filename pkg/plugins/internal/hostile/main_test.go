package hostile_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/internal/hostile"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

func TestMain(m *testing.M) {
	plugins.CompilerMain()
	goleak.VerifyTestMain(m)
}

// compilerOf returns the command that compiles modules: this program, or one without the race
// detector, with which compiling takes most of the time.
func compilerOf(t *testing.T) []string {
	t.Helper()
	if !race {
		return plugins.SelfCompiler()
	}
	path, err := wasmtest.Compiler(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return []string{path}
}

// silent is the URL of a server that takes connections and never answers.
func silent(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return "http://" + l.Addr().String() + "/"
}

// pod is an object of 600 KB, and what guests ask for is at its end.
func pod(t testing.TB) *object.Object {
	t.Helper()
	text := `{"apiVersion":"v1","kind":"Pod","spec":{"x":"` + strings.Repeat("x", 600_000) +
		`"},"metadata":{"namespace":"` +
		hostile.Namespace + `","uid":"u","resourceVersion":"7","name":"` + hostile.Name + `"}}`
	var p object.Parser
	o, err := p.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// caches have one object, and find it a thousand times.
type caches struct{ object *object.Object }

func (c caches) Get(_, _, name string) *object.Object {
	if name == c.object.Name() {
		return c.object
	}
	return nil
}

func (c caches) ByIndex(_, index, _ string) []*object.Object {
	if index != hostile.Index {
		return nil
	}
	found := make([]*object.Object, 1000)
	for i := range found {
		found[i] = c.object
	}
	return found
}

// spec grants everything there is.
func spec(module []byte, url string, object *object.Object) plugins.Spec {
	return plugins.Spec{Listener: "hostile", Path: "hostile.wasm", Wasm: module,
		Caches: caches{object},
		Limits: plugins.Limits{Memory: hostile.Memory, Deadline: hostile.Deadline,
			LoadDeadline: hostile.LoadDeadline},
		Grants: plugins.Grants{Log: &plugins.LogGrant{Level: slog.LevelDebug},
			KV: &plugins.KVGrant{}, Clock: &plugins.ClockGrant{},
			Random: &plugins.RandomGrant{}, HTTP: &plugins.HTTPGrant{Allow: []string{url}},
			Cache: &plugins.CacheGrant{Informers: []string{hostile.Informer}}}}
}

// sink counts what is written to it.
type sink struct{ bytes int }

func (s *sink) Write(p []byte) (int, error) {
	s.bytes += len(p)
	return len(p), nil
}

// peak is how many bytes of memory the process has more at most while something runs than before.
func peak(t testing.TB, run func()) int64 {
	t.Helper()
	before := pages(t)
	highest, done, stopped := before, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			highest = max(highest, pages(t))
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}()
	run()
	close(done)
	<-stopped
	return highest - before
}

// resident is how many bytes of memory the process has, with nothing left that could be given back.
func resident(t testing.TB) int64 {
	t.Helper()
	runtime.GC() // twice: what finalizers free is garbage for the second
	debug.FreeOSMemory()
	return pages(t)
}

// pages is how many bytes of memory the process has.
func pages(t testing.TB) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skipf("resident memory is read from Linux's /proc: %v", err)
	}
	var size, pages int64
	if _, err := fmt.Fscan(bytes.NewReader(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
