package plugins

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
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

func replace(t *testing.T, h *Handler, spec Spec) {
	t.Helper()
	if err := h.Replace(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
}

func expectClean(t *testing.T, host *Host) {
	t.Helper()
	if c, n, s := host.codeCount(), host.guests.Load(), openStores(host); c != 0 || n != 0 ||
		s != 0 {
		t.Errorf("left: %d modules' code, %d guests, %d kv stores", c, n, s)
	}
}

// Each instance moves to the new module before its next event, soon or late, and the last one to do
// so frees the old module. The guest that Replace has started is the first one's.
func TestInstancesGoOverBeforeTheirNextEvent(t *testing.T) {
	host, _ := testHost(t)
	h := loadHandler(t, host, testSpec(verdictGuest(Done)))
	first, second := newInstance(t, h), newInstance(t, h)
	expectVerdict(t, first, podAdd(t), Done)
	expectVerdict(t, second, podAdd(t), Done)
	for n, step := range []struct {
		do                     func()
		modules, codes, guests int
	}{
		{func() {}, 1, 1, 2},
		{func() { replace(t, h, testSpec(verdictGuest(Drop))) }, 2, 2, 3},
		{func() { expectVerdict(t, first, podAdd(t), Drop) }, 2, 2, 2},
		// the second has not moved yet
		{func() { replace(t, h, testSpec(verdictGuest(Fail))) }, 3, 3, 3},
		{func() { expectVerdict(t, first, podAdd(t), Fail) }, 2, 2, 2},
		{func() { expectVerdict(t, second, podAdd(t), Fail) }, 1, 1, 2},
		{func() { replace(t, h, testSpec(verdictGuest(Retry))) }, 2, 2, 3},
		// nobody was there who had to leave
		{func() { replace(t, h, testSpec(verdictGuest(Done))) }, 2, 2, 3},
		{func() { first.Close(t.Context()) }, 2, 2, 2},
		{func() { second.Close(t.Context()) }, 1, 1, 1},
		{func() { h.Close(t.Context()) }, 0, 0, 0},
		{func() { first.Close(t.Context()) }, 0, 0, 0},
	} {
		step.do()
		if m, c, g := h.moduleCount(), host.codeCount(),
			int(host.guests.Load()); m != step.modules || c != step.codes || g != step.guests {
			t.Errorf("step %d: %d modules, %d codes, %d guests, want %+v", n, m, c, g, step)
		}
	}
}

// A replacement that is refused leaves everything as it was.
func TestAFailedReplaceChangesNothing(t *testing.T) {
	host, _ := testHost(t)
	h := loadHandler(t, host, testSpec(verdictGuest(Drop)))
	i := newInstance(t, h)
	other := testSpec(verdictGuest(Done))
	other.Listener = "nodes"
	for n, bad := range append(badSpecs(), other) {
		var refused *LoadError
		err := h.Replace(t.Context(), bad)
		if !errors.As(err, &refused) || refused.Listener != bad.Listener ||
			refused.Path != "guest.wasm" {
			t.Errorf("%d: got %v", n, err)
		}
		if m, c, g := h.moduleCount(), host.codeCount(), host.guests.Load(); m != 1 || c != 1 ||
			g != 1 {
			t.Errorf("%d: %d modules, %d codes, %d guests", n, m, c, g)
		}
		expectVerdict(t, i, podAdd(t), Drop)
	}
	err := h.Replace(t.Context(), other)
	want := `listener "nodes": handler guest.wasm: it cannot take the place of a handler of listener "pods"`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if err := errors.Join(i.Close(t.Context()), h.Close(t.Context())); err != nil {
		t.Error(err)
	}
	err = h.Replace(t.Context(), testSpec(verdictGuest(Done)))
	if !errors.Is(err, ErrClosed) || err.Error() != `listener "pods": handler guest.wasm: closed` {
		t.Errorf("after Close: %v", err)
	}
	expectClean(t, host)
}

// A guest that starts for Replace but not for an instance is one that crashes.
func TestACrashOfTheNewGuestIsACrash(t *testing.T) {
	host, log := testHost(t)
	h := loadHandler(t, host, testSpec(verdictGuest(Drop)))
	first, second := newInstance(t, h), newInstance(t, h)
	replace(t, h, testSpec(startsOnce(unreachable)))
	expectVerdict(t, first, podAdd(t), Done)
	for n := range 2 {
		_, err := second.Handle(t.Context(), podAdd(t))
		var crash *CrashError
		if !errors.As(err, &crash) || crash.Func != "configure" || crash.Op != event.Add ||
			crash.Object.Name != "web-1" {
			t.Errorf("%d: got %v", n, err)
		}
	}
	if n := strings.Count(log.String(), "handler crashed"); n != 2 {
		t.Errorf("logged:\n%s", log)
	}
	if s := second.Stats(); s.Crashes != 2 || s.Events != 0 || s.Memory != 0 {
		t.Errorf("counted %+v", s)
	}
	replace(t, h, testSpec(verdictGuest(Fail)))
	expectVerdict(t, first, podAdd(t), Fail)
	expectVerdict(t, second, podAdd(t), Fail)
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

// Another kind of guest is given events in its own way, also in the middle of a listener's batches.
func TestReplaceByAnotherKind(t *testing.T) {
	host, _ := testHost(t)
	events := batchOf(t, event.Add, event.Update)
	single, batches, both := generation(true, false), generation(false, true),
		generation(true, true)
	command := printingCommand("{\"verdict\":\"drop\"}\n{\"verdict\":\"drop\"}\n")
	h := loadHandler(t, host, testSpec(single))
	i := newInstance(t, h)
	for n, step := range []struct {
		wasm    []byte
		batches bool
		want    string
	}{
		{batches, true, "done web-0 data {}, done web-1 data {}"},
		{single, false, "done web-0 data {}, done web-1 data {}"},
		{command, true, "drop, drop"},
		{both, true, "done web-0 data {}, done web-1 data {}"},
		{command, true, "drop, drop"},
		{single, false, "done web-0 data {}, done web-1 data {}"},
	} {
		replace(t, h, testSpec(step.wasm))
		if h.Batches() != step.batches {
			t.Errorf("step %d: Batches returns %v", n, h.Batches())
		}
		results, err := i.HandleBatch(t.Context(), events)
		if got := texts(results); err != nil || got != step.want {
			t.Errorf("step %d: got %s, %v\nwant %s", n, got, err, step.want)
		}
	}
	if s := i.Stats(); s.Events != 12 || s.Crashes != 0 || s.Recycled != 0 {
		t.Errorf("counted %+v", s)
	}
}

// What a listener keeps is found by the module that follows, with its own limits; a grant that is
// taken away is gone.
func TestReplaceKeepsTheListenersValues(t *testing.T) {
	host, _ := testHost(t)
	h := loadHandler(t, host, kvSpec(KVGrant{}))
	i := newInstance(t, h)
	for range 3 {
		expectVerdict(t, i, podAdd(t), Done)
		replace(t, h, kvSpec(KVGrant{Bytes: 4}))
		if n := openStores(host); n != 2 {
			t.Errorf("%d stores are open", n)
		}
	}
	expectVerdict(t, i, podAdd(t), Done)
	if n := counted(t, h); n != 4 {
		t.Errorf("counted %d events, want 4", n)
	}
	without := kvSpec(KVGrant{})
	without.Grants.KV = nil
	err := h.Replace(t.Context(), without)
	if want := `listener "pods": handler guest.wasm: import "get" of module "informerd/kv.v1": this needs the grant "kv", which the ` +
		`configuration does not have`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	without.Wasm = verdictGuest(Drop)
	replace(t, h, without)
	expectVerdict(t, i, podAdd(t), Drop)
	if n := openStores(host); n != 0 {
		t.Errorf("%d stores are open", n)
	}
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

// While one module is being started, the old one goes on, and another Replace waits, or gives up.
// They are done in turn.
func TestReplaceIsDoneOneAfterTheOther(t *testing.T) {
	host, gate := gatedHost()
	h := loadHandler(t, host, testSpec(verdictGuest(Done)))
	i := newInstance(t, h)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := h.Replace(t.Context(), gated(Drop)); err != nil {
			t.Error(err)
		}
	})
	<-gate.held
	expectVerdict(t, i, podAdd(t), Done)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Replace(ctx, testSpec(verdictGuest(Fail))); !errors.Is(err, context.Canceled) {
		t.Errorf("a Replace whose context has ended: %v", err)
	}
	const waiting = 3
	var done [waiting]chan struct{}
	for n := range done {
		done[n] = make(chan struct{})
		wg.Go(func() {
			defer close(done[n])
			if err := h.Replace(t.Context(), testSpec(verdictGuest(Fail))); err != nil {
				t.Error(err)
			}
		})
	}
	expectVerdict(t, i, podAdd(t), Done)
	close(gate.release)
	wg.Wait()
	expectVerdict(t, i, podAdd(t), Fail)
	if n := h.moduleCount(); n != 1 {
		t.Errorf("there are %d modules", n)
	}
	if err := errors.Join(i.Close(t.Context()), host.Close(t.Context())); err != nil {
		t.Error(err)
	}
	expectClean(t, host)
}

// A handler or host that is closed while Replace is at work stays closed, and Replace frees what it
// has made.
func TestCloseWhileReplaceIsAtWork(t *testing.T) {
	for _, closing := range []string{"handler", "host"} {
		t.Run(closing, func(t *testing.T) {
			host, gate := gatedHost()
			h := loadHandler(t, host, testSpec(verdictGuest(Done)))
			i := newInstance(t, h)
			replaced := make(chan error)
			go func() { replaced <- h.Replace(t.Context(), gated(Drop)) }()
			<-gate.held
			stop := host.Close
			if closing == "handler" {
				stop = h.Close
			}
			if err := stop(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := i.Handle(t.Context(), podAdd(t)); !errors.Is(err, ErrClosed) {
				t.Errorf("Handle after Close: %v", err)
			}
			close(gate.release)
			if err := <-replaced; !errors.Is(err, ErrClosed) {
				t.Errorf("Replace: %v", err)
			}
			if err := errors.Join(i.Close(t.Context()), host.Close(t.Context())); err != nil {
				t.Error(err)
			}
			expectClean(t, host)
		})
	}
}

// So does Load.
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
	if c, s := host.codeCount(), openStores(host); c != 0 || s != 0 {
		t.Errorf("left: %d modules' code, %d kv stores", c, s)
	}
}

// A crash of the old guest at the event at hand is its own, and the next event is the new one's.
func TestTheEventAtHandEndsWithTheOldModule(t *testing.T) {
	host, gate := gatedHost()
	m := guestModule(imported(abi.ModuleLog, "log"))
	m.Data(0, "hold")
	spec := testSpec(onEvent(m, konst(int32(abi.LogError)), konst(0), konst(4), invoke(0),
		konst(int32(Drop))))
	h := loadHandler(t, host, spec)
	i := newInstance(t, h)
	type answer struct {
		r   Result
		err error
	}
	answers := make(chan answer)
	go func() {
		r, err := i.Handle(t.Context(), podAdd(t))
		answers <- answer{r, err}
	}()
	<-gate.held
	replace(t, h, testSpec(verdictGuest(Fail)))
	close(gate.release)
	if a := <-answers; a.err != nil || a.r.Verdict != Drop {
		t.Errorf("the event at hand: %v, %v", a.r.Verdict, a.err)
	}
	expectVerdict(t, i, podAdd(t), Fail)
	if err := errors.Join(i.Close(t.Context()), host.Close(t.Context())); err != nil {
		t.Error(err)
	}
	expectClean(t, host)
}
