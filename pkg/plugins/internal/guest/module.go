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
	"github.com/informerd/informerd/pkg/plugins/internal/guestlog"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc/eventv1"
	"github.com/informerd/informerd/pkg/plugins/internal/memory"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmfile"
)

// Config is what a module's guests get.
type Config struct {
	Listener string
	Settings []byte // JSON, for a WASI command
	Limits   Limits
	Compile  code.Limits
	Clock    hostfunc.Clock
	Seed     *uint64 // of random numbers; nil: they are real
	Log      *guestlog.Log
	// Events is the group that every guest has. Groups are the others, of which the module gets
	// those that it imports.
	Events *eventv1.Group
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
// memory limit is one of the runtime. It is there for as long as somebody uses it: the handler
// whose current one it is, and each of its guests. The last one that leaves it frees it.
type Module struct {
	// OnFree is called when the module was freed. It is set before the module is shared.
	OnFree func(*Module)

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

	life   context.Context // ends when the module is closed while it has guests
	end    context.CancelFunc
	closed atomic.Bool
	starts sync.WaitGroup // guests that are being started

	mu    sync.Mutex // guards what follows
	users int
	freed bool
}

// NewModule compiles a checked module, and gets what its guests share. The caller uses it and must
// leave it.
func NewModule(ctx context.Context, compiler *code.Compiler, file *wasmfile.Module,
	cfg Config) (*Module, error) {
	m := &Module{cfg: cfg, startFunction: file.Start, users: 1}
	m.life, m.end = context.WithCancel(context.Background())
	m.minMemory, m.maxMemory = code.MemoryRange(file, cfg.Limits.Memory)
	m.kind, m.takesEvents = code.KindOf(file)
	if err := m.prepare(ctx, compiler, file); err != nil {
		return nil, errors.Join(err, m.Leave(context.WithoutCancel(ctx)))
	}
	return m, nil
}

// prepare opens the groups of host functions, and makes the runtime with them and the guest's code.
func (m *Module) prepare(ctx context.Context, compiler *code.Compiler,
	file *wasmfile.Module) (err error) {
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
		WithMemoryLimitPages(uint32(m.cfg.Limits.Memory / memory.PageSize))
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

// Digest returns the SHA-256 of the module's file, in hexadecimal digits.
func (m *Module) Digest() string { return m.cfg.Events.Digest }

// Log returns the log of the module's guests.
func (m *Module) Log() *guestlog.Log { return m.cfg.Log }

// TakesEvents reports whether the guest has on_event.
func (m *Module) TakesEvents() bool { return m.takesEvents }

// Batches reports whether the guest takes more than one event at once.
func (m *Module) Batches() bool { return m.kind != code.Events }

// CountsCalls reports whether calls of host functions are to be counted.
func (m *Module) CountsCalls() bool { return m.cfg.CountCalls }

// Start starts a guest, which uses the module until it is closed.
func (m *Module) Start(ctx context.Context) (*Guest, error) {
	if !m.addGuest() {
		return nil, ErrFreed
	}
	defer m.starts.Done()
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.life, cancel)()
	g, err := start(starting, m)
	if err != nil && m.closed.Load() && ctx.Err() == nil {
		return nil, ErrFreed
	}
	return g, err
}

// addGuest makes a guest that is to be started a user, which must leave, and counts its start,
// which must end. It returns false if it is too late for that.
func (m *Module) addGuest() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed || m.closed.Load() {
		return false
	}
	m.users++
	m.starts.Add(1)
	return true
}

// Leave ends a use, and frees the module if it was the last.
func (m *Module) Leave(ctx context.Context) error {
	m.mu.Lock()
	m.users--
	last := m.users == 0
	m.mu.Unlock()
	if !last {
		return nil
	}
	return m.free(ctx)
}

// Close frees the module with the guests it still has. No call may be running, but starts may be:
// they are ended.
func (m *Module) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closed.Store(true)
	m.mu.Unlock()
	m.end()
	m.starts.Wait()
	return m.free(ctx)
}

// free frees everything, once.
func (m *Module) free(ctx context.Context) error {
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
		errs = append(errs, m.code.Release(ctx))
	}
	for _, group := range m.groups {
		errs = append(errs, group.Close())
	}
	if m.OnFree != nil {
		m.OnFree(m)
	}
	return errors.Join(errs...)
}
