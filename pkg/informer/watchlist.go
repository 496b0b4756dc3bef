package informer

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	// watchListIdle is how long a streamed list may send nothing, before the server is taken for one that ignores the
	// request: such servers begin a plain watch and never send the bookmark that ends the list (kubernetes#135895).
	watchListIdle = 30 * time.Second
	// watchListTries is how often a streamed list that the server cuts is asked for anew, before pages are.
	watchListTries = 3
)

// watchList asks for the list as the beginning of a watch: first the objects there are, one frame each, then a bookmark
// that says so, then the changes, all in one stream. That spares both sides the memory of pages. It gives the stream
// once the list is in the queue, or nil if the list has to be asked for in pages.
func (r *reflector) watchList(ctx context.Context) (*watchStream, error) {
	version := r.last
	for try := 1; !r.noWatchList && try <= watchListTries; try++ {
		if r.unavailable {
			version = ""
		}
		w, err := r.streamList(ctx, version)
		switch {
		case err == nil:
			return w, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case isBusy(err):
			if err := r.wait(ctx, err); err != nil {
				return nil, err
			}
			try-- // the server has not answered yet
		case isExpired(err) || isTooLarge(err):
			r.unavailable = true
		case errors.Is(err, errListCut):
		case errors.Is(err, errListIdle):
			r.noWatchList = true
			r.log.Info("the API server does not stream lists, asking for pages from now on", "error", err)
		default:
			r.log.Debug("the API server does not stream this list, asking for pages", "error", err)
			return nil, nil
		}
	}
	return nil, nil
}

var (
	errListCut  = errors.New("the stream ended before the list did")
	errListIdle = fmt.Errorf("the stream sent nothing for %v and no end of the list", watchListIdle)
)

// streamList is one try. On success the list is in the queue, and the stream is the caller's.
func (r *reflector) streamList(ctx context.Context, version string) (*watchStream, error) {
	initial := true
	w, err := r.openWatch(ctx, metav1.ListOptions{
		ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, SendInitialEvents: &initial,
	})
	if err != nil {
		return nil, err
	}
	idle := time.AfterFunc(watchListIdle, w.cancel)
	list, version, err := r.readStreamedList(ctx, w, idle)
	if !idle.Stop() {
		err = errListIdle
	}
	if err != nil {
		w.close()
		return nil, err
	}
	r.queue.replace(list, r.store)
	r.unavailable = false
	r.setVersion(version)
	r.note(func(s *reflectorStatus) { s.lists++ })
	w.begun, w.events = time.Now(), 0 // the watch begins here: what is to come decides whether it is too short
	return w, nil
}

// readStreamedList reads up to the bookmark that ends the list, whose version it gives. Changes may be mixed into the
// list; none of it reaches the queue before the end. idle is put off with each frame.
func (r *reflector) readStreamedList(ctx context.Context, w *watchStream, idle *time.Timer) ([]*event.Object, string, error) {
	var list replaced
	for {
		frame, err := w.next(r.skip)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil, "", ctx.Err()
		case isStreamEnd(err) && !w.tooShort():
			return nil, "", errListCut
		default:
			return nil, "", err
		}
		w.events++
		switch frame.Type {
		case "ADDED", "MODIFIED":
			list.put(frame.Object.Stored()) // the texts of a whole list would be many times the store
		case "DELETED":
			list.remove(frame.Object.Key())
		case "BOOKMARK":
			mark, err := readBookmark(frame.Text)
			if err != nil {
				return nil, "", err
			}
			if mark.endsList {
				return list.objects(), mark.version, nil
			}
		case "ERROR":
			return nil, "", statusError(frame.Text)
		default:
			return nil, "", fmt.Errorf("frame of unknown type %.20q", frame.Type)
		}
		if !idle.Stop() {
			return nil, "", errListIdle
		}
		idle.Reset(watchListIdle)
	}
}

// replaced collects a streamed list, into which changes may be mixed, in the order in which the objects came first.
type replaced struct {
	place map[event.Key]int
	list  []*event.Object // nil where an object went again
}

func (l *replaced) put(o *event.Object) {
	key := o.Key()
	if i, ok := l.place[key]; ok {
		l.list[i] = o
		return
	}
	if l.place == nil {
		l.place = map[event.Key]int{}
	}
	l.place[key] = len(l.list)
	l.list = append(l.list, o)
}

func (l *replaced) remove(key event.Key) {
	if i, ok := l.place[key]; ok {
		l.list[i] = nil
		delete(l.place, key)
	}
}

func (l *replaced) objects() []*event.Object {
	objects := l.list[:0]
	for _, o := range l.list {
		if o != nil {
			objects = append(objects, o)
		}
	}
	return objects
}
