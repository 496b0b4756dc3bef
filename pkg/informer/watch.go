package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	// watchTimeout is what a watch asks the server for, at least; the server ends it after up to twice that.
	watchTimeout = 5 * time.Minute
	// watchGrace is how much longer than asked for a watch may live, before the connection is taken for dead.
	watchGrace = 30 * time.Second
	// shortWatch: a watch that ends sooner and without an event is treated as failed.
	shortWatch = time.Second
)

// watchStream is one watch that the server has begun to answer.
type watchStream struct {
	body   io.ReadCloser
	cancel context.CancelFunc
	in     stream
	parser *event.Parser
	begun  time.Time // before the request was sent
	events int
}

// openWatch asks for a watch. The stream is the caller's to close.
func (r *reflector) openWatch(ctx context.Context, opts metav1.ListOptions) (*watchStream, error) {
	begun := time.Now()
	timeout := watchTimeout + rand.N(watchTimeout)
	seconds := int64(timeout / time.Second)
	opts.TimeoutSeconds, opts.AllowWatchBookmarks = &seconds, true
	ctx, cancel := context.WithTimeout(ctx, timeout+watchGrace)
	body, err := r.lw.Watch(ctx, opts)
	if err != nil {
		cancel()
		return nil, err
	}
	r.note(func(s *reflectorStatus) { s.watches++; s.err = nil })
	in := stream{r: body, lines: true, idle: r.queue.flush}
	return &watchStream{body: body, cancel: cancel, in: in, parser: r.parser, begun: begun}, nil
}

func (w *watchStream) close() {
	w.cancel()
	_ = w.body.Close() // nothing is left to learn from it
}

// next reads a frame. What carries no object, or one of another kind than the resource's, is passed to skip.
func (w *watchStream) next(skip func(error)) (frame event.WatchEvent, err error) {
	for {
		err := w.in.value(func(text []byte) (end int, err error) {
			frame, end, err = w.parser.ParseWatchEvent(text)
			return end, err
		})
		switch {
		case err != nil && isObjectError(err):
		case err == nil && frame.Object != nil && frame.Object.Kind() != w.parser.Kind:
			err = fmt.Errorf("expected a %s, got %.60q", w.parser.Kind, frame.Object.Kind())
		default:
			return frame, err
		}
		skip(err)
	}
}

func isObjectError(err error) bool {
	var refused *event.ObjectError
	return errors.As(err, &refused)
}

// tooShort: the watch ended at once and without an event.
func (w *watchStream) tooShort() bool { return w.events == 0 && time.Since(w.begun) < shortWatch }

// watch follows the resource from the last version on, with the stream that brought the list, if there is one. again
// tells to watch on; without it, and without an error, a new list is needed.
func (r *reflector) watch(ctx context.Context, w *watchStream) (again bool, err error) {
	// A watch from no version begins with an ADDED for each object there is, and their versions are in no order.
	unordered := false
	if w == nil {
		unordered = r.last == "" || r.last == "0"
		w, err = r.openWatch(ctx, metav1.ListOptions{ResourceVersion: r.last})
		if isBusy(err) || err != nil && isStreamEnd(err) {
			return true, r.wait(ctx, err)
		}
		if err != nil {
			return false, err
		}
	}
	defer w.close()
	defer r.queue.flush()
	for ctx.Err() == nil {
		frame, err := w.next(r.skip)
		switch {
		case err == nil:
		case ctx.Err() != nil || isStreamEnd(err):
			if ctx.Err() == nil && w.tooShort() {
				r.log.Warn("a watch ended at once and without an event, listing again")
				return false, nil
			}
			return true, nil
		default:
			r.log.Warn("cannot read the watch, listing again", "error", err)
			return false, nil
		}
		again, err := r.take(ctx, frame)
		if err != nil || !again || frame.Type == "ERROR" {
			return again, nilIfDone(ctx, err)
		}
		w.events++
		unordered = unordered && frame.Type == "ADDED"
		if frame.Object != nil && !unordered {
			r.setVersion(frame.Object.ResourceVersion())
		}
	}
	return false, nil
}

// take handles one frame. again is false if the watch has ended and a list is needed.
func (r *reflector) take(ctx context.Context, frame event.WatchEvent) (again bool, err error) {
	switch frame.Type {
	case "ADDED":
		return true, r.enqueue(ctx, deltaAdded, frame.Object)
	case "MODIFIED":
		return true, r.enqueue(ctx, deltaUpdated, frame.Object)
	case "DELETED":
		return true, r.enqueue(ctx, deltaDeleted, frame.Object)
	case "BOOKMARK":
		mark, err := readBookmark(frame.Text)
		if err != nil {
			r.skip(err)
		}
		if !mutated("ignored-bookmarks") {
			r.setVersion(mark.version)
		}
		return true, nil
	case "ERROR":
		err := statusError(frame.Text)
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
		r.log.Warn("the watch sent a frame of unknown type, listing again", "type", fmt.Sprintf("%.20q", frame.Type))
		return false, nil
	}
}

// enqueue queues what happened to an object. It blocks while the queue is full.
func (r *reflector) enqueue(ctx context.Context, typ deltaType, o *event.Object) error {
	if err := r.queue.add(ctx, delta{typ: typ, object: o}); err != nil {
		return err
	}
	r.events.Add(1)
	return nil
}

// wait backs off and keeps the resourceVersion: the server is busy, nothing was missed.
func (r *reflector) wait(ctx context.Context, cause error) error {
	r.queue.flush()
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
