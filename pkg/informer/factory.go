package informer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/pkg/informer/internal/reflector"
)

// Factory owns the informers: one for each distinct (resource, scope), however many subscriptions
// ask for it. Only subscriptions that want other fields kept or dropped (see Shape) get an informer
// of their own. Informers come with their first subscription and go, with their memory, when the
// last one leaves. It is safe for concurrent use.
type Factory struct {
	// OnError, if set before Subscribe, receives each error that ends an informer's attempt to list
	// or to begin a watch, which is logged as well. It runs on the reflector's goroutine and must
	// not block.
	OnError func(Resource, Scope, error)

	// Renew, if set before Subscribe, looks up a resource that the API server repeatedly reports as
	// not found. It returns the same resource in another version, or as it was. Objects that are in
	// both are not reported again. With an error that wraps ErrGone, the resource was removed, and
	// its objects end as if a list had come without them. It runs on the reflector's goroutine, and
	// its informer waits for it.
	Renew func(context.Context, Resource) (Resource, error)

	// ColdAfter, if set before Subscribe, is how long nobody has changed an object before it is
	// compressed, up to twice as long; after the first list it is a second. Default: 15 seconds. That
	// costs 10 to 60 us for each object, and up to 25 us to read it.
	ColdAfter time.Duration

	// OnFreed, if set before Subscribe, receives how many bytes were freed by compressing objects
	// of an informer, and whether more will be soon. They are garbage then, which the collector
	// might leave for minutes. It must not block.
	OnFreed func(bytes int64, more bool)

	// Stored, if set before Subscribe, returns what a checkpoint has of an informer, nil if it has
	// nothing. The informer then begins with that: it watches from its Version on, without a list
	// unless the API server does not have that version any more. It is asked once for each
	// InformerID, and must not call the factory. A subscription with Track that the informer has
	// nothing Stored of gets nothing until its list is complete and a cut that has both was Kept.
	Stored func(InformerID) *Stored

	// ListFirst, if set before Subscribe, has informers that begin with what a checkpoint has list
	// as well. So, when they have synced, they have what there was when they began.
	ListFirst bool

	cluster Cluster
	log     *slog.Logger

	// exchanging is held while the locks of several processors are.
	exchanging sync.Mutex

	mu      sync.Mutex
	shared  map[InformerID]*shared
	asked   map[InformerID]struct{} // that Stored was asked for
	waiting []*shared               // not yet started
	stopped bool
	start   signal
}

// shared is an informer and how many subscriptions hold it.
type shared struct {
	key           InformerID
	informer      *informer
	subscriptions int
	launched      bool
	stop          context.CancelFunc // nil until it runs
}

// NewFactory returns a factory that runs nothing yet; log may be nil.
func NewFactory(cluster Cluster, log *slog.Logger) *Factory {
	return &Factory{cluster: cluster, log: log, shared: map[InformerID]*shared{}, start: newSignal()}
}

// Run runs the informers until ctx is done and all of them have ended. Subscriptions keep what is
// in their buffers. A factory runs once.
func (f *Factory) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		for _, run := range f.take(ctx) {
			wg.Go(run)
		}
		select {
		case <-f.start:
		case <-ctx.Done():
			f.mu.Lock()
			f.stopped = true
			f.mu.Unlock()
			return nil
		}
	}
}

// take returns the informers that were asked for and do not run yet.
func (f *Factory) take(ctx context.Context) []func() {
	f.mu.Lock()
	defer f.mu.Unlock()
	var start []func()
	for _, sh := range f.waiting {
		if sh.subscriptions == 0 {
			continue // its subscription left before it began
		}
		own, stop := context.WithCancel(ctx)
		sh.stop = stop
		start = append(start, func() { sh.informer.run(own) })
	}
	f.waiting = nil
	return start
}

// Registration is a subscription's hold on an informer.
type Registration struct {
	factory *Factory
	shared  *shared
	reg     *registration
	once    sync.Once
}

// Subscribe ties a subscription to the informer of a resource and scope, beginning with the objects
// that it already has. If there is no such informer, it is made and, as soon as the factory runs,
// started. A subscription may be tied to several informers, as long as no object is in two of them.
func (f *Factory) Subscribe(resource Resource, scope Scope, shape Shape,
	s *Subscription) (*Registration, error) {
	sh, err := f.hold(Target{resource, scope, shape})
	if err != nil {
		return nil, err
	}
	defer f.launch(sh)
	return &Registration{factory: f, shared: sh, reg: sh.informer.join(s)}, nil
}

// launch has an informer run. One that is about to begin has its first subscription by then.
func (f *Factory) launch(sh *shared) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !sh.launched {
		sh.launched = true
		f.waiting = append(f.waiting, sh)
		f.start.set()
	}
}

// hold returns the informer of a target, which stays until it is released. The caller launches it.
func (f *Factory) hold(target Target) (*shared, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return nil, ErrStopped
	}
	key, resource, scope, shape := target.ID(), target.Resource, target.Scope, target.Shape
	sh := f.shared[key]
	if sh == nil {
		inf, err := newInformer(f.cluster.ListWatcher(resource, scope), resource, scope, shape,
			f.log)
		if err != nil {
			return nil, err
		}
		if f.OnError != nil {
			inf.reflector.OnError = func(err error) { f.OnError(resource, scope, err) }
		}
		if f.Renew != nil {
			inf.reflector.Renew = func(ctx context.Context) (*reflector.Source, error) {
				return f.renew(ctx, inf)
			}
		}
		if f.ColdAfter > 0 {
			inf.controller.cooling.every = f.ColdAfter
		}
		inf.controller.cooling.onFreed = f.OnFreed
		inf.proc.keeps = f.Stored != nil
		f.restore(inf)
		sh = &shared{key: key, informer: inf}
		f.shared[key] = sh
	} else {
		sh.informer.store.AddMissingIndexes(shape.Indexes)
	}
	sh.subscriptions++
	return sh, nil
}

// renew looks up an informer's resource again. It returns nil if that is in the same version.
func (f *Factory) renew(ctx context.Context, inf *informer) (*reflector.Source, error) {
	now, err := f.Renew(ctx, inf.now())
	if err != nil || now == inf.now() {
		return nil, err
	}
	source, err := inf.source(now, f.cluster.ListWatcher(now, inf.scope))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", now.GroupVersionResource, err)
	}
	inf.renewed.Store(&now)
	return &source, nil
}

// LookAgain has the informers of a resource that the API server did not find ask for it at once, or
// as soon as they miss it. Call it when the resource may have come, changed its versions, or gone.
func (f *Factory) LookAgain(resource schema.GroupResource) {
	for _, inf := range f.informers() {
		if inf.resource.GroupResource() == resource {
			inf.news.set()
		}
	}
}

// release ends a hold on an informer, which stops with the last one, unless it waits for a
// subscription that was in its Stored.
func (f *Factory) release(sh *shared) {
	f.mu.Lock()
	defer f.mu.Unlock()
	sh.subscriptions--
	f.stopUnused(sh)
}

// stopUnused stops an informer that nobody holds and that waits for nobody. The caller holds mu.
func (f *Factory) stopUnused(sh *shared) {
	if sh.subscriptions > 0 || sh.informer.proc.waits() {
		return
	}
	delete(f.shared, sh.key)
	if sh.stop != nil {
		sh.stop()
	}
}

// Remove ends the registration. Its events in the subscription's buffer are discarded; one that a
// worker has is not affected. The informer stops when its last subscription leaves. Remove can be
// called again, and from within a handler.
func (r *Registration) Remove() {
	r.once.Do(func() {
		r.shared.informer.proc.leave(r.reg)
		r.factory.release(r.shared)
	})
}

// HasSynced reports whether the informer has its first list and the subscription is done with it.
func (r *Registration) HasSynced() bool { return r.shared.informer.hasSynced(r.reg) }

// Status returns a snapshot of the informer's state.
func (r *Registration) Status() Status { return r.shared.informer.Status() }

// Synced returns a channel that is closed when the informer's first list is in the store.
func (r *Registration) Synced() <-chan struct{} { return r.shared.informer.queue.Synced }

// AddIndexes adds indexes to the informer, for all its subscriptions, whether it runs or not:
// objects already stored are indexed before AddIndexes returns. It adds all or none: it fails with
// ErrIndexExists if a name is taken, and with ErrStopped once the informer has stopped.
func (r *Registration) AddIndexes(indexes map[string]IndexFunc) error {
	r.factory.mu.Lock()
	defer r.factory.mu.Unlock()
	if r.factory.stopped || r.factory.shared[r.shared.key] != r.shared {
		return fmt.Errorf("informer of %s: %w", r.shared.key.Resource, ErrStopped)
	}
	if err := r.shared.informer.store.AddIndexes(indexes); err != nil {
		return fmt.Errorf("informer of %s: %w", r.shared.key.Resource, err)
	}
	return nil
}

// Lister returns a reader of the informer's store.
func (r *Registration) Lister() Lister { return Lister{inf: r.shared.informer} }

// WaitForSync waits until the first lists of all registrations' informers are in their stores.
func WaitForSync(ctx context.Context, regs ...*Registration) error {
	for _, r := range regs {
		select {
		case <-r.Synced():
		case <-ctx.Done():
			return errors.Join(errors.New("informer of "+r.shared.key.Resource.String()+
				" has not synced"), ctx.Err())
		}
	}
	return nil
}

// informers returns all of them, in any order.
func (f *Factory) informers() []*informer {
	f.mu.Lock()
	defer f.mu.Unlock()
	informers := make([]*informer, 0, len(f.shared))
	for _, sh := range f.shared {
		informers = append(informers, sh.informer)
	}
	return informers
}

// Status returns the state of all informers, in the order of their resources and namespaces.
func (f *Factory) Status() []Status {
	informers := f.informers()
	all := make([]Status, 0, len(informers))
	for _, inf := range informers {
		all = append(all, inf.Status())
	}
	slices.SortFunc(all, func(a, b Status) int {
		return cmp.Or(cmp.Compare(a.Resource.String(), b.Resource.String()),
			cmp.Compare(a.Scope.Namespace, b.Scope.Namespace),
			cmp.Compare(a.Scope.LabelSelector, b.Scope.LabelSelector),
			cmp.Compare(a.Scope.FieldSelector, b.Scope.FieldSelector),
			cmp.Compare(a.Scope.Shard.String(), b.Scope.Shard.String()))
	})
	return all
}
