package reflector

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/wire"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Servers that do not know streamed lists begin a plain watch and never send the bookmark that ends
// the list (kubernetes#135895). Three limits detect them, whatever that watch brings; then pages
// are asked for. Together they bound the first list: its tries take WatchListLimit at most, the
// delays between them twice 2*MaxDelay, and each of up to WatchListBusy requests that find the
// server busy costs another delay.
const (
	// WatchListIdle is how long a streamed list may bring no new object, from the request on. It is
	// also how long the list's end may take after the first frame that a list does not have, a
	// change or an unmarked bookmark: changes come behind the list.
	WatchListIdle = 30 * time.Second
	// WatchListLimit is how long all tries of a streamed list may take. One that takes longer is
	// quicker as compressed pages.
	WatchListLimit = 2 * time.Minute
	// watchListTries is how often a streamed list that the server cuts is asked for again, before
	// pages are.
	watchListTries = 3
	// WatchListBusy is how often a server may be too busy for a streamed list, before it is asked
	// for pages.
	WatchListBusy = 10
	// WatchListPause is how long pages are asked for after a limit was passed or all tries were
	// cut.
	WatchListPause = time.Hour
)

// watchList asks for the list as the beginning of a watch: first the objects there are, one frame
// each, then a bookmark that says so, then the changes, all in one stream. That spares both sides
// the memory of pages. It returns the stream once the list is in the queue, or nil if the list has
// to be asked for in pages.
func (r *Reflector) watchList(ctx context.Context) (*watchStream, error) {
	if time.Now().Before(r.pagesUntil) {
		return nil, nil
	}
	version := r.newest()
	remaining := WatchListLimit
	var err error
	for tries, busy := 0, 0; tries < watchListTries && busy < WatchListBusy; {
		if remaining <= 0 {
			err = errListEndless
			break
		}
		if r.unavailable {
			version = ""
		}
		begun := time.Now()
		var w *watchStream
		w, err = r.streamList(ctx, version, remaining)
		remaining -= time.Since(begun)
		switch {
		case err == nil:
			return w, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case wire.IsExpired(err) || wire.IsTooLarge(err):
			r.unavailable = true
			tries++
		case wire.IsBusy(err):
			if err := r.wait(ctx, err); err != nil {
				return nil, err
			}
			busy++
		case errors.Is(err, errListLost):
			if tries++; tries < watchListTries {
				if err := r.wait(ctx, err); err != nil {
					return nil, err
				}
			}
		case errors.Is(err, errListCut):
			tries++
		case errors.Is(err, errListEndless):
			remaining = 0
		default:
			r.Log.Debug("the API server does not stream this list, asking for pages", "error", err)
			return nil, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if errors.Is(err, errListCut) || errors.Is(err, errListLost) || errors.Is(err, errListEndless) {
		r.pagesUntil = time.Now().Add(WatchListPause)
		r.Log.Info("the API server does not stream lists, asking for pages from now on", "for",
			WatchListPause, "error", err)
	}
	return nil, nil
}

var (
	errListCut     = errors.New("the stream ended before the list did")
	errListLost    = errors.New("the connection was lost before the list ended")
	errListEndless = fmt.Errorf(
		"the stream did not come to the end of the list: %v without a new object or with changes, or %v in all", WatchListIdle, WatchListLimit)
)

// listTimer ends a streamed list that passes a limit, by cancelling its request.
type listTimer struct {
	timer *time.Timer
	until time.Time // the latest end
}

func newListTimer(limit time.Duration, cancel context.CancelFunc) *listTimer {
	return &listTimer{until: time.Now().Add(limit),
		timer: time.AfterFunc(min(limit, WatchListIdle), cancel)}
}

// listed postpones the end, as there was a new object. It reports whether the end has not come yet.
func (t *listTimer) listed() bool {
	if !t.timer.Stop() {
		return false
	}
	t.timer.Reset(min(WatchListIdle, time.Until(t.until)))
	return true
}

// changed limits the time to the end, as changes come behind the list.
func (t *listTimer) changed() {
	if at := time.Now().Add(WatchListIdle); at.Before(t.until) {
		t.until = at
	}
}

// streamList is one try. On success the list is in the queue, and the stream is the caller's.
func (r *Reflector) streamList(ctx context.Context, version string,
	limit time.Duration) (*watchStream, error) {
	initial := true
	ctx, cancel := context.WithCancel(ctx)
	timer := newListTimer(limit, cancel)
	w, err := r.openWatch(ctx, metav1.ListOptions{
		ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		SendInitialEvents: &initial,
	})
	var list []*object.Object
	if err == nil {
		end := w.cancel
		w.cancel = func() { end(); cancel() }
		list, version, err = r.readStreamedList(ctx, w, timer)
	}
	if !timer.timer.Stop() {
		err = errListEndless
	}
	if err != nil {
		if w != nil {
			w.close()
		}
		cancel()
		return nil, err
	}
	r.listed(ctx, list, version)
	// The watch begins here: what comes from now on decides whether it is too short.
	w.begun, w.events = time.Now(), 0
	return w, nil
}

// readStreamedList reads up to the bookmark that ends the list, whose version it returns. Changes
// may be mixed into the list; none of it reaches the queue before the end.
func (r *Reflector) readStreamedList(ctx context.Context, w *watchStream,
	timer *listTimer) ([]*object.Object, string, error) {
	defer r.malformed.report(r.Log)
	var list streamedList
	changed := false
	for {
		frame, err := w.Next(r.skipInList)
		if err != nil {
			return nil, "", w.listEnd(err)
		}
		w.events++
		isNew := false
		switch typ := frame.Type; {
		case frame.Foreign:
			r.Foreign.Add(1)
			isNew = typ == "ADDED"
		case typ == "ADDED", typ == "MODIFIED":
			// The texts of a whole list would be many times the store.
			isNew = list.put(frame.Object.Stored())
		case typ == "DELETED":
			list.remove(frame.Object.Key())
		case typ == "BOOKMARK":
			bookmark, err := wire.ReadBookmark(frame.Text)
			if err != nil {
				return nil, "", err
			}
			if bookmark.EndsList {
				return list.objects(), bookmark.Version, nil
			}
		case typ == "ERROR":
			return nil, "", wire.StatusError(frame.Text)
		default:
			return nil, "", fmt.Errorf("frame of unknown type %.20q", frame.Type)
		}
		if !changed && (!isNew || frame.Type != "ADDED") {
			changed = true
			timer.changed()
		}
		if isNew && !timer.listed() {
			return nil, "", errListEndless
		}
	}
}

// listEnd is the error of a streamed list whose stream ended, or could not be read.
func (w *watchStream) listEnd(err error) error {
	switch end := w.endOf(err); {
	case end == needsList || w.tooShort():
		return err
	case end == lost:
		return fmt.Errorf("%w: %w", errListLost, err)
	default:
		return errListCut
	}
}

// streamedList collects the objects of a streamed list, into which changes may be mixed, in the
// order in which they came first.
type streamedList struct {
	place map[event.Key]int
	list  []*object.Object // nil where an object was deleted again
}

// put adds an object or replaces it, and reports whether it is new.
func (l *streamedList) put(o *object.Object) bool {
	key := o.Key()
	if i, ok := l.place[key]; ok {
		l.list[i] = o
		return false
	}
	if l.place == nil {
		l.place = map[event.Key]int{}
	}
	l.place[key] = len(l.list)
	l.list = append(l.list, o)
	return true
}

func (l *streamedList) remove(key event.Key) {
	if i, ok := l.place[key]; ok {
		l.list[i] = nil
		delete(l.place, key)
	}
}

func (l *streamedList) objects() []*object.Object {
	objects := l.list[:0]
	for _, o := range l.list {
		if o != nil {
			objects = append(objects, o)
		}
	}
	return objects
}
