package plugins

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// verdictGuest returns some verdict for each event.
func verdictGuest(v Verdict) []byte { return onEvent(guestModule(), konst(int32(v))) }

func loadHandler(t *testing.T, host *Host, spec Spec) *Handler {
	t.Helper()
	h, err := host.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func newInstance(t *testing.T, h *Handler) *Instance {
	t.Helper()
	i, err := h.NewInstance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.Close(t.Context()) })
	return i
}

func expectClean(t *testing.T, host *Host) {
	t.Helper()
	if c, n, s := codeCount(host), host.guests.Load(), openStores(host); c != 0 || n != 0 ||
		s != 0 {
		t.Errorf("left: %d modules' code, %d guests, %d kv stores", c, n, s)
	}
}

// startsOnce is a guest whose configure runs some code if one of its listener was configured
// before.
func startsOnce(code ...[]byte) []byte {
	m := guestModule(imported(abi.ModuleKV, "get"), imported(abi.ModuleKV, "set"))
	m.Data(0, "started")
	m.Func("configure", "", "i", "",
		konst(0), konst(7), konst(1024), konst(10), invoke(0), konst(0), []byte{0x4e}, // at least 0
		wasmtest.If(code...),
		konst(0), konst(7), konst(0), konst(1), konst64(0), invoke(1))
	return onEvent(m, konst(0))
}

// gate is a log handler that holds whoever writes some line, until it is opened.
type gate struct {
	slog.Handler
	line          string
	held, release chan struct{}
}

func (g *gate) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == g.line {
		g.held <- struct{}{}
		<-g.release
	}
	return nil
}

func (g *gate) WithAttrs([]slog.Attr) slog.Handler { return g }

// gatedHost is a host whose guest gated waits in its configure.
func gatedHost() (*Host, *gate) {
	g := &gate{slog.DiscardHandler, "hold", make(chan struct{}), make(chan struct{})}
	return NewHost(HostConfig{Log: slog.New(&enabled{g})}), g
}

// enabled takes all lines.
type enabled struct{ *gate }

func (*enabled) Enabled(context.Context, slog.Level) bool { return true }
func (e *enabled) WithAttrs([]slog.Attr) slog.Handler     { return e }

func gated(v Verdict) Spec {
	m := guestModule(imported(abi.ModuleLog, "log"))
	m.Data(0, "hold")
	m.Func("configure", "", "i", "", konst(int32(abi.LogError)), konst(0), konst(4), invoke(0),
		konst(0))
	return testSpec(onEvent(m, konst(int32(v))))
}

// A host that is closed while Load is at work stays closed, and Load frees what it has made.
func TestHostCloseWhileLoadIsAtWork(t *testing.T) {
	host, gate := gatedHost()
	loaded := make(chan error)
	go func() {
		_, err := host.Load(t.Context(), gated(Drop))
		loaded <- err
	}()
	<-gate.held
	if err := host.Close(t.Context()); err != nil {
		t.Error(err)
	}
	close(gate.release)
	if err := <-loaded; !errors.Is(err, ErrClosed) {
		t.Errorf("Load: %v", err)
	}
	expectClean(t, host)
}

// Close ends a guest that another goroutine is starting, and waits for it.
func TestCloseEndsAStart(t *testing.T) {
	host, gate := gatedHost()
	m := guestModule(imported(abi.ModuleLog, "log"), imported(abi.ModuleKV, "get"),
		imported(abi.ModuleKV, "set"))
	m.Data(0, "startedhold")
	m.Func("configure", "", "i", "",
		konst(0), konst(7), konst(1024), konst(10), invoke(1), konst(0), []byte{0x4e},
		wasmtest.If(konst(int32(abi.LogError)), konst(7), konst(4), invoke(0), wasmtest.Forever),
		konst(0), konst(7), konst(0), konst(1), konst64(0), invoke(2))
	spec := testSpec(onEvent(m, konst(0)))
	spec.Limits.LoadDeadline = time.Hour
	h := loadHandler(t, host, spec)
	newInstance(t, h) // takes the guest of Load
	started := make(chan error)
	go func() {
		_, err := h.NewInstance(t.Context())
		started <- err
	}()
	<-gate.held
	close(gate.release)
	if err := h.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-started; !errors.Is(err, ErrClosed) {
		t.Errorf("NewInstance: %v", err)
	}
	if err := host.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if c, s := codeCount(host), openStores(host); c != 0 || s != 0 {
		t.Errorf("left: %d modules' code, %d kv stores", c, s)
	}
}

// A handler or host that is closed stays closed, for the instances it had as well.
func TestClosedHandler(t *testing.T) {
	for _, closing := range []string{"handler", "host"} {
		host, _ := testHost(t)
		h := loadHandler(t, host, testSpec(verdictGuest(Done)))
		i := newInstance(t, h)
		stop := host.Close
		if closing == "handler" {
			stop = h.Close
		}
		for range 2 {
			if err := stop(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if _, err := i.Handle(t.Context(), podAdd(t)); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: Handle after Close: %v", closing, err)
		}
		if _, err := h.NewInstance(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: NewInstance after Close: %v", closing, err)
		}
		if err := i.Close(t.Context()); err != nil {
			t.Error(err)
		}
		expectClean(t, host)
	}
}
