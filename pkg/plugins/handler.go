package plugins

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/informerd/informerd/pkg/plugins/internal/guest"
)

// Handler is what a listener's events are given to: a module with its configuration.
type Handler struct {
	host     *Host
	listener string
	module   *guest.Module

	mu    sync.Mutex
	spare *guest.Guest // the one Load started, for whoever needs one first; guarded by mu
}

// Load checks and compiles a module, starts an instance and lets it configure itself. Errors are of
// type *LoadError.
func (h *Host) Load(ctx context.Context, spec Spec) (*Handler, error) {
	m, first, err := h.newModule(ctx, spec.withDefaults())
	if err != nil {
		return nil, newLoadError(spec, err)
	}
	handler := &Handler{host: h, listener: spec.Listener, module: m, spare: first}
	if !h.add(handler) {
		err := errors.Join(fmt.Errorf("host: %w", ErrClosed),
			handler.Close(context.WithoutCancel(ctx)))
		return nil, newLoadError(spec, err)
	}
	return handler, nil
}

// Check returns what Load would refuse without compiling the module. Errors are of type *LoadError.
func (h *Host) Check(spec Spec) error {
	if _, err := spec.withDefaults().parse(); err != nil {
		return newLoadError(spec, err)
	}
	return nil
}

// drop closes a guest that another one has followed.
func (h *Handler) drop(ctx context.Context, g *guest.Guest) {
	if err := g.Close(context.WithoutCancel(ctx)); err != nil {
		h.host.log.WarnContext(ctx, "what was replaced could not be freed", "listener", h.listener,
			"error", err)
	}
}

// startFailed logs that a guest's successor could not be started.
func (h *Handler) startFailed(ctx context.Context, err error) {
	h.host.log.WarnContext(ctx, "no fresh instance of the handler can be started; "+
		"the one there is goes on, and it is tried again",
		"listener", h.listener, "error", err)
}

// NewInstance starts an instance for one worker.
func (h *Handler) NewInstance(ctx context.Context) (*Instance, error) {
	g, err := h.start(ctx)
	if err != nil {
		return nil, err
	}
	i := &Instance{handler: h, usage: newUsage(h.module.CountsCalls())}
	i.renewal.Start, i.renewal.Drop, i.renewal.Failed = h.start, h.drop, h.startFailed
	i.take(g)
	return i, nil
}

// start returns a guest.
func (h *Handler) start(ctx context.Context) (*guest.Guest, error) {
	if g := h.takeSpare(); g != nil {
		return g, nil
	}
	return h.module.Start(ctx)
}

func (h *Handler) takeSpare() *guest.Guest {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.spare
	h.spare = nil
	return g
}

// Close frees the compiled code and the instances that are still open.
func (h *Handler) Close(ctx context.Context) error {
	h.host.remove(h)
	var err error
	if spare := h.takeSpare(); spare != nil {
		err = spare.Close(ctx)
	}
	return errors.Join(err, h.module.Close(ctx))
}
