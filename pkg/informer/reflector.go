package informer

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
)

// pageSize is how many objects a page of a list holds, as in client-go.
const pageSize = 500

// reflector brings what the API server has into the queue: it lists, then watches from the list's resourceVersion, for
// ever. One goroutine runs it.
type reflector struct {
	lw       ListWatcher
	resource Resource
	parser   *event.Parser
	queue    *deltaQueue
	store    *indexer
	log      *slog.Logger
	onError  func(error) // may be nil

	backoff backoff
	// last is the resourceVersion of the last list, event or bookmark.
	last string
	// unavailable: the server no longer has last, so the next list asks for the newest state.
	unavailable bool
	// noWatchList: the server does not stream first lists, so they are asked for as pages.
	noWatchList bool
	// paged: the server cut a list at resourceVersion 0 into pages, so it has no watch cache, and later lists ask for
	// pages too.
	paged bool

	events atomic.Uint64

	mu     sync.Mutex
	status reflectorStatus // guarded by mu, for readers
}

type reflectorStatus struct {
	resourceVersion string
	lists, watches  uint64
	skipped         uint64
	err             error
}

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
		delay := r.backoff.next(time.Now())
		r.report(err, delay)
		if sleep(ctx, delay) != nil {
			return
		}
	}
}

// report tells of a failed attempt; err is nil if a watch ended in a way that needs a new list and is no failure.
func (r *reflector) report(err error, delay time.Duration) {
	r.note(func(s *reflectorStatus) { s.err = err })
	switch {
	case err == nil:
	case isExpired(err):
		r.log.Debug("resourceVersion expired, listing again", "in", delay.Round(time.Millisecond))
	default:
		r.log.Warn("cannot list or watch, will try again", "error", err, "in", delay.Round(time.Millisecond))
	}
}

// listAndWatch is one attempt: the list as the beginning of a watch, if the server can do that, or as pages, and then
// the watch.
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
	items, version, err := r.listPages(ctx, r.listVersion())
	if isExpired(err) || isTooLarge(err) {
		r.unavailable = true
		items, version, err = r.listPages(ctx, r.listVersion())
	}
	if err != nil {
		return err
	}
	r.queue.replace(items, r.store)
	r.unavailable = false
	r.setVersion(version)
	r.note(func(s *reflectorStatus) { s.lists++ })
	return nil
}

// listVersion: the first list takes whatever the server's cache has, later ones nothing older than what was seen.
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

func (r *reflector) listPages(ctx context.Context, version string) (items []*event.Object, at string, err error) {
	opts := metav1.ListOptions{ResourceVersion: version}
	if version == "" || version == "0" || r.paged {
		opts.Limit = pageSize
	}
	for {
		page, err := r.listPage(ctx, opts, &items)
		if err != nil {
			if opts.Continue != "" && isExpired(err) {
				// The rest of the list has expired: one list of everything, without pages.
				items, opts = items[:0], metav1.ListOptions{ResourceVersion: version}
				if page, err = r.listPage(ctx, opts, &items); err == nil {
					return items, page.Metadata.ResourceVersion, nil
				}
			}
			return nil, "", err
		}
		if at == "" {
			at = page.Metadata.ResourceVersion
		}
		if page.Metadata.Continue == "" {
			r.paged = r.paged || version == "0" && opts.Continue != ""
			return items, at, nil
		}
		opts.Continue, opts.ResourceVersion = page.Metadata.Continue, ""
	}
}

func (r *reflector) listPage(ctx context.Context, opts metav1.ListOptions, items *[]*event.Object) (listPage, error) {
	body, err := r.lw.List(ctx, opts)
	if err != nil {
		return listPage{}, err
	}
	defer body.Close()
	return readList(body, r.parser, func(o *event.Object) { *items = append(*items, o) }, r.skip)
}

// skip passes over something that is no object informerd can hold. The error never quotes the object.
func (r *reflector) skip(err error) {
	r.note(func(s *reflectorStatus) { s.skipped++ })
	r.log.Error("skipped what the API server sent in place of an object", "error", err)
}

func (r *reflector) setVersion(version string) {
	if version == "" {
		return
	}
	r.last = version
	r.note(func(s *reflectorStatus) { s.resourceVersion = version })
}
