package informer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/reflector"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Shape is what an informer keeps of its objects, and how they can be looked up.
type Shape struct {
	// Drop are fields that are cut out on arrival, on top of metadata.managedFields.
	Drop []object.Path
	// KeepManagedFields leaves metadata.managedFields in.
	KeepManagedFields bool
	// KeepSecretData leaves the values of Secrets in, readable by every filter, handler and output.
	KeepSecretData bool
	// DigestKey is the key of the digests of Secrets, 32 random bytes. Default: one of the
	// process's own, so that a value has another digest in the next process.
	DigestKey []byte
	// Indexes are indexes by name, on top of the one by namespace. Subscriptions that share an
	// informer share the indexes; one name must mean the same to all of them.
	Indexes map[string]IndexFunc
}

// keeps returns a text that is equal for shapes that keep the same of each object.
func (s Shape) keeps() string {
	drop := make([]string, 0, len(s.Drop))
	for _, path := range s.Drop {
		drop = append(drop, path.String())
	}
	slices.Sort(drop)
	return fmt.Sprintf("%t %t %x %q", s.KeepManagedFields, s.KeepSecretData,
		sha256.Sum256(s.DigestKey), slices.Compact(drop))
}

// informer keeps a copy of one resource in one scope and notifies its subscriptions of each change.
// The package comment has the way of a change.
type informer struct {
	resource Resource
	scope    Scope
	keeps    string // of its Shape

	reflector  *reflector.Reflector
	queue      *queue.Queue
	store      *store.Store
	proc       *processor
	controller *controller
	news       signal // of the resource, see Factory.LookAgain
	ran        atomic.Bool
	// renewed is the resource in the version that the server has by now, nil if that is the first.
	renewed atomic.Pointer[Resource]
	parser  func(Resource) (*object.Parser, error)
}

// defaultQueueLimit is how many changes may wait between the reflector and the controller.
const defaultQueueLimit = 4096

func newInformer(lw ListWatcher, resource Resource, scope Scope, shape Shape,
	log *slog.Logger) (*informer, error) {
	if !scope.Shard.valid() {
		return nil, fmt.Errorf("informer of %s: there is no shard %s", resource, scope.Shard)
	}
	inf := &informer{resource: resource, scope: scope, keeps: shape.keeps(),
		queue: queue.New(defaultQueueLimit), store: store.New(), proc: &processor{},
		news: newSignal()}
	inf.parser = func(resource Resource) (*object.Parser, error) {
		parser := &object.Parser{
			APIVersion: resource.GroupVersion().String(), Kind: resource.Kind, Last: inf.store.Get,
			KeepManagedFields: shape.KeepManagedFields, KeepSecretData: shape.KeepSecretData,
			DigestKey: shape.DigestKey,
		}
		if scope.Shard != (Shard{}) {
			parser.Own, parser.OwnByUID = scope.Shard.Has, scope.Shard.By == ByObject
		}
		return parser, parser.Drop(shape.Drop...)
	}
	source, err := inf.source(resource, lw)
	if err != nil {
		return nil, fmt.Errorf("informer of %s: %w", resource, err)
	}
	if err := inf.store.AddIndexes(shape.Indexes); err != nil {
		return nil, fmt.Errorf("informer of %s: %w", resource, err)
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	inf.controller = &controller{queue: inf.queue, store: inf.store, proc: inf.proc,
		joined: newSignal(), cooling: cooling{store: inf.store, every: coldAfter, early: earlyPasses}}
	inf.proc.joined = inf.controller.joined
	inf.reflector = &reflector.Reflector{
		Source: source, Queue: inf.queue, TakeList: inf.controller.takeList,
		ApplyNow: inf.controller.applyNow, Wake: inf.proc.wake, Subscriptions: inf.proc.names,
		News: inf.news, Selector: scope.Shard.selector(),
		Log: log.With("resource", resource.String(), "namespace", scope.Namespace),
	}
	return inf, nil
}

// source returns where a resource is read from.
func (inf *informer) source(resource Resource, lw ListWatcher) (reflector.Source, error) {
	parser, err := inf.parser(resource)
	return reflector.Source{ListWatcher: lw, Name: resource.String(),
		Version: resource.GroupVersion().String(), Parser: parser}, err
}

// now returns the resource in the version that it is read in.
func (inf *informer) now() Resource {
	if renewed := inf.renewed.Load(); renewed != nil {
		return *renewed
	}
	return inf.resource
}

// run blocks until ctx is done and the informer's two goroutines have ended. An informer runs once.
func (inf *informer) run(ctx context.Context) {
	if inf.ran.Swap(true) {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { inf.reflector.Run(ctx) })
	inf.controller.run(ctx)
	wg.Wait()
}

// join registers a subscription, before run or while it runs.
func (inf *informer) join(sub *Subscription) *registration {
	reg := inf.proc.join(sub, inf.store, time.Now())
	inf.controller.joined.set()
	return reg
}

// hasSynced reports whether the first list is in the store, and the subscription is done with it.
func (inf *informer) hasSynced(reg *registration) bool {
	if !inf.queue.HasSynced() {
		return false
	}
	inf.proc.mu.Lock()
	defer inf.proc.mu.Unlock()
	if reg.awaitsCut {
		return false
	}
	reg.subscription.mu.Lock()
	defer reg.subscription.mu.Unlock()
	return reg.Initials == 0
}

// Status is an informer's state, for people and metrics.
type Status struct {
	Resource Resource
	Scope    Scope
	// Synced: the first list is in the store.
	Synced bool
	// Objects and Bytes are what the store holds; Bytes is the length of the objects' texts. Memory
	// is about how many bytes they take; a text that several of them refer to is counted once.
	Objects       int
	Bytes, Memory int64
	// Queued is how many objects wait between the reflector and the controller.
	Queued int
	// Subscriptions is how many registrations the informer has.
	Subscriptions int
	// ResourceVersion is the last one seen, "" before the first list.
	ResourceVersion string
	// What the API server answered, and Received, its bytes; Skipped counts malformed objects.
	Lists, Watches, Events, Bookmarks, Received, Skipped uint64
	// Relists are the lists that were not the informer's first one, by why they were needed.
	Relists map[string]uint64
	// Foreign is how many objects of other shards came, each as often as it came: none while the
	// API server selects the shard. They are not among Events.
	Foreign uint64
	// Heard is when something last came from the API server, or it began to answer. Before that it
	// is when the informer began; zero if it does not run.
	Heard time.Time
	// Err is why the informer cannot list or watch right now, nil if it can.
	Err error
}

// Status returns a snapshot.
func (inf *informer) Status() Status {
	r := inf.reflector.Status()
	s := Status{
		Resource: inf.now(), Scope: inf.scope, Synced: inf.queue.HasSynced(),
		Queued:          inf.queue.Len(),
		ResourceVersion: r.ResourceVersion, Lists: r.Lists, Watches: r.Watches,
		Events: inf.reflector.Events.Load(), Received: r.Bytes, Skipped: r.Skipped, Err: r.Err,
		Bookmarks: r.Bookmarks, Foreign: inf.reflector.Foreign.Load(),
		Relists: make(map[string]uint64, len(reflector.Relists)),
	}
	for _, reason := range reflector.Relists {
		s.Relists[reason.String()] = r.Relists[reason]
	}
	if r.Heard != 0 {
		s.Heard = r.Heard.Time()
	}
	s.Objects, s.Bytes, s.Memory = inf.store.Size()
	inf.proc.mu.Lock()
	s.Subscriptions = len(inf.proc.regs)
	inf.proc.mu.Unlock()
	return s
}
