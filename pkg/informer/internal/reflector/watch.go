package reflector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/wire"
	"github.com/informerd/informerd/pkg/informer/object"
)

const (
	// WatchTimeout is what a watch asks the server for, at least; the server ends it after up to
	// twice that.
	WatchTimeout = 5 * time.Minute
	// WatchGrace is how much longer than asked for a watch may live, before the connection is taken
	// for dead.
	WatchGrace = 30 * time.Second
	// ShortWatch: a watch that ends sooner and without an event is treated as failed.
	ShortWatch = time.Second
	// SteadyWatch: a watch that lived as long was all right until its connection was lost.
	SteadyWatch = 10 * time.Second
	// MaxFailedWatches is how many watches may fail in a row before a list is tried instead.
	MaxFailedWatches = 10
)

// watchEnd is how a watch ended, which decides what follows it.
type watchEnd int

const (
	notEnded   watchEnd = iota
	ended               // as watches do; the next one follows
	lost                // with its connection; the next one follows after a delay
	serverBusy          // by a server that cannot go on now; the next one follows after a backoff
	needsList           // what happened since the last version cannot be watched; a list follows
)

var errShortWatch = errors.New("the watch ended at once and without an event")

// watchStream is one watch that the server has begun to answer.
type watchStream struct {
	*wire.Watch
	cancel context.CancelFunc
	begun  time.Time // before the request was sent
	until  time.Time // when the server is to end it
	events int
}

// openWatch asks for a watch. The stream is the caller's to close.
func (r *Reflector) openWatch(ctx context.Context, opts metav1.ListOptions) (*watchStream, error) {
	begun := time.Now()
	timeout := WatchTimeout + rand.N(WatchTimeout)
	seconds := int64(timeout / time.Second)
	opts.TimeoutSeconds, opts.AllowWatchBookmarks = &seconds, true
	opts.ShardSelector = r.Selector
	watching, cancel := context.WithTimeout(ctx, timeout+WatchGrace)
	body, err := r.ListWatcher.Watch(watching, opts)
	if r.refusesSelector(err) {
		cancel()
		return r.openWatch(ctx, opts)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	r.heard.now()
	r.note(func(s *status) { s.Watches++; s.Err = nil })
	return &watchStream{Watch: wire.NewWatch(r.heard.of(body), r.Parser, r.flush), cancel: cancel,
		begun: begun, until: begun.Add(time.Duration(seconds) * time.Second)}, nil
}

func (w *watchStream) close() {
	w.cancel()
	w.Close()
}

// endOf returns how the watch ended, after its stream has ended with err.
func (w *watchStream) endOf(err error) watchEnd {
	switch w.Ending(err) {
	case wire.Ended:
		return ended
	case wire.Lost:
		return lost
	default:
		return needsList
	}
}

// tooShort reports whether the watch ended at once and without an event.
func (w *watchStream) tooShort() bool { return w.events == 0 && time.Since(w.begun) < ShortWatch }

// watch follows the resource from the last version on until its stream ends, and then waits as long
// as the next watch has to wait. w is the stream that brought the list, nil if there is none. again
// reports whether another watch may follow; if not, and without an error, a new list is needed.
func (r *Reflector) watch(ctx context.Context, w *watchStream) (again bool, err error) {
	// A watch from no version begins with an ADDED for each object there is, and their versions are
	// in no order.
	unordered := false
	if w == nil {
		if behind, err := r.isBehind(ctx); err != nil {
			return r.afterRefusal(ctx, err)
		} else if behind {
			return false, nil
		}
		unordered = r.last == "" || r.last == "0"
		if w, err = r.openWatch(ctx, metav1.ListOptions{ResourceVersion: r.last}); err != nil {
			r.suspect = true
			return r.afterRefusal(ctx, err)
		}
		r.resumed()
	}
	end, cause := r.follow(ctx, w, unordered)
	r.suspect = end != ended || time.Now().Before(w.until)
	w.close()
	r.flush()
	if ctx.Err() != nil {
		return false, nil
	}
	short := w.tooShort()
	if !short {
		r.failedWatches = 0
	}
	switch {
	case end == needsList:
		return false, nil
	case end == serverBusy:
		return true, r.wait(ctx, cause)
	case short:
		return r.afterFailure(ctx, errShortWatch)
	case end == ended:
		return true, nilIfDone(ctx, backoff.Sleep(ctx, r.pace.next(time.Now())))
	default:
		delay := backoff.Late(MinDelay) // other clients have lost theirs as well
		if time.Since(w.begun) < SteadyWatch {
			delay = r.retry.next(time.Now(), nil)
		}
		r.Log.Info("watch connection lost, watching on", "error", cause, "in",
			delay.Round(time.Millisecond))
		return true, nilIfDone(ctx, backoff.Sleep(ctx, delay))
	}
}

// afterRefusal decides what follows a watch that the server did not begin.
func (r *Reflector) afterRefusal(ctx context.Context, err error) (again bool, _ error) {
	switch {
	case ctx.Err() != nil:
		return false, nil
	case wire.IsBusy(err), wire.IsNoAnswer(err):
		return true, r.wait(ctx, err)
	case wire.IsTransient(err):
		if r.OnError != nil && apierrors.IsForbidden(err) { // which may last
			r.OnError(fmt.Errorf("failed to watch %s: %w", r.Name, err))
		}
		return r.afterFailure(ctx, err)
	default:
		r.relist = relistAfter(err, Refused)
		return false, err
	}
}

// afterFailure backs off for the next watch. After MaxFailedWatches failures in a row a list is
// tried instead.
func (r *Reflector) afterFailure(ctx context.Context, cause error) (again bool, err error) {
	if r.failedWatches++; r.failedWatches < MaxFailedWatches {
		return true, r.wait(ctx, cause)
	}
	r.failedWatches, r.relist = 0, Failures
	return false, cause
}

// follow queues what a watch brings until it ends. The cause is the error that ended it, if there
// is one.
func (r *Reflector) follow(ctx context.Context, w *watchStream, unordered bool) (end watchEnd,
	cause error) {
	for ctx.Err() == nil {
		frame, err := w.Next(r.skip)
		if err != nil {
			if end = w.endOf(err); end == needsList && ctx.Err() == nil {
				r.relist = Unreadable
				r.Log.Warn("cannot read the watch, listing again", "error", err)
			}
			return end, err
		}
		if end, err = r.take(ctx, frame); end != notEnded || err != nil {
			return end, err
		}
		w.events++
		unordered = unordered && frame.Type == "ADDED"
		if !unordered {
			if r.rewinds(frame.Version, r.last) {
				return needsList, nil
			}
			r.SetVersion(frame.Version)
		}
	}
	return ended, ctx.Err()
}

// take handles one frame. The error is ctx's, unless the watch has ended with the frame.
func (r *Reflector) take(ctx context.Context, frame object.WatchEvent) (watchEnd, error) {
	if frame.Foreign {
		r.Foreign.Add(1)
		return notEnded, nil
	}
	switch frame.Type {
	case "ADDED":
		return notEnded, r.enqueue(ctx, queue.Added, frame.Object)
	case "MODIFIED":
		return notEnded, r.enqueue(ctx, queue.Updated, frame.Object)
	case "DELETED":
		return notEnded, r.enqueue(ctx, queue.Deleted, frame.Object)
	case "BOOKMARK":
		bookmark, err := wire.ReadBookmark(frame.Text)
		if err != nil {
			r.skip(err)
		}
		if r.rewinds(bookmark.Version, r.last) {
			return needsList, nil
		}
		r.SetVersion(bookmark.Version)
		r.note(func(s *status) { s.Bookmarks++ })
		r.note(func(s *status) { s.Current = true })
		return notEnded, nil
	case "ERROR":
		err := wire.StatusError(frame.Text)
		switch {
		case wire.IsBusy(err):
			return serverBusy, err
		case wire.IsExpired(err):
			r.Log.Debug("watch expired, listing again", "error", err)
		default:
			r.Log.Warn("the API server ended the watch with an error, listing again", "error", err)
		}
		r.relist = relistAfter(err, EndedByError)
		return needsList, err
	default:
		r.relist = Unreadable
		r.Log.Warn("the watch sent a frame of unknown type, listing again", "type",
			fmt.Sprintf("%.20q", frame.Type))
		return needsList, nil
	}
}

// enqueue queues what happened to an object, unless it can be applied at once. It blocks while the
// queue is full.
func (r *Reflector) enqueue(ctx context.Context, typ queue.Type, o *object.Object) error {
	if r.known != nil && r.known.has(typ, o) {
		return nil
	}
	d := queue.Delta{Type: typ, Object: o, Arrived: r.heard.arrived()}
	if !r.ApplyNow(d) {
		if err := r.Queue.Add(ctx, d); err != nil {
			return err
		}
	}
	r.Events.Add(1)
	return nil
}

// flush wakes those who wait for what was queued or applied.
func (r *Reflector) flush() {
	r.Queue.Flush()
	r.Wake()
}

// wait backs off and keeps the resourceVersion: nothing was missed that a watch from there would
// not bring.
func (r *Reflector) wait(ctx context.Context, cause error) error {
	r.flush()
	delay := r.retry.next(time.Now(), cause)
	r.report(fmt.Errorf("failed to watch %s: %w", r.Name, cause), delay)
	return nilIfDone(ctx, backoff.Sleep(ctx, delay))
}

// nilIfDone returns err, but nil if ctx is done: being stopped is not a failure.
func nilIfDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
