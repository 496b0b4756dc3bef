package plugins

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/informerd/informerd/pkg/plugins/internal/code"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
)

// HostConfig configures a Host. The zero value is usable.
type HostConfig struct {
	// Log takes crashes and what guests write; default is slog.Default().
	Log *slog.Logger
	// KVPath is the file for values that handlers keep beyond the end of the daemon; without it, a
	// handler whose grant asks for that is refused. It is opened when there is one, and created if
	// it is not there. One process uses it at a time.
	KVPath string
	// CacheDir is a folder for compiled code, so that a module that was loaded before, by whatever
	// Host, is not compiled again; without it, code is kept in memory for as long as a handler has
	// it. It is made, for its owner alone, if it is not there. One that is not its owner's alone is
	// refused, since what is in it is run natively: by Open, and by each Load.
	CacheDir string
	// Compiler is a command that calls CompilerMain, such as SelfCompiler. With it, modules are
	// compiled by a process of their own, within Limits.LoadTime and Limits.LoadMemory. Without it,
	// this process compiles them, which cannot be ended, however long it takes: leave it out only
	// for modules that are trusted.
	Compiler []string
}

// Host loads handlers. It owns the compiled code that they share, so that a module used by several
// listeners is compiled once.
type Host struct {
	log      *slog.Logger
	compiler code.Compiler
	kv       kv.Stores
	guests   atomic.Int64 // how many there are
	turns    turns
	life     context.Context // ends when the host is closed: what is loaded then is given up
	end      context.CancelFunc

	mu       sync.Mutex            // held to close it
	handlers map[*Handler]struct{} // guarded by mu
}

// NewHost makes a Host. Close it in the end.
func NewHost(cfg HostConfig) *Host {
	cfg.Log = cmp.Or(cfg.Log, slog.Default())
	life, end := context.WithCancel(context.Background())
	return &Host{log: cfg.Log,
		compiler: code.Compiler{Log: cfg.Log, Command: cfg.Compiler, Dir: cfg.CacheDir,
			Temporary: code.DefaultTemporary()},
		kv:       kv.Stores{Path: cfg.KVPath, Log: cfg.Log},
		handlers: map[*Handler]struct{}{}, life: life, end: end}
}

// Open makes or checks HostConfig.CacheDir. The first Load does it if it was not done before;
// calling Open returns what is wrong with the folder without blaming a handler.
func (h *Host) Open(ctx context.Context) error { return h.compiler.Open(ctx) }

// Guests returns how many instances there are, those included that wait to follow another one.
func (h *Host) Guests() int64 { return h.guests.Load() }

// Handlers returns how many handlers are open.
func (h *Host) Handlers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.handlers)
}

// Engine returns what runs the handlers, compiler or interpreter, and the reason if it is not the
// compiler.
func (h *Host) Engine(ctx context.Context) (name, reason string) { return h.compiler.Engine(ctx) }

// FlushKV writes what the handlers of a shard have stored and is not written yet; "" is the shard of
// those whose Spec names none. It returns once Spec.KV has it, or the file has it on disk if they
// have no Spec.KV, and does nothing without either. If it fails, nothing is lost: it is written
// later.
func (h *Host) FlushKV(shard string) error { return h.kv.Flush(shard) }

// Close frees everything the host holds, handlers that are still open included.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	handlers := slices.Collect(maps.Keys(h.handlers))
	closed := h.closed()
	h.end()
	h.mu.Unlock()
	if closed {
		return nil
	}
	var errs []error
	for _, handler := range handlers {
		errs = append(errs, handler.Close(ctx))
	}
	errs = append(errs, h.compiler.Wait(ctx))
	return errors.Join(append(errs, h.kv.Close())...)
}

// add takes a handler in, false if the host was closed meanwhile.
func (h *Host) add(handler *Handler) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed() {
		return false
	}
	h.handlers[handler] = struct{}{}
	return true
}

func (h *Host) remove(handler *Handler) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.handlers, handler)
}

func (h *Host) closed() bool { return h.life.Err() != nil }
