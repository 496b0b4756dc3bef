package guest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/code"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// Config is what a module's guests get.
type Config struct {
	Listener string
	Settings []byte // JSON, for a WASI command
	Limits   Limits
	Compile  code.Limits
	Clock    hostfunc.Clock
	Seed     *uint64 // of random numbers; nil: they are real
	Log      *hostfunc.Log
	// Events is the group that every guest has. Groups are the others, of which the module gets
	// those that it imports.
	Events *hostfunc.EventGroup
	Groups []hostfunc.Group
	// Number returns the place of a function in what is counted.
	Number func(abi.Function) int
	// CountCalls is for CountsCalls.
	CountCalls bool
	// Guests counts the guests there are.
	Guests *atomic.Int64
}

// Limits bound what a guest may use; package plugins describes them.
type Limits struct {
	Memory       int64
	Deadline     time.Duration // of one event
	LoadDeadline time.Duration
	Fuel         int64 // of one event; 0 is no budget
	Recycle      int64 // events; -1 is without end
}

// Module is checked and compiled code with its configuration. Its guests share a runtime, since the
// memory limit is one of the runtime.
type Module struct {
	cfg      Config
	groups   []hostfunc.Group // that its guests have
	code     *code.Code
	runtime  wazero.Runtime
	compiled wazero.CompiledModule // of this runtime; one of another must not be instantiated in it
	kind     code.Kind
	// takesEvents: the guest has on_event.
	takesEvents bool
	// startFunction is the export to call before all others, empty if there is none.
	startFunction string

	// minMemory and maxMemory of an instance, in bytes: the module's own limits and those of the
	// configuration
	minMemory, maxMemory int64

	life   context.Context // ends when the module is closed
	end    context.CancelFunc
	mu     sync.Mutex     // held to close it, and to begin a start
	starts sync.WaitGroup // guests that are being started
}

// NewModule compiles a checked module, and gets what its guests share. The caller must close it.
func NewModule(ctx context.Context, compiler *code.Compiler, file *wasmbin.Module,
	cfg Config) (*Module, error) {
	m := &Module{cfg: cfg, startFunction: file.Start}
	m.life, m.end = context.WithCancel(context.Background())
	m.minMemory, m.maxMemory = code.MemoryRange(file, cfg.Limits.Memory)
	m.kind, m.takesEvents = code.KindOf(file)
	if err := m.prepare(ctx, compiler, file); err != nil {
		return nil, errors.Join(err, m.Close(context.WithoutCancel(ctx)))
	}
	return m, nil
}

// prepare opens the groups of host functions, and makes the runtime with them and the guest's code.
func (m *Module) prepare(ctx context.Context, compiler *code.Compiler,
	file *wasmbin.Module) (err error) {
	m.groups = []hostfunc.Group{m.cfg.Events}
	for _, group := range m.cfg.Groups {
		if !code.Imports(file, group.Functions()[0].Module) {
			continue
		}
		m.groups = append(m.groups, group)
		if err := group.Open(); err != nil {
			return err
		}
	}
	if m.code, err = compiler.Compile(ctx, file, m.cfg.Compile); err != nil {
		return err
	}
	config := m.code.RuntimeConfig().
		WithMemoryLimitPages(uint32(m.cfg.Limits.Memory / wasmbin.PageSize))
	m.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := hostfunc.Instantiate(ctx, m.runtime, m.groups, m.cfg.Number); err != nil {
		return err
	}
	tank := func(ctx context.Context) *meter.Tank { return hostfunc.CallerOf(ctx).Tank }
	if err := meter.Instantiate(ctx, m.runtime, tank); err != nil {
		return fmt.Errorf("host module %s: %w", meter.HostModule, err)
	}
	// The engine has the code already.
	if m.compiled, err = m.runtime.CompileModule(ctx, m.code.Wasm()); err != nil {
		return fmt.Errorf("the module is not valid: %w", err)
	}
	return ctx.Err()
}

// Log returns the log of the module's guests.
func (m *Module) Log() *hostfunc.Log { return m.cfg.Log }

// TakesEvents reports whether the guest has on_event.
func (m *Module) TakesEvents() bool { return m.takesEvents }

// Batches reports whether the guest takes more than one event at once.
func (m *Module) Batches() bool { return m.kind != code.Events }

// CountsCalls reports whether calls of host functions are to be counted.
func (m *Module) CountsCalls() bool { return m.cfg.CountCalls }

// Start starts a guest. It fails with ErrClosed once the module is closed.
func (m *Module) Start(ctx context.Context) (*Guest, error) {
	if !m.beginStart() {
		return nil, Closed(m.cfg.Listener)
	}
	defer m.starts.Done()
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.life, cancel)()
	g, err := start(starting, m)
	if err != nil && m.Closed() && ctx.Err() == nil {
		return nil, Closed(m.cfg.Listener)
	}
	return g, err
}

// beginStart counts a start, which must end. It returns false if it is too late for that.
func (m *Module) beginStart() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Closed() {
		return false
	}
	m.starts.Add(1)
	return true
}

// Closed reports whether the module is closed, or is being closed.
func (m *Module) Closed() bool { return m.life.Err() != nil }

// Close frees the module with the guests it still has. No call may be running, but starts may be:
// they are ended.
func (m *Module) Close(ctx context.Context) error {
	m.mu.Lock()
	closed := m.Closed()
	m.end()
	m.mu.Unlock()
	m.starts.Wait()
	if closed {
		return nil
	}
	var errs []error
	if m.runtime != nil {
		errs = append(errs, m.runtime.Close(ctx))
	}
	if m.compiled != nil { // the runtime leaves code in the shared cache
		errs = append(errs, m.compiled.Close(ctx))
	}
	if m.code != nil {
		errs = append(errs, m.code.Release(ctx))
	}
	for _, group := range m.groups {
		errs = append(errs, group.Close())
	}
	return errors.Join(errs...)
}
