package plugins

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmfile"
)

// Handler is one module, compiled, with its configuration. Its instances share a runtime of their own, since the memory
// limit is one of the runtime.
type Handler struct {
	host     *Host
	spec     Spec // without Wasm
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	fuel     string // the global that holds an instance's fuel; empty if the module is not metered
	log      *guestLog
	kv       *kv.Store // nil unless the module imports it
	kind     kind
	// takesEvents: the guest has on_event.
	takesEvents bool
	caller      *httpCaller // nil without the grant http

	minMemory, maxMemory int64 // of an instance, in bytes: the module's own limits and those of the configuration

	mu     sync.Mutex // guards what follows
	spare  *guest     // the one Load started, for the first NewInstance
	closed bool
}

// Load checks and compiles a module, starts an instance and lets it configure itself. Errors are of type *LoadError.
func (h *Host) Load(ctx context.Context, spec Spec) (*Handler, error) {
	handler, err := h.load(ctx, spec.withDefaults())
	if err != nil {
		return nil, &LoadError{Listener: spec.Listener, Path: spec.Path, Err: err}
	}
	return handler, nil
}

func (h *Host) load(ctx context.Context, spec Spec) (*Handler, error) {
	if h.isClosed() {
		return nil, fmt.Errorf("host: %w", ErrClosed)
	}
	if err := spec.validate(); err != nil {
		return nil, err
	}
	file, err := wasmfile.Parse(spec.Wasm)
	if err != nil {
		return nil, err
	}
	if err := checkModule(file, spec.Limits, spec.Grants); err != nil {
		return nil, err
	}
	spec.Wasm = nil
	handler := &Handler{host: h, spec: spec, log: newGuestLog(h.log, spec)}
	if handler.caller, err = newHTTPCaller(spec.Grants.HTTP); err != nil {
		return nil, err
	}
	handler.minMemory, handler.maxMemory = memoryRange(file, spec.Limits)
	handler.kind, handler.takesEvents = kindOf(file)
	if err := handler.prepare(ctx, file); err != nil {
		return nil, errors.Join(err, handler.free(ctx))
	}
	if !h.add(handler) {
		return nil, errors.Join(fmt.Errorf("host: %w", ErrClosed), handler.free(ctx))
	}
	return handler, nil
}

// prepare makes the runtime with its host modules, compiles the guest and starts the first instance.
func (h *Handler) prepare(ctx context.Context, file *wasmfile.Module) error {
	if importsModule(file, abi.ModuleKV) {
		if err := h.openKV(); err != nil {
			return err
		}
	}
	code, unmeterable, err := h.meter(file)
	if err != nil {
		return err
	}
	if err := checkFuel(h.spec.Limits, unmeterable); err != nil {
		return err
	}
	config := wazero.NewRuntimeConfig() // the compiler, wherever there is one
	config = config.WithCoreFeatures(api.CoreFeaturesV2).
		WithCloseOnContextDone(unmeterable != nil).
		WithMemoryLimitPages(h.spec.Limits.pages()).
		WithDebugInfoEnabled(false).
		WithCompilationCache(h.host.cache)
	h.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := addHostModules(ctx, h.runtime, file); err != nil {
		return err
	}
	if unmeterable == nil {
		if err := addMeter(ctx, h.runtime); err != nil {
			return err
		}
	}
	if h.compiled, err = h.runtime.CompileModule(ctx, code); err != nil {
		return fmt.Errorf("the module is not valid: %w", err)
	}
	if unmeterable != nil {
		h.log.unmetered(ctx, unmeterable)
	}
	if err := ctx.Err(); err != nil { // compiling cannot be interrupted
		return err
	}
	h.spare, err = startGuest(ctx, h)
	return err
}

// NewInstance starts an instance for one worker.
func (h *Handler) NewInstance(ctx context.Context) (*Instance, error) {
	if h.isClosed() {
		return nil, fmt.Errorf("listener %q: handler: %w", h.spec.Listener, ErrClosed)
	}
	g := h.takeSpare()
	if g == nil {
		var err error
		if g, err = startGuest(ctx, h); err != nil {
			return nil, err
		}
	}
	return &Instance{handler: h, guest: g, usage: newUsage(h.spec.CountCalls)}, nil
}

// Close frees the compiled code and the instances that are left.
func (h *Handler) Close(ctx context.Context) error {
	h.mu.Lock()
	closed := h.closed
	h.closed = true
	h.mu.Unlock()
	if closed {
		return nil
	}
	h.host.remove(h)
	return h.free(ctx)
}

func (h *Handler) free(ctx context.Context) error {
	var errs []error
	if g := h.takeSpare(); g != nil {
		errs = append(errs, g.close(ctx))
	}
	if h.runtime != nil {
		errs = append(errs, h.runtime.Close(ctx))
	}
	if h.compiled != nil { // the runtime leaves code in the shared cache
		errs = append(errs, h.compiled.Close(ctx))
	}
	if h.kv != nil {
		errs = append(errs, h.kv.Close())
	}
	h.caller.close()
	return errors.Join(errs...)
}

func (h *Handler) takeSpare() *guest {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.spare
	h.spare = nil
	return g
}

func (h *Handler) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}
