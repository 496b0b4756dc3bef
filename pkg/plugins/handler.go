package plugins

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/internal/outbound"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/code"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// Handler is what a listener's events are given to: checked and compiled code with its
// configuration. Its guests share a runtime, since the memory limit is one of the runtime.
type Handler struct {
	host   *Host
	spec   Spec   // with its defaults, and without the module
	config string // of spec, as guests get it
	digest string // of the module
	log    *guestLog

	kind code.Kind
	// takesEvents: the guest has on_event.
	takesEvents bool
	// startFunction is the export to call before all others, empty if there is none.
	startFunction string
	// minMemory and maxMemory of an instance, in bytes: the module's own limits and those of the
	// configuration
	minMemory, maxMemory int64

	code     *code.Code
	runtime  wazero.Runtime
	compiled wazero.CompiledModule // of this runtime; one of another must not be instantiated in it
	store    *kv.Store             // nil unless the module imports kv.v1
	client   *outbound.Client      // nil unless the module imports http.v1
	failures limiter               // of log lines about requests
	turn     uint64                // when a guest of it had one last; guarded by turns.mu

	life   context.Context // ends when the handler is closed
	end    context.CancelFunc
	starts sync.WaitGroup // guests that are being started

	mu    sync.Mutex // held to close it, and to begin a start
	spare *guest     // the one Load started, for whoever needs one first; guarded by mu
}

// Load checks and compiles a module, starts an instance and lets it configure itself. Errors are of
// type *LoadError.
func (h *Host) Load(ctx context.Context, spec Spec) (*Handler, error) {
	handler, err := h.load(ctx, spec.withDefaults())
	if err != nil {
		return nil, newLoadError(spec, err)
	}
	return handler, nil
}

func (h *Host) load(ctx context.Context, spec Spec) (*Handler, error) {
	if h.closed() {
		return nil, fmt.Errorf("host: %w", ErrClosed)
	}
	loading, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()
	file, err := spec.parse()
	if err != nil {
		return nil, err
	}
	handler := h.newHandler(spec, file)
	if err = handler.prepare(loading, file); err == nil {
		handler.spare, err = handler.start(loading)
	}
	switch {
	case err == nil && h.add(handler):
		return handler, nil
	case err == nil, h.closed() && errors.Is(err, context.Canceled):
		err = fmt.Errorf("host: %w", ErrClosed)
	}
	return nil, errors.Join(err, handler.Close(context.WithoutCancel(ctx)))
}

// newHandler returns the handler of a checked module, to be prepared.
func (h *Host) newHandler(spec Spec, file *wasmbin.Module) *Handler {
	handler := &Handler{host: h, spec: spec, config: string(spec.Config),
		digest: fmt.Sprintf("%x", code.Digest(spec.Wasm)), log: spec.log(h.log),
		failures: limiter{perSecond: failuresPerSecond}, startFunction: file.Start}
	handler.spec.Wasm = nil // it is not kept
	handler.life, handler.end = context.WithCancel(context.Background())
	handler.minMemory, handler.maxMemory = code.MemoryRange(file, spec.Limits.Memory)
	handler.kind, handler.takesEvents = code.KindOf(file)
	return handler
}

// prepare gets what the handler's guests share, and makes the runtime with their code.
func (h *Handler) prepare(ctx context.Context, file *wasmbin.Module) (err error) {
	if code.Imports(file, abi.ModuleKV) {
		if h.store, err = h.spec.Grants.KV.open(ctx, &h.host.kv, &h.spec); err != nil {
			return err
		}
	}
	if code.Imports(file, abi.ModuleHTTP) {
		if h.client, err = outbound.New(h.spec.Grants.HTTP.client()); err != nil {
			return err
		}
	}
	limits := code.Limits{Time: h.spec.Limits.LoadTime, Memory: h.spec.Limits.LoadMemory}
	if h.code, err = h.host.compiler.Compile(ctx, file, limits); err != nil {
		return err
	}
	h.runtime = wazero.NewRuntimeWithConfig(ctx, h.code.RuntimeConfig().
		WithMemoryLimitPages(uint32(h.spec.Limits.Memory/wasmbin.PageSize)))
	if err := instantiateFunctions(ctx, h.runtime, file); err != nil {
		return err
	}
	tank := func(ctx context.Context) *meter.Tank { return guestOf(ctx).tank }
	if err := meter.Instantiate(ctx, h.runtime, tank); err != nil {
		return fmt.Errorf("host module %s: %w", meter.HostModule, err)
	}
	// The engine has the code already.
	if h.compiled, err = h.runtime.CompileModule(ctx, h.code.Wasm()); err != nil {
		return fmt.Errorf("the module is not valid: %w", err)
	}
	return ctx.Err()
}

// Check returns what Load would refuse without compiling the module. Errors are of type *LoadError.
func (h *Host) Check(spec Spec) error {
	if _, err := spec.withDefaults().parse(); err != nil {
		return newLoadError(spec, err)
	}
	return nil
}

// Batches reports whether the guest takes more than one event at once. If not, HandleBatch passes
// it one after the other.
func (h *Handler) Batches() bool { return h.kind != code.Events }

// drop closes a guest that another one has followed.
func (h *Handler) drop(ctx context.Context, g *guest) {
	if err := g.close(context.WithoutCancel(ctx)); err != nil {
		h.host.log.WarnContext(ctx, "what was replaced could not be freed", "listener",
			h.spec.Listener, "error", err)
	}
}

// NewInstance starts an instance for one worker.
func (h *Handler) NewInstance(ctx context.Context) (*Instance, error) {
	g, err := h.start(ctx)
	if err != nil {
		return nil, err
	}
	i := &Instance{handler: h, renewal: renewal{handler: h}, usage: newUsage(h.spec.CountCalls)}
	i.take(g)
	return i, nil
}

// start returns a guest: the spare one, or a fresh one. It fails with ErrClosed once the handler is
// closed.
func (h *Handler) start(ctx context.Context) (*guest, error) {
	h.mu.Lock()
	spare, closed := h.spare, h.closed()
	h.spare = nil
	if spare == nil && !closed {
		h.starts.Add(1)
	}
	h.mu.Unlock()
	switch {
	case spare != nil:
		return spare, nil
	case closed:
		return nil, h.closedError()
	}
	defer h.starts.Done()
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()
	g, err := start(starting, h)
	if err != nil && h.closed() && ctx.Err() == nil {
		return nil, h.closedError()
	}
	return g, err
}

// closed reports whether the handler is closed, or is being closed.
func (h *Handler) closed() bool { return h.life.Err() != nil }

func (h *Handler) closedError() error {
	return fmt.Errorf("listener %q: handler: %w", h.spec.Listener, ErrClosed)
}

// Close frees the compiled code and the instances that are still open. No call may be running, but
// starts may be: they are ended.
func (h *Handler) Close(ctx context.Context) error {
	h.host.remove(h)
	h.mu.Lock()
	spare, closed := h.spare, h.closed()
	h.spare = nil
	h.end()
	h.mu.Unlock()
	h.starts.Wait()
	if closed {
		return nil
	}
	var errs []error
	if spare != nil {
		errs = append(errs, spare.close(ctx))
	}
	if h.runtime != nil {
		errs = append(errs, h.runtime.Close(ctx))
	}
	if h.compiled != nil { // the runtime leaves code in the shared cache
		errs = append(errs, h.compiled.Close(ctx))
	}
	if h.code != nil {
		errs = append(errs, h.code.Release(ctx))
	}
	if h.store != nil {
		errs = append(errs, h.store.Close())
	}
	if h.client != nil {
		h.client.Close()
	}
	return errors.Join(errs...)
}

// log returns the log of a handler's guests. Without the grant log it takes nothing of log.v1.
func (s Spec) log(log *slog.Logger) *guestLog {
	if grant := s.Grants.Log; grant != nil {
		return newGuestLog(log, s.Listener, grant.Level, grant.LinesPerSecond)
	}
	return newGuestLog(log, s.Listener, slog.LevelInfo, 0)
}
