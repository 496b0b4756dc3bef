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

	reflector  *reflector
	queue      *queue.Queue
	store      *store.Store
	proc       *processor
	controller *controller
	ran        atomic.Bool
}

// defaultQueueLimit is how many changes may wait between the reflector and the controller.
const defaultQueueLimit = 4096

func newInformer(lw ListWatcher, resource Resource, scope Scope, shape Shape,
	log *slog.Logger) (*informer, error) {
	inf := &informer{resource: resource, scope: scope, queue: queue.New(defaultQueueLimit),
		store: store.New(), proc: &processor{}}
	newParser := func(resource Resource) (*object.Parser, error) {
		parser := &object.Parser{
			APIVersion: resource.GroupVersion().String(), Kind: resource.Kind, Last: inf.store.Get,
			KeepManagedFields: shape.KeepManagedFields, KeepSecretData: shape.KeepSecretData,
			DigestKey: shape.DigestKey,
		}
		return parser, parser.Drop(shape.Drop...)
	}
	parser, err := newParser(resource)
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
		joined: newSignal(), cooling: cooling{store: inf.store, every: coldAfter}}
	inf.proc.joined = inf.controller.joined
	inf.reflector = &reflector{
		lw: lw, resource: resource, parser: parser, newParser: newParser, queue: inf.queue,
		store: inf.store, subscriptions: inf.proc.names,
		log:        log.With("resource", resource.String(), "namespace", scope.Namespace),
		controller: inf.controller,
	}
	return inf, nil
}

// run blocks until ctx is done and the informer's two goroutines have ended. An informer runs once.
func (inf *informer) run(ctx context.Context) {
	if inf.ran.Swap(true) {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { inf.reflector.run(ctx) })
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
	// Lists, Watches and Events count what the API server answered; Skipped counts malformed
	// objects.
	Lists, Watches, Events, Skipped uint64
	// Err is why the informer cannot list or watch right now, nil if it can.
	Err error
}

// Status returns a snapshot.
func (inf *informer) Status() Status {
	r := inf.reflector.snapshot()
	s := Status{
		Resource: inf.resource, Scope: inf.scope, Synced: inf.queue.HasSynced(),
		Queued:          inf.queue.Len(),
		ResourceVersion: r.resourceVersion, Lists: r.lists, Watches: r.watches,
		Events: inf.reflector.events.Load(), Skipped: r.skipped, Err: r.err,
	}
	if r.resource != (Resource{}) {
		s.Resource = r.resource
	}
	s.Objects, s.Bytes, s.Memory = inf.store.Size()
	inf.proc.mu.Lock()
	s.Subscriptions = len(inf.proc.regs)
	inf.proc.mu.Unlock()
	return s
}
