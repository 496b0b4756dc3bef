package plugins

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/informerd/informerd/pkg/plugins/internal/codedir"
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
	// Compiler is a command that calls ServeCompiler, such as SelfCompiler. With it, modules are
	// compiled by a process of their own, within Limits.Load. Without it, this process compiles
	// them: that cannot be ended, and only modules that are cheap to compile by a rough estimate
	// are taken.
	Compiler []string
}

func (c HostConfig) withDefaults() HostConfig {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// Host loads handlers. It owns the compiled code that they share, so that a module used by several
// listeners is compiled once.
type Host struct {
	log      *slog.Logger
	cacheDir string
	codes    codes
	kv       kv.Stores
	guests   atomic.Int64    // how many there are
	life     context.Context // ends when the host is closed: what is loaded then is given up
	end      context.CancelFunc

	open              sync.Once
	engine, whyEngine string
	folder            *codedir.Folder // nil: code is kept in memory
	openErr           error

	mu       sync.Mutex // guards what follows
	handlers map[*Handler]struct{}
	closed   bool
}

// NewHost makes a Host. Close it in the end.
func NewHost(cfg HostConfig) *Host {
	cfg = cfg.withDefaults()
	life, end := context.WithCancel(context.Background())
	return &Host{log: cfg.Log, cacheDir: cfg.CacheDir,
		codes: codes{log: cfg.Log, compiler: cfg.Compiler}, kv: kv.Stores{Path: cfg.KVPath,
			Log: cfg.Log},
		handlers: map[*Handler]struct{}{}, life: life, end: end}
}

// Open makes or checks HostConfig.CacheDir. The first Load does it if it was not done before;
// calling Open tells what is wrong with the folder without blaming a handler.
func (h *Host) Open(ctx context.Context) error {
	_, err := h.prepare(ctx)
	return err
}

// HostStats are what a Host has and what it has done since it was made.
type HostStats struct {
	Guests   int64  // instances that there are now, those included that wait to follow another one
	Compiled uint64 // modules that were compiled
	Read     uint64 // modules whose code was in HostConfig.CacheDir
	// times that code could not be kept there, so that the next start compiles it again
	Unkept uint64
}

// Stats returns a snapshot.
func (h *Host) Stats() HostStats {
	return HostStats{
		Guests: h.guests.Load(), Compiled: uint64(h.codes.compiled.Load()),
		Read:   uint64(h.codes.read.Load()),
		Unkept: uint64(h.codes.unkept.Load()),
	}
}

// Engine tells what runs the handlers, compiler or interpreter, and why if it is not the compiler.
func (h *Host) Engine(ctx context.Context) (name, why string) {
	_, _ = h.prepare(ctx) // a folder that cannot be used changes nothing about it
	return h.engine, h.whyEngine
}

// prepare gives the folder for compiled code, nil if it is kept in memory.
func (h *Host) prepare(ctx context.Context) (*codedir.Folder, error) {
	h.open.Do(func() {
		h.engine, h.whyEngine = engine(ctx)
		if h.openErr = checkEngine(h.engine); h.openErr != nil {
			return
		}
		// which compiles nothing that could be kept, or takes long
		if h.engine == engineInterpreter {
			h.codes.compiler = nil
			return
		}
		if h.cacheDir == "" {
			return
		}
		if h.folder, h.openErr = codedir.Open(h.cacheDir); h.openErr != nil {
			h.openErr = fmt.Errorf("the folder for compiled code: %w", h.openErr)
		}
	})
	return h.folder, h.openErr
}

// Close frees everything the host holds, handlers that are still open included.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	left := make([]*Handler, 0, len(h.handlers))
	for handler := range h.handlers {
		left = append(left, handler)
	}
	closed := h.closed
	h.closed = true
	h.mu.Unlock()
	if closed {
		return nil
	}
	h.end()
	var errs []error
	for _, handler := range left {
		errs = append(errs, handler.Close(ctx))
	}
	errs = append(errs, h.codes.wait(ctx))
	return errors.Join(append(errs, h.kv.Close())...)
}

// add takes a handler in, false if the host was closed meanwhile.
func (h *Host) add(handler *Handler) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
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

func (h *Host) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}
