package plugins

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/pkg/plugins/internal/kv"
)

// HostConfig configures a Host. The zero value is usable.
type HostConfig struct {
	// Log takes crashes and what guests write; default is slog.Default().
	Log *slog.Logger
	// KVPath is the file for values that handlers keep beyond the end of the daemon; without it, a handler whose grant asks
	// for that is refused. It is opened when there is one, and created if it is not there. One process uses it at a time.
	KVPath string
}

func (c HostConfig) withDefaults() HostConfig {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// Host loads handlers. It owns the cache of compiled code that they share, so that a module used by several listeners
// is compiled once.
type Host struct {
	log   *slog.Logger
	cache wazero.CompilationCache
	kv    kv.Stores

	mu       sync.Mutex // guards what follows
	handlers map[*Handler]struct{}
	closed   bool
}

// NewHost makes a Host. Close it in the end.
func NewHost(cfg HostConfig) *Host {
	cfg = cfg.withDefaults()
	return &Host{log: cfg.Log, cache: wazero.NewCompilationCache(), kv: kv.Stores{Path: cfg.KVPath, Log: cfg.Log},
		handlers: map[*Handler]struct{}{}}
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
	var errs []error
	for _, handler := range left {
		errs = append(errs, handler.Close(ctx))
	}
	return errors.Join(append(errs, h.cache.Close(ctx), h.kv.Close())...)
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
