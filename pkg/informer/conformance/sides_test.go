package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// side is one of the two informers that are compared.
type side interface {
	// join adds a listener, before or after start.
	join(resync time.Duration, see func(sight))
	// start runs the informer until ctx is done; the channel is closed once everything of it has
	// ended.
	start(ctx context.Context) <-chan struct{}
	synced() bool
	version() string
	// store returns each object decoded, by name.
	store() map[string]any
}

// sight is what a handler saw.
type sight struct {
	op           event.Op
	name, uid    string
	version      string
	was, wasUID  string // updates only
	initial      bool
	finalUnknown bool
	same         bool // client-go only: old and new are one object, as resyncs have it
}

func (s sight) String() string {
	text := fmt.Sprintf("%s %s %s/%s", s.op, s.name, s.uid, s.version)
	if s.was != "" {
		text += " was " + s.wasUID + "/" + s.was
	}
	if s.initial {
		text += " initial"
	}
	if s.finalUnknown {
		text += " final state unknown"
	}
	return text
}

var things = schema.GroupVersionResource{Group: "conformance.test", Version: "v1",
	Resource: "things"}

// sides are the two, in the order in which results stand.
var sides = []struct {
	name string
	make func(*rest.Config) (side, error)
}{{"client-go", newReference}, {"informerd", newOwn}}

// reference is client-go's shared informer of unstructured objects.
type reference struct{ informer cache.SharedIndexInformer }

func newReference(cfg *rest.Config) (side, error) { return referenceWithResync(cfg, 0) }

// referenceWithResync makes a reference that looks every period for listeners that are due.
func referenceWithResync(cfg *rest.Config, period time.Duration) (side, error) {
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	resource := client.Resource(things)
	lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object,
			error) {
			return resource.List(ctx, opts)
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface,
			error) {
			return resource.Watch(ctx, opts)
		},
	}, client)
	example := &unstructured.Unstructured{} // objects of another kind are not taken
	example.SetAPIVersion(apiVersion)
	example.SetKind(kind)
	inf := cache.NewSharedIndexInformerWithOptions(lw, example,
		cache.SharedIndexInformerOptions{ResyncPeriod: period})
	quiet := func(context.Context, *cache.Reflector, error) {}
	return &reference{inf}, inf.SetWatchErrorHandlerWithContext(quiet)
}

func (r *reference) join(resync time.Duration, see func(sight)) {
	_, err := r.informer.AddEventHandlerWithResyncPeriod(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(o any, initial bool) {
			s := sighted(event.Add, o)
			s.initial = initial
			see(s)
		},
		UpdateFunc: func(old, o any) {
			s, was := sighted(event.Update, o), sighted(event.Update, old)
			s.was, s.wasUID, s.same = was.version, was.uid, old == o
			see(s)
		},
		DeleteFunc: func(o any) {
			gone, unknown := o.(cache.DeletedFinalStateUnknown)
			if unknown {
				o = gone.Obj
			}
			s := sighted(event.Delete, o)
			s.finalUnknown = unknown
			see(s)
		},
	}, resync)
	if err != nil {
		panic(err) // only after the informer has stopped
	}
}

func sighted(op event.Op, o any) sight {
	u := o.(*unstructured.Unstructured)
	return sight{op: op, name: u.GetName(), uid: string(u.GetUID()),
		version: u.GetResourceVersion()}
}

func (r *reference) start(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.informer.RunWithContext(ctx)
	}()
	return done
}

func (r *reference) synced() bool    { return r.informer.HasSynced() }
func (r *reference) version() string { return r.informer.LastSyncResourceVersion() }

func (r *reference) store() map[string]any {
	objects := map[string]any{}
	for _, o := range r.informer.GetStore().List() {
		u := o.(*unstructured.Unstructured)
		text, err := u.MarshalJSON()
		if err != nil {
			panic(err)
		}
		objects[u.GetName()] = decoded(text)
	}
	return objects
}

func decoded(text []byte) (value any) {
	if err := json.Unmarshal(text, &value); err != nil {
		return fmt.Sprintf("not JSON: %v", err)
	}
	return value
}

// own is pkg/informer's.
type own struct {
	factory      *informer.Factory
	registration *informer.Registration // the first listener's

	mu      sync.Mutex
	ctx     context.Context // of Run; nil before
	workers sync.WaitGroup
	waiting []func(context.Context)
}

func newOwn(cfg *rest.Config) (side, error) {
	client, err := informer.NewClient(cfg)
	if err != nil {
		return nil, err
	}
	return &own{factory: informer.NewFactory(client, nil)}, nil
}

func (o *own) join(resync time.Duration, see func(sight)) {
	l, err := informer.NewSubscription(informer.SubscriptionConfig{Resync: resync})
	if err != nil {
		panic(err)
	}
	reg, err := o.factory.Subscribe(informer.Resource{GroupVersionResource: things, Kind: kind},
		informer.Scope{}, informer.Shape{}, l)
	if err != nil {
		panic(err) // only after the factory has stopped
	}
	if o.registration == nil {
		o.registration = reg
	}
	work := func(ctx context.Context) {
		_ = l.Run(ctx, func(_ context.Context, e event.Event) error { // ends with ctx
			see(seen(e))
			return nil
		})
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ctx == nil {
		o.waiting = append(o.waiting, work)
		return
	}
	o.workers.Go(func() { work(o.ctx) })
}

func seen(e event.Event) sight {
	s := sight{
		op: e.Op, name: e.Object.Name(), uid: e.Object.UID(), version: e.Object.ResourceVersion(),
		initial: e.Initial, finalUnknown: e.FinalStateUnknown,
	}
	if e.Old != nil {
		s.was, s.wasUID = e.Old.ResourceVersion(), e.Old.UID()
	}
	return s
}

func (o *own) start(ctx context.Context) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ctx = ctx
	for _, work := range o.waiting {
		o.workers.Go(func() { work(ctx) })
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = o.factory.Run(ctx) // always nil
		o.workers.Wait()
	}()
	return done
}

func (o *own) synced() bool    { return o.registration.HasSynced() }
func (o *own) version() string { return o.factory.Status()[0].ResourceVersion }

func (o *own) store() map[string]any {
	all, err := o.registration.Lister().List(namespace, labels.Everything())
	if err != nil {
		panic(err) // Everything is a selector
	}
	objects := map[string]any{}
	for _, obj := range all {
		objects[obj.Name()] = decoded([]byte(obj.JSON()))
	}
	return objects
}
