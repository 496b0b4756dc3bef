package plugins

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Handler is what a listener's events are given to: a module with its configuration, which can be
// replaced.
type Handler struct {
	host     *Host
	listener string
	current  atomic.Pointer[module] // its instances go over to it when they see it
	closed   atomic.Bool
	turn     chan struct{} // holds the Replace at work

	mu      sync.Mutex // guards what follows, and changes of the above
	modules map[*module]struct{}
	// of the current module: the one Load or Replace started, for whoever needs one first
	spare *guest
}

// Load checks and compiles a module, starts an instance and lets it configure itself. Errors are of
// type *LoadError.
func (h *Host) Load(ctx context.Context, spec Spec) (*Handler, error) {
	handler := &Handler{host: h, listener: spec.Listener, turn: make(chan struct{}, 1),
		modules: map[*module]struct{}{}}
	if err := handler.load(ctx, spec); err != nil {
		return nil, newLoadError(spec, err)
	}
	return handler, nil
}

// Check finds what Load would refuse without compiling the module. Errors are of type *LoadError.
func (h *Host) Check(spec Spec) error {
	if _, err := parse(spec.withDefaults()); err != nil {
		return newLoadError(spec, err)
	}
	return nil
}

func (h *Handler) load(ctx context.Context, spec Spec) error {
	m, first, err := h.host.newModule(ctx, spec.withDefaults())
	if err != nil {
		return err
	}
	h.goOver(ctx, m, first)
	if !h.host.add(h) {
		return errors.Join(fmt.Errorf("host: %w", ErrClosed), h.close(context.WithoutCancel(ctx)))
	}
	return nil
}

// Replace loads another module, or another configuration, in place of the one there is. If that
// fails, nothing has changed; the error is a *LoadError. If not, each instance goes over to the new
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
	if !h.goOver(ctx, m, first) {
		free := context.WithoutCancel(ctx)
		return errors.Join(ErrClosed, first.close(free), m.leave(free))
	}
	return nil
}

// goOver makes a module the current one, unless the handler was closed meanwhile.
func (h *Handler) goOver(ctx context.Context, m *module, first *guest) bool {
	m.gone = h.forget
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
	h.freed(ctx, old.leave(context.WithoutCancel(ctx)))
	return true
}

// drop closes a guest that is in nobody's way.
func (h *Handler) drop(ctx context.Context, g *guest) {
	h.freed(ctx, g.close(context.WithoutCancel(ctx)))
}

// freed logs what went wrong when something was freed that others have taken the place of.
func (h *Handler) freed(ctx context.Context, err error) {
	if err != nil {
		h.host.log.WarnContext(ctx, "what was replaced could not be freed", "listener", h.listener,
			"error", err)
	}
}

// NewInstance starts an instance for one worker.
func (h *Handler) NewInstance(ctx context.Context) (*Instance, error) {
	i := &Instance{handler: h}
	g, err := h.start(ctx)
	if err != nil {
		return nil, err
	}
	i.usage = newUsage(g.module.spec.CountCalls)
	i.take(g)
	return i, nil
}

// start gives a guest of the current module.
func (h *Handler) start(ctx context.Context) (*guest, error) {
	for {
		if g := h.takeSpare(); g != nil {
			return g, nil
		}
		if h.closed.Load() {
			return nil, errClosed(h.listener)
		}
		m := h.current.Load()
		g, err := m.start(ctx)
		if errors.Is(err, errGone) { // replaced since
			continue
		}
		return g, err
	}
}

// Close frees the compiled code and the instances that are left.
func (h *Handler) Close(ctx context.Context) error {
	h.host.remove(h)
	return h.close(ctx)
}

func (h *Handler) close(ctx context.Context) error {
	h.mu.Lock()
	h.closed.Store(true)
	var modules []*module
	for m := range h.modules {
		modules = append(modules, m)
	}
	spare := h.spare
	h.spare = nil
	h.mu.Unlock()
	var errs []error
	if spare != nil {
		errs = append(errs, spare.close(ctx))
	}
	for _, m := range modules {
		errs = append(errs, m.close(ctx))
	}
	return errors.Join(errs...)
}

// forget is told of modules that are freed.
func (h *Handler) forget(m *module) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.modules, m)
}

func (h *Handler) takeSpare() *guest {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.spare
	h.spare = nil
	return g
}
