package plugins

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/informerd/informerd/pkg/plugins/internal/guest"
)

// Handler is what a listener's events are given to: a module with its configuration, which can be
// replaced.
type Handler struct {
	host     *Host
	listener string
	current  atomic.Pointer[guest.Module] // its instances move to it when they see it
	closed   atomic.Bool
	retired  atomic.Bool
	turn     chan struct{} // holds the Replace at work

	mu      sync.Mutex // guards what follows, and changes of the above
	modules map[*guest.Module]struct{}
	// of the current module: the one Load or Replace started, for whoever needs one first
	spare *guest.Guest
}

// Load checks and compiles a module, starts an instance and lets it configure itself. Errors are of
// type *LoadError.
func (h *Host) Load(ctx context.Context, spec Spec) (*Handler, error) {
	handler := &Handler{host: h, listener: spec.Listener, turn: make(chan struct{}, 1),
		modules: map[*guest.Module]struct{}{}}
	if err := handler.load(ctx, spec); err != nil {
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

func (h *Handler) load(ctx context.Context, spec Spec) error {
	m, first, err := h.host.newModule(ctx, spec.withDefaults())
	if err != nil {
		return err
	}
	h.setCurrent(ctx, m, first)
	if !h.host.add(h) {
		return errors.Join(fmt.Errorf("host: %w", ErrClosed), h.close(context.WithoutCancel(ctx)))
	}
	return nil
}

// Replace loads another module, or another configuration, in place of the one there is. If that
// fails, nothing has changed; the error is a *LoadError. If not, each instance moves to the new
// module before its next event, and the old one is freed when the last instance has left it. The
// listener is to be the same; what it keeps in kv.v1 is kept as long as the new module imports that
// as well. Several may be called at once, and are done one after the other.
func (h *Handler) Replace(ctx context.Context, spec Spec) error {
	if err := h.replace(ctx, spec); err != nil {
		return newLoadError(spec, err)
	}
	return nil
}

func (h *Handler) replace(ctx context.Context, spec Spec) error {
	if spec.Listener != h.listener {
		return fmt.Errorf("it cannot take the place of a handler of listener %q", h.listener)
	}
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if h.closed.Load() {
		return ErrClosed
	}
	m, first, err := h.host.newModule(ctx, spec.withDefaults())
	if err != nil {
		return err
	}
	if !h.setCurrent(ctx, m, first) {
		free := context.WithoutCancel(ctx)
		return errors.Join(ErrClosed, first.Close(free), m.Leave(free))
	}
	return nil
}

// setCurrent makes a module the current one, unless the handler was closed meanwhile.
func (h *Handler) setCurrent(ctx context.Context, m *guest.Module, first *guest.Guest) bool {
	m.OnFree = h.remove
	h.mu.Lock()
	if h.closed.Load() {
		h.mu.Unlock()
		return false
	}
	h.modules[m] = struct{}{}
	old, spare := h.current.Swap(m), h.spare
	h.spare = first
	h.mu.Unlock()
	if old == nil {
		return true
	}
	if spare != nil {
		h.drop(ctx, spare)
	}
	h.logFree(ctx, old.Leave(context.WithoutCancel(ctx)))
	return true
}

// drop closes an unused guest.
func (h *Handler) drop(ctx context.Context, g *guest.Guest) {
	h.logFree(ctx, g.Close(context.WithoutCancel(ctx)))
}

// logFree logs why a replaced module or guest could not be freed, if so.
func (h *Handler) logFree(ctx context.Context, err error) {
	if err != nil {
		h.host.log.WarnContext(ctx, "what was replaced could not be freed", "listener", h.listener,
			"error", err)
	}
}

// startFailed logs that a guest's successor could not be started.
func (h *Handler) startFailed(ctx context.Context, err error) {
	h.host.log.WarnContext(ctx, "no fresh instance of the handler can be started; "+
		"the one there is goes on, and it is tried again",
		"listener", h.listener, "error", crashError(h.listener, err))
}

// NewInstance starts an instance for one worker.
func (h *Handler) NewInstance(ctx context.Context) (*Instance, error) {
	g, err := h.start(ctx)
	if err != nil {
		return nil, crashError(h.listener, err)
	}
	i := &Instance{handler: h, usage: newUsage(g.Module().CountsCalls())}
	i.renewal.Start, i.renewal.Drop, i.renewal.Failed = h.start, h.drop, h.startFailed
	i.take(g)
	return i, nil
}

// start returns a guest of the current module.
func (h *Handler) start(ctx context.Context) (*guest.Guest, error) {
	for {
		if g := h.takeSpare(); g != nil {
			return g, nil
		}
		if h.closed.Load() {
			return nil, guest.Closed(h.listener)
		}
		m := h.current.Load()
		g, err := m.Start(ctx)
		if errors.Is(err, guest.ErrFreed) && !h.retired.Load() { // replaced since
			continue
		}
		return g, err
	}
}

// Retire frees the handler once all its instances have been closed. New ones can be started as long
// as there are others. Replace must not be called any more.
func (h *Handler) Retire(ctx context.Context) error {
	if h.retired.Swap(true) {
		return nil
	}
	var err error
	if spare := h.takeSpare(); spare != nil {
		err = spare.Close(ctx)
	}
	return errors.Join(err, h.current.Load().Leave(ctx))
}

// Close frees the compiled code and the instances that are still open.
func (h *Handler) Close(ctx context.Context) error {
	h.host.remove(h)
	return h.close(ctx)
}

func (h *Handler) close(ctx context.Context) error {
	h.mu.Lock()
	h.closed.Store(true)
	var modules []*guest.Module
	for m := range h.modules {
		modules = append(modules, m)
	}
	spare := h.spare
	h.spare = nil
	h.mu.Unlock()
	var errs []error
	if spare != nil {
		errs = append(errs, spare.Close(ctx))
	}
	for _, m := range modules {
		errs = append(errs, m.Close(ctx))
	}
	return errors.Join(errs...)
}

// remove removes a module that is freed.
func (h *Handler) remove(m *guest.Module) {
	h.mu.Lock()
	delete(h.modules, m)
	last := len(h.modules) == 0
	h.mu.Unlock()
	if last && h.retired.Load() {
		h.host.remove(h)
	}
}

func (h *Handler) takeSpare() *guest.Guest {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.spare
	h.spare = nil
	return g
}
