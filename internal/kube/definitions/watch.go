package definitions

import (
	"context"
	"log/slog"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Watch knows the definitions that an API server has. Make one with New; it is safe for concurrent
// use.
type Watch struct {
	cluster informer.Cluster
	log     *slog.Logger
	begun   chan struct{} // closed by Begin
	once    sync.Once

	mu      sync.Mutex // guards what follows
	known   map[schema.GroupResource]*Definition
	follows map[schema.GroupResource]bool // whether the definition was seen
	refused bool                          // that it may not watch was logged
}

// New returns a Watch that asks for nothing yet.
func New(cluster informer.Cluster, log *slog.Logger) *Watch {
	return &Watch{cluster: cluster, log: log, begun: make(chan struct{}),
		known:   map[schema.GroupResource]*Definition{},
		follows: map[schema.GroupResource]bool{}}
}

// Begin has the watch begin, if Run was called. Calls after the first do nothing.
func (w *Watch) Begin() { w.once.Do(func() { close(w.begun) }) }

// target is the definitions without what is large and means nothing here.
func target() informer.Target {
	t := informer.Target{Resource: definitionResource.Watched()}
	for _, path := range []string{"metadata.annotations", "spec.versions",
		"spec.conversion", "spec.validation", "spec.additionalPrinterColumns"} {
		t.Shape.Drop = append(t.Shape.Drop, object.MustCompilePath(path))
	}
	return t
}

// Run blocks until ctx is done. Each change is passed to changed, with the definition as it is by
// now, or as it was when it is gone. Changed must not block for long.
func (w *Watch) Run(ctx context.Context, changed func(d *Definition, gone bool)) error {
	select {
	case <-w.begun:
	case <-ctx.Done():
		return nil
	}
	factory := informer.NewFactory(w.cluster, nil)
	factory.OnError = func(_ informer.Resource, _ informer.Scope, err error) { w.failed(err) }
	all, err := informer.NewSubscription(informer.SubscriptionConfig{
		Name: "CustomResourceDefinitions"})
	if err != nil {
		return err
	}
	t := target()
	if _, err = factory.Subscribe(t.Resource, t.Scope, t.Shape, all); err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Go(func() { _ = factory.Run(ctx) })
	defer running.Wait()
	for {
		d, err := all.Next(ctx)
		if err != nil {
			return nil // ctx is done
		}
		w.take(d.Event, changed)
		d.Done()
	}
}

// failed logs once that the watch is not allowed.
func (w *Watch) failed(err error) {
	if !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) {
		w.log.Debug("cannot watch CustomResourceDefinitions, will try again", "error", err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.refused {
		w.refused = true
		w.log.Warn("may not watch CustomResourceDefinitions, so resources that come or go are noticed by polling only",
			"error", err)
	}
}

// take notes what has happened to a definition.
func (w *Watch) take(e event.Event, changed func(*Definition, bool)) {
	d, err := read(e.Object.JSON())
	if err != nil {
		w.log.Debug("a CustomResourceDefinition cannot be read", "name", e.Object.Name(), "error",
			err)
		return
	}
	resource, gone := d.Resource(), e.Op == event.Delete
	w.mu.Lock()
	before := w.known[resource]
	if gone {
		delete(w.known, resource)
	} else {
		w.known[resource] = d
	}
	if _, followed := w.follows[resource]; followed {
		w.follows[resource] = true
	}
	w.mu.Unlock()
	if gone || before == nil || !before.equals(d) {
		changed(d, gone)
	}
}

// follow notes that somebody wants to know when a resource is removed.
func (w *Watch) follow(resource schema.GroupResource) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.follows[resource] = w.follows[resource] || w.known[resource] != nil
}

// removed reports whether the definition of a followed resource was deleted.
func (w *Watch) removed(resource schema.GroupResource) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.follows[resource] && w.known[resource] == nil
}

// Get returns the definition of a resource, nil if there is none or it is not known.
func (w *Watch) Get(resource schema.GroupResource) *Definition {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known[resource]
}
