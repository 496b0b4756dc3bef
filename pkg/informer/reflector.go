package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	pageSize = 500
	// watchTimeout is what a watch asks the server for, at least; the server ends it after up to twice that.
	watchTimeout = 5 * time.Minute
	// watchGrace is how much longer than asked for a watch may live, before the connection is taken for dead.
	watchGrace = 30 * time.Second
	// shortWatch: a watch that ends sooner and without an event is treated as failed.
	shortWatch = time.Second
)

// reflector brings what the API server has into the queue: it lists, then watches from the list's resourceVersion, for
// ever. One goroutine runs it.
type reflector struct {
	lw       ListWatcher
	resource Resource
	parser   *event.Parser
	queue    *deltaQueue
	store    *indexer
	log      *slog.Logger

	backoff backoff
	// last is the resourceVersion of the last list, event or bookmark.
	last string
	// unavailable: the server no longer has last, so the next list asks for the newest state.
	unavailable bool
	// paged: the server cut a list at resourceVersion 0 into pages, so it has no watch cache, and later lists ask for
	// pages too.
	paged bool

	mu     sync.Mutex
	status reflectorStatus // guarded by mu, for readers
}

type reflectorStatus struct {
	resourceVersion string
	lists, watches  uint64
	events          uint64
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

// listAndWatch is one attempt.
func (r *reflector) listAndWatch(ctx context.Context) error {
	if err := r.list(ctx); err != nil {
		return fmt.Errorf("failed to list %s: %w", r.resource, err)
	}
	r.note(func(s *reflectorStatus) { s.err = nil })
	for ctx.Err() == nil {
		again, err := r.watch(ctx)
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
			return items, at, nil
		}
		r.paged = r.paged || version == "0"
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

// watch follows the resource from the last version on. again tells to watch on; without it, and without an error, a new
// list is needed.
func (r *reflector) watch(ctx context.Context) (again bool, err error) {
	begun := time.Now()
	timeout := watchTimeout + rand.N(watchTimeout)
	seconds := int64(timeout / time.Second)
	watchCtx, cancel := context.WithTimeout(ctx, timeout+watchGrace)
	defer cancel()
	body, err := r.lw.Watch(watchCtx, metav1.ListOptions{
		ResourceVersion: r.last, TimeoutSeconds: &seconds, AllowWatchBookmarks: true,
	})
	switch {
	case err == nil:
	case utilnet.IsConnectionRefused(err), apierrors.IsTooManyRequests(err):
		return true, r.wait(ctx, err)
	case utilnet.IsProbableEOF(err), utilnet.IsTimeout(err):
		return r.ended(begun, 0)
	default:
		return false, err
	}
	defer body.Close()
	r.note(func(s *reflectorStatus) { s.watches++; s.err = nil })

	in, events := &stream{r: body}, 0
	var refused *event.ObjectError
	for {
		var w event.WatchEvent
		err := in.value(func(text []byte) (end int, err error) {
			w, end, err = r.parser.ParseWatchEvent(text)
			return end, err
		})
		switch {
		case err == nil:
		case errors.As(err, &refused):
			r.skip(err)
			continue
		case ctx.Err() != nil || isStreamEnd(err):
			return r.ended(begun, events)
		default:
			r.log.Warn("cannot read the watch, listing again", "error", err)
			return false, nil
		}
		again, err := r.take(ctx, w)
		if err != nil || !again || w.Type == "ERROR" {
			return again, nilIfDone(ctx, err)
		}
		events++
	}
}

// take handles one frame. again is false if the watch has ended and a list is needed.
func (r *reflector) take(ctx context.Context, w event.WatchEvent) (again bool, err error) {
	switch w.Type {
	case "ADDED":
		return r.enqueue(ctx, deltaAdded, w.Object)
	case "MODIFIED":
		return r.enqueue(ctx, deltaUpdated, w.Object)
	case "DELETED":
		return r.enqueue(ctx, deltaDeleted, w.Object)
	case "BOOKMARK":
		version, err := bookmarkVersion(w.Text)
		if err != nil {
			r.skip(err)
			return true, nil
		}
		r.setVersion(version)
		return true, nil
	case "ERROR":
		err := statusError(w.Text)
		switch {
		case apierrors.IsTooManyRequests(err):
			return true, r.wait(ctx, err)
		case isExpired(err):
			r.log.Debug("watch expired, listing again", "error", err)
		default:
			r.log.Warn("the API server ended the watch with an error, listing again", "error", err)
		}
		return false, nil
	default:
		r.log.Warn("the watch sent a frame of unknown type, listing again", "type", fmt.Sprintf("%.20q", w.Type))
		return false, nil
	}
}

func (r *reflector) enqueue(ctx context.Context, typ deltaType, o *event.Object) (bool, error) {
	if o.Kind() != r.resource.Kind {
		r.skip(fmt.Errorf("expected a %s, got %.60q", r.resource.Kind, o.Kind()))
		return true, nil
	}
	if err := r.queue.add(ctx, delta{typ: typ, object: o}); err != nil {
		return false, err
	}
	r.setVersion(o.ResourceVersion())
	r.note(func(s *reflectorStatus) { s.events++ })
	return true, nil
}

func (r *reflector) setVersion(version string) {
	if version == "" {
		return
	}
	r.last = version
	r.note(func(s *reflectorStatus) { s.resourceVersion = version })
}

// ended decides what a watch that is over means.
func (r *reflector) ended(begun time.Time, events int) (again bool, err error) {
	if events == 0 && time.Since(begun) < shortWatch {
		r.log.Warn("a watch ended at once and without an event, listing again")
		return false, nil
	}
	return true, nil
}

// wait backs off and keeps the resourceVersion: the server is busy, nothing was missed.
func (r *reflector) wait(ctx context.Context, cause error) error {
	delay := r.backoff.next(time.Now())
	r.report(cause, delay)
	return nilIfDone(ctx, sleep(ctx, delay))
}

// nilIfDone: being stopped is no failure.
func nilIfDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func isStreamEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err)
}

func isExpired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// isTooLarge: the server has not yet seen the version that was asked for. Servers before 1.17 say so in words only.
func isTooLarge(err error) bool {
	if apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		return true
	}
	if !apierrors.IsTimeout(err) {
		return false
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	const words = "Too large resource version"
	if d := status.Status().Details; d != nil {
		for _, cause := range d.Causes {
			if strings.Contains(cause.Message, words) {
				return true
			}
		}
	}
	return strings.Contains(status.Status().Message, words)
}
