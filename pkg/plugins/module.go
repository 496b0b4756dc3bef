package plugins

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmfile"
)

// module is what Load and Replace make of a Spec: checked and compiled code with its configuration.
// Its guests share a runtime of their own, since the memory limit is one of the runtime. It is
// there for as long as somebody uses it: the handler whose current one it is, and each of its
// guests. Who leaves it last frees it.
type module struct {
	host     *Host
	spec     Spec // without Wasm
	digest   string
	code     *code
	runtime  wazero.Runtime
	compiled wazero.CompiledModule // of this runtime; one of another must not be instantiated in it
	fuel     string                // the global that holds an instance's fuel
	log      *guestLog
	kv       *kv.Store // nil unless the module imports it
	kind     kind
	// takesEvents: the guest has on_event.
	takesEvents bool
	// startFunction is the export to call before all others, empty if there is none.
	startFunction string
	caller        *httpCaller // nil without the grant http

	// of an instance, in bytes: the module's own limits and those of the configuration
	minMemory, maxMemory int64

	life   context.Context // ends when the module is closed with guests that are left
	end    context.CancelFunc
	closed atomic.Bool
	starts sync.WaitGroup // guests that are being started

	mu    sync.Mutex // guards what follows
	users int
	freed bool
	gone  func(*module) // is told that it was freed; may be nil
}

// parse reads the outline of a module and checks what can be checked without compiling it.
func parse(spec Spec) (*wasmfile.Module, error) {
	if err := spec.validate(); err != nil {
		return nil, err
	}
	if size := int64(len(spec.Wasm)); size > spec.Limits.Module {
		return nil, fmt.Errorf("the file has %d bytes, at most %d are allowed: raise limits.module",
			size, spec.Limits.Module)
	}
	file, err := wasmfile.Parse(spec.Wasm)
	if err != nil {
		return nil, err
	}
	return file, checkModule(file, spec.Limits, spec.Grants)
}

// newModule checks and compiles a module, and starts its first guest. The module is used by its
// maker then, and by the guest.
func (h *Host) newModule(ctx context.Context, spec Spec) (*module, *guest, error) {
	if h.isClosed() {
		return nil, nil, fmt.Errorf("host: %w", ErrClosed)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()
	file, err := parse(spec)
	if err != nil {
		return nil, nil, err
	}
	sum := digestOf(spec.Wasm)
	spec.Wasm = nil
	m := &module{host: h, spec: spec, digest: hex.EncodeToString(sum[:]),
		log: newGuestLog(h.log, spec), users: 1}
	m.life, m.end = context.WithCancel(context.Background())
	m.minMemory, m.maxMemory = memoryRange(file, spec.Limits)
	m.kind, m.takesEvents = kindOf(file)
	m.startFunction = file.Start
	err = m.prepare(ctx, file)
	var first *guest
	if err == nil {
		first, err = m.start(ctx)
	}
	if err != nil {
		if h.isClosed() && errors.Is(err, context.Canceled) {
			err = fmt.Errorf("host: %w", ErrClosed)
		}
		return nil, nil, errors.Join(err, m.leave(context.WithoutCancel(ctx)))
	}
	return m, first, nil
}

// prepare makes the runtime with its host modules and compiles the guest.
func (m *module) prepare(ctx context.Context, file *wasmfile.Module) (err error) {
	if m.caller, err = newHTTPCaller(m.spec.Grants.HTTP); err != nil {
		return err
	}
	if importsModule(file, abi.ModuleKV) {
		if err := m.openKV(); err != nil {
			return err
		}
	}
	folder, err := m.host.prepare(ctx)
	if err != nil {
		return err
	}
	if m.code, err = m.host.codes.take(ctx, file, folder, m.spec.Limits.Load); err != nil {
		return err
	}
	m.fuel = m.code.fuel
	config := runtimeConfig(m.code.cache).WithMemoryLimitPages(m.spec.Limits.pages())
	m.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := addHostModules(ctx, m.runtime, file); err != nil {
		return err
	}
	if err := addMeter(ctx, m.runtime); err != nil {
		return err
	}
	// the engine has it already
	if m.compiled, err = m.runtime.CompileModule(ctx, m.code.wasm); err != nil {
		return fmt.Errorf("the module is not valid: %w", err)
	}
	return ctx.Err()
}

// errGone: the module was freed, or is about to be.
var errGone = errors.New("the module is gone")

// start starts a guest.
func (m *module) start(ctx context.Context) (*guest, error) {
	if !m.startable() {
		return nil, errGone
	}
	defer m.starts.Done()
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.life, cancel)()
	g, err := startGuest(starting, m)
	if err != nil && m.closed.Load() && ctx.Err() == nil {
		return nil, errGone
	}
	return g, err
}

// startable makes a guest that is to be started one who must leave; its start must be told to be
// done.
func (m *module) startable() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed || m.closed.Load() {
		return false
	}
	m.users++
	m.starts.Add(1)
	return true
}

// leave ends a use, and frees the module if it was the last.
func (m *module) leave(ctx context.Context) error {
	m.mu.Lock()
	m.users--
	last := m.users == 0
	m.mu.Unlock()
	if !last {
		return nil
	}
	return m.free(ctx)
}

// close frees the module with the guests that are left. No call may be running, but starts may be:
// they are ended.
func (m *module) close(ctx context.Context) error {
	m.mu.Lock()
	m.closed.Store(true)
	m.mu.Unlock()
	m.end()
	m.starts.Wait()
	return m.free(ctx)
}

// free frees everything, once.
func (m *module) free(ctx context.Context) error {
	m.mu.Lock()
	freed := m.freed
	m.freed = true
	m.mu.Unlock()
	if freed {
		return nil
	}
	m.end()
	var errs []error
	if m.runtime != nil {
		errs = append(errs, m.runtime.Close(ctx))
	}
	if m.compiled != nil { // the runtime leaves code in the shared cache
		errs = append(errs, m.compiled.Close(ctx))
	}
	if m.code != nil {
		errs = append(errs, m.host.codes.leave(ctx, m.code))
	}
	if m.kv != nil {
		errs = append(errs, m.kv.Close())
	}
	m.caller.close()
	if m.gone != nil {
		m.gone(m)
	}
	return errors.Join(errs...)
}
