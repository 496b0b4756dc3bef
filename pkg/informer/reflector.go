package informer

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer/internal/delays"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/skips"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/internal/wire"
	"github.com/informerd/informerd/pkg/informer/object"
)

// reflector brings what the API server has into the queue, or to the controller: it lists, then
// watches from the list's resourceVersion, indefinitely. One goroutine runs it.
type reflector struct {
	lw       ListWatcher
	resource Resource
	parser   *object.Parser
	queue    *queue.Queue
	store    *store.Store
	// controller applies what is watched while the queue is empty.
	controller *controller
	log        *slog.Logger
	onError    func(error) // may be nil
	// newParser returns a parser for the resource in another version.
	newParser func(Resource) (*object.Parser, error)
	// renew finds the resource in the version that the server has by now; may be nil. See
	// Factory.Renew.
	renew func(context.Context, Resource) (Resource, ListWatcher, error)
	// missing is how many attempts in a row the server had no such resource.
	missing int
	// subscriptions returns the names of those that wait for the resource, for the log; may be nil.
	subscriptions func() []string

	retry delays.Retry
	pace  delays.Pace // of watches that follow each other at once
	// failedWatches is how many watches in a row the server refused for now, or ended at once.
	failedWatches int
	skips         skips.Log
	// last is the resourceVersion of the last list, event or bookmark.
	last string
	// unavailable: the server no longer has last, so the next list asks for the newest state.
	unavailable bool
	// pagesUntil: the server did not stream a list as it should, so until then lists are asked for
	// as pages.
	pagesUntil time.Time
	// paged: the server cut a list at resourceVersion 0 into pages, so it has no watch cache, and
	// later lists ask for pages too.
	paged bool

	events atomic.Uint64

	mu     sync.Mutex
	status reflectorStatus // guarded by mu, for readers
}

// reflectorStatus is what readers may see of a reflector.
type reflectorStatus struct {
	resourceVersion string
	lists, watches  uint64
	skipped         uint64
	err             error
	resource        Resource // if it is another one than at the start
}

// note changes the status.
func (r *reflector) note(change func(*reflectorStatus)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status)
}

func (r *reflector) snapshot() reflectorStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// run blocks until ctx is done.
func (r *reflector) run(ctx context.Context) {
	for {
		err := r.listAndWatch(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && r.onError != nil {
			r.onError(err)
		}
		if r.renewed(ctx, err) {
			continue
		}
		delay := r.retry.Next(time.Now(), err)
		r.report(err, delay)
		if backoff.Sleep(ctx, delay) != nil {
			return
		}
	}
}

// report logs a failed attempt. err is nil if a watch ended in a way that needs a new list but is
// not a failure.
func (r *reflector) report(err error, delay time.Duration) {
	r.note(func(s *reflectorStatus) { s.err = err })
	switch {
	case err == nil:
	case wire.IsExpired(err):
		r.log.Debug("resourceVersion expired, listing again", "in", delay.Round(time.Millisecond))
	default:
		log := r.log
		if r.subscriptions != nil {
			log = log.With("listeners", r.subscriptions())
		}
		log.Warn("cannot list or watch, will try again", "error", err, "in",
			delay.Round(time.Millisecond))
	}
}

// listAndWatch is one attempt: the list as the beginning of a watch, if the server can do that, or
// as pages, and then the watch.
func (r *reflector) listAndWatch(ctx context.Context) error {
	w, err := r.watchList(ctx)
	if err != nil {
		return err
	}
	if w == nil {
		if err := r.list(ctx); err != nil {
			return fmt.Errorf("failed to list %s: %w", r.resource, err)
		}
	}
	r.note(func(s *reflectorStatus) { s.err = nil })
	for w != nil || ctx.Err() == nil {
		again, err := r.watch(ctx, w)
		w = nil
		if err != nil {
			return fmt.Errorf("failed to watch %s: %w", r.resource, err)
		}
		if !again {
			return nil
		}
	}
	return ctx.Err()
}

// list reads all pages into the queue.
func (r *reflector) list(ctx context.Context) error {
	defer r.skips.Report(r.log)
	items, version, err := r.listPages(ctx, r.listVersion())
	if wire.IsExpired(err) || wire.IsTooLarge(err) {
		r.unavailable = true
		items, version, err = r.listPages(ctx, r.listVersion())
	}
	if err != nil {
		return err
	}
	r.controller.takeList(ctx, items)
	r.listed(version)
	return nil
}

// listed notes that a list is in the queue.
func (r *reflector) listed(version string) {
	r.unavailable, r.failedWatches = false, 0
	r.setVersion(version)
	r.note(func(s *reflectorStatus) { s.lists++ })
}

// listVersion returns the version to list at: the first list takes any state that the server's
// cache has, later ones none that is older than what was seen.
func (r *reflector) listVersion() string {
	switch {
	case r.unavailable:
		return ""
	case r.last == "":
		return "0"
	default:
		return r.last
	}
}

// skip counts and logs a malformed object. The error never quotes the object.
func (r *reflector) skip(err error) {
	r.skipInList(err)
	r.skips.ReportSometimes(r.log)
}

// skipInList counts a malformed object, and leaves the log to the end of the list.
func (r *reflector) skipInList(err error) {
	r.note(func(s *reflectorStatus) { s.skipped++ })
	r.skips.Add(err)
}

// setVersion notes the version that the next watch begins at.
func (r *reflector) setVersion(version string) {
	if version == "" {
		return
	}
	r.last = version
	r.note(func(s *reflectorStatus) { s.resourceVersion = version })
}
