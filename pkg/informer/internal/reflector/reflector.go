// package reflector brings what an API server has of a resource to an informer: it lists, then
// watches from the list's version on, and recovers from whatever the server and the network do. It
// knows neither the store nor the subscriptions.
//
// # Promises
//
//   - It never stops trying; delays.go has the pauses.
//   - A list is asked for as a stream, and in pages from servers that do not know that.
//   - A list is never older than what was seen before, unless that version is unavailable.
//   - A watch goes on where the one before it has ended, so that no event is left out.
//   - A resource that is missing is asked for again at once when there is news of it. Once it is
//     known to be gone, its objects end as by an empty list.
//   - A new list comes only if the version has expired, if the stream cannot be read, if the server
//     has gone back, and for every tenth watch in a row that the server fails at.
//   - A malformed object is skipped, counted and logged without its content.
//
// # Design decisions
//
// A lost watch does not lead to a list, as it does in client-go: when a load balancer goes away,
// every client loses its watches, and lists of all of them meet the server that has just come
// back. Nothing was lost: the version is known, and the server answers 410 if it cannot go on.
//
// A server may be behind what it had, since it was restored from a backup, or is another one. A
// watch from a version that it has not come to yet brings nothing and ends as others do, so that
// nobody would ever notice. Therefore, where the server may have been another one meanwhile, it is
// asked for its version with a list of one object, see rewind.go.
//
// A watch goes on behind foreign events too. Without that, a shard in which nothing happens would
// have a minute of them again after each watch, since API servers send bookmarks once a minute, and
// might find that its version has expired. It costs 0.2 us of the 5 us and more that such an event
// of 10 KB takes (BenchmarkForeign).
//
// A streamed list has three limits, since a server that ignores sendInitialEvents starts a plain
// watch: 30 s without anything new, 30 s after the first change, 2 min in all. Silence alone is
// no sign: a frame every ten seconds kept an informer from its first list for 19 minutes.
package reflector

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/wire"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Source is where a resource is read from.
type Source struct {
	ListWatcher
	Name    string // of the resource, for errors
	Version string // of its API, for the log
	Parser  *object.Parser
}

// ListWatcher opens the API server's answers as streams of bytes.
type ListWatcher interface {
	List(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error)
}

// Reflector brings what the API server has into a queue, or to whoever applies it: it lists, then
// watches from the list's resourceVersion, indefinitely. One goroutine runs it.
type Reflector struct {
	Source
	Queue *queue.Queue
	// TakeList takes a list with its version, and ApplyNow an event, unless that has to be queued.
	// rewound: what is known may be newer than the list, and is void. Wake wakes those who wait for
	// what was applied.
	TakeList func(ctx context.Context, list []*object.Object, version string, rewound bool)
	ApplyNow func(queue.Delta) (applied bool)
	Wake     func()
	Log      *slog.Logger
	// OnError, if set, receives each error that ends an attempt to list or to begin a watch.
	OnError func(error)
	// Renew, if set, finds the resource in the version that the server has by now. It returns nil
	// if that is the one it is read in, and ErrGone if the resource was removed.
	Renew func(context.Context) (*Source, error)
	// News, if set, has a value when a resource that is missing may have come, or may be gone for
	// good: it is then asked for at once.
	News <-chan struct{}
	// Subscriptions, if set, returns the names of those that wait for the resource, for the log.
	Subscriptions func() []string
	// Selector, if set, is the ListOptions.ShardSelector that has the server send Parser's Own
	// objects alone, if it can.
	Selector string
	// Events is how many the watches have brought, and Foreign how many objects came that are not
	// among Parser's Own.
	Events, Foreign atomic.Uint64

	// missing is how many attempts in a row the server had no such resource; absent is what Renew
	// says about that, nil if nothing. emptied: the resource is gone, which was applied.
	missing int
	absent  error
	emptied bool
	retry   retry
	pace    pace // of watches that follow each other at once
	// failedWatches is how many watches in a row the server refused for now, or ended at once.
	failedWatches int
	malformed     malformedLog
	heard         heard
	// relist is why the next list is needed.
	relist relist
	// last is the resourceVersion of the last list, event or bookmark.
	last string
	// resuming: the store is complete up to last, and no watch has begun yet.
	resuming bool
	// suspect: the server may be behind last. incomparable: its versions are in no order, so that
	// nobody can tell.
	suspect, incomparable bool
	// known is what the store has beyond last, nil if that is nothing.
	known *Known
	// unavailable: the server no longer has last, so the next list asks for the newest state.
	unavailable bool
	// pagesUntil: the server did not stream a list as it should, so until then lists are asked for
	// as pages.
	pagesUntil time.Time
	// paged: the server cut a list at resourceVersion 0 into pages, so it has no watch cache, and
	// later lists ask for pages too.
	paged bool

	mu     sync.Mutex
	status status // guarded by mu, for readers
}

// status is what readers may see of a reflector.
type status struct {
	ResourceVersion string // the last one seen, "" before the first list
	Lists, Watches  uint64
	Skipped         uint64 // malformed objects
	Bookmarks       uint64 // of watches
	// Relists are the lists that were not the first one, by their Relist.
	Relists [relists]uint64
	// Heard is when something last came from the API server, or when Run began; 0 before that.
	Heard event.Instant
	Bytes uint64 // that came, as they are when they are not compressed any more
	Err   error  // why it cannot list or watch right now
	// Current: a list or a bookmark has come, so all that comes now happened after the beginning.
	Current bool
}

// note changes the status.
func (r *Reflector) note(change func(*status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status)
}

// Status returns a snapshot.
func (r *Reflector) Status() status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.status
	s.Heard, s.Bytes = r.heard.arrived(), r.heard.bytes.Load()
	return s
}

// Run blocks until ctx is done.
func (r *Reflector) Run(ctx context.Context) {
	r.heard.now()
	for {
		err := r.listAndWatch(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && r.OnError != nil {
			r.OnError(err)
		}
		renewed, err := r.renewed(ctx, err)
		if renewed {
			continue
		}
		delay := r.retry.next(time.Now(), err)
		r.report(err, delay)
		if r.sleep(ctx, delay) != nil {
			return
		}
	}
}

// report logs a failed attempt. err is nil if a watch ended in a way that needs a new list but is
// not a failure.
func (r *Reflector) report(err error, delay time.Duration) {
	r.note(func(s *status) { s.Err = err })
	switch {
	case err == nil:
	case wire.IsExpired(err):
		r.Log.Debug("resourceVersion expired, listing again", "in", delay.Round(time.Millisecond))
	default:
		log := r.Log
		if r.Subscriptions != nil {
			log = log.With("listeners", r.Subscriptions())
		}
		log.Warn("cannot list or watch, will try again", "error", err, "in",
			delay.Round(time.Millisecond))
	}
}

// listAndWatch is one attempt: the list as the beginning of a watch, if the server can do that, or
// as pages, and then the watch. If the store was restored, the list is left out.
func (r *Reflector) listAndWatch(ctx context.Context) error {
	var w *watchStream
	if !r.resuming {
		var err error
		if w, err = r.watchList(ctx); err != nil {
			return err
		}
		if w == nil {
			if err := r.list(ctx); err != nil {
				return fmt.Errorf("failed to list %s: %w", r.Name, err)
			}
		}
		r.note(func(s *status) { s.Err = nil })
	}
	for w != nil || ctx.Err() == nil {
		again, err := r.watch(ctx, w)
		w = nil
		if err != nil {
			r.resuming = r.resuming && mayResume(err)
			return fmt.Errorf("failed to watch %s: %w", r.Name, err)
		}
		if !again {
			return nil
		}
	}
	return ctx.Err()
}

// list reads all pages into the queue.
func (r *Reflector) list(ctx context.Context) error {
	defer r.malformed.report(r.Log)
	items, version, err := r.listPages(ctx, r.listVersion())
	if wire.IsExpired(err) || wire.IsTooLarge(err) {
		r.unavailable = true
		items, version, err = r.listPages(ctx, r.listVersion())
	}
	if err != nil {
		return err
	}
	r.listed(ctx, items, version)
	return nil
}

// listed hands over a list.
func (r *Reflector) listed(ctx context.Context, list []*object.Object, version string) {
	r.Log.Debug("took a list", "objects", len(list), "version", version)
	r.TakeList(ctx, list, version, r.hasRewound(version))
	r.unavailable, r.failedWatches, r.resuming, r.known = false, 0, false, nil
	r.emptied, r.suspect = false, false
	r.SetVersion(version)
	r.note(func(s *status) { s.Lists++; s.Relists[r.relist]++; s.Current = true })
	r.relist = noRelist
}

// listVersion returns the version to list at: the first list takes any state that the server's
// cache has, later ones none that is older than what was seen.
func (r *Reflector) listVersion() string {
	newest := r.newest()
	switch {
	case r.unavailable:
		return ""
	case newest == "":
		return "0"
	default:
		return newest
	}
}

// skip counts and logs a malformed object. The error never quotes the object.
func (r *Reflector) skip(err error) {
	r.skipInList(err)
	r.malformed.reportSometimes(r.Log)
}

// skipInList counts a malformed object, and leaves the log to the end of the list.
func (r *Reflector) skipInList(err error) {
	r.note(func(s *status) { s.Skipped++ })
	r.malformed.add(err)
}

// SetVersion notes the version that the next watch begins at.
func (r *Reflector) SetVersion(version string) {
	if version == "" {
		return
	}
	r.last = version
	r.reached(version)
	r.note(func(s *status) { s.ResourceVersion = version })
}
