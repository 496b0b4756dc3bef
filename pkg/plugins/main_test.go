package plugins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

func TestMain(m *testing.M) {
	CompilerMain()
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := goGuests.close(); err != nil {
			fmt.Fprintln(os.Stderr, "closing the host of the Go guests:", err)
			code = 1
		}
		os.Exit(code)
	}))
}

// goGuests is the host of all guests built from Go. They are compiled once, by a process without
// the race detector, with which each of them takes a minute.
var (
	goLog    = &buffer{}
	goGuests shared
)

// shared is a host for all tests that is made when one of them asks for it.
type shared struct {
	once    sync.Once
	folder  string
	command []string
	host    *Host
	err     error
}

func (s *shared) make() {
	if s.folder, s.err = os.MkdirTemp("", "informerd-plugins-"); s.err != nil {
		return
	}
	var path string
	if path, s.err = wasmtest.Compiler(s.folder); s.err != nil {
		return
	}
	s.command = []string{path}
	s.host = NewHost(HostConfig{Log: newTestLog(goLog), Compiler: s.command,
		CacheDir: filepath.Join(s.folder, "compiled")})
	s.host.compiler.Log = slog.New(slog.DiscardHandler)
}

func (s *shared) close() error {
	if s.host == nil {
		return nil
	}
	return errors.Join(s.host.Close(context.Background()), os.RemoveAll(s.folder))
}

// goHost returns the host of the Go guests.
func goHost(t testing.TB) *Host {
	t.Helper()
	goGuests.once.Do(goGuests.make)
	if goGuests.err != nil {
		t.Fatal(goGuests.err)
	}
	return goGuests.host
}

// The names of instructions are short here, as tests are mostly made of them.
var (
	konst       = wasmtest.Const
	konst64     = wasmtest.Const64
	invoke      = wasmtest.Call
	local       = wasmtest.Local
	unreachable = wasmtest.Unreachable
	drop        = wasmtest.Drop
)

// buffer collects log lines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func (b *buffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.b.Reset()
}

// newTestLog writes lines without times.
func newTestLog(log *buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// testHost makes a host that is closed with the test, and its log without times.
func testHost(t testing.TB) (*Host, *buffer) {
	t.Helper()
	log := &buffer{}
	host := NewHost(HostConfig{Log: newTestLog(log)})
	t.Cleanup(func() {
		if err := host.Close(t.Context()); err != nil {
			t.Errorf("closing the host: %v", err)
		}
	})
	return host, log
}

// guestModule begins a module that has what every guest needs but on_event.
func guestModule(imports ...abi.Function) *wasmtest.Module {
	m := &wasmtest.Module{}
	for _, f := range imports {
		m.Import(f.Module, f.Name, short(f.Params), short(f.Results))
	}
	m.Memory(1, 4)
	m.Export("memory", 2, 0)
	m.Func("informerd_abi_v1", "", "", "")
	return m
}

// onEvent adds on_event with some code that leaves a verdict, with two local variables behind its
// four parameters.
func onEvent(m *wasmtest.Module, code ...[]byte) []byte {
	m.Func("on_event", "iiii", "i", "ii", code...)
	return m.Bytes()
}

func short(ts []abi.ValueType) string {
	s := ""
	for _, t := range ts {
		if t == abi.I64 {
			s += "I"
		} else {
			s += "i"
		}
	}
	return s
}

// imported finds the type of a host function.
func imported(module, name string) abi.Function {
	for _, f := range hostFunctions {
		if f.Module == module && f.Name == name {
			return f
		}
	}
	panic("no function " + module + " " + name)
}

// testSpec loads a module for the listener "pods".
func testSpec(wasm []byte) Spec {
	return Spec{Listener: "pods", Path: "guest.wasm", Wasm: wasm,
		Grants: Grants{Log: &LogGrant{}, KV: &KVGrant{}, Clock: &ClockGrant{},
			Random: &RandomGrant{}},
		Limits: Limits{Memory: 1 << 20, Deadline: 10 * time.Second}}
}

// instance loads a module and returns an instance that is closed with the test.
func instance(t testing.TB, host *Host, spec Spec) *Instance {
	t.Helper()
	handler, err := host.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	i, err := handler.NewInstance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(t.Context()); err != nil {
			t.Errorf("closing the instance: %v", err)
		}
	})
	return i
}

func newObject(t testing.TB, text string) *object.Object {
	t.Helper()
	var p object.Parser
	o, err := p.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

const podText = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","namespace":"shop","uid":"u","resourceVersion":"7",` +
	`"labels":{"app":"we\u0062"}},"spec":{"nodeName":"n1","hostNetwork":true,"priority":10,"x":null},` +
	`"status":{"phase":"Running","containerStatuses":[{"restartCount":5}]}}`

func podAdd(t testing.TB) event.Event {
	return event.Event{Op: event.Add, Object: newObject(t, podText)}
}

// expectProtocolError passes an event to a guest that breaks the rules.
func expectProtocolError(t *testing.T, i *Instance, name, want string) {
	t.Helper()
	_, err := i.Handle(t.Context(), podAdd(t))
	var crash *CrashError
	if !errors.As(err, &crash) || crash.Reason != ReasonProtocol || crash.Cause.Error() != want {
		t.Errorf("%s: got %v", name, err)
	}
}
