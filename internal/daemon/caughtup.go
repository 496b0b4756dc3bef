package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer"
)

// How an informer that begins with what a checkpoint has is known to have caught up, unless it has
// listed, or got a bookmark. A server has what happened meanwhile in its memory, and sends all of
// it as soon as a watch begins.
const (
	quietFor = time.Second      // nothing has come for so long since the watch began
	openFor  = 10 * time.Second // or the watch is open for so long, with events all the time
	lookEach = 50 * time.Millisecond
)

// lookAgain has rules and a select look at all objects again after a restart, once informers have
// caught up. Before, they are as they were when informerd stopped: what is due by the time that has
// passed would be reported of objects that are gone, or other ones by now.
func (l *listener) lookAgain(ctx context.Context, log *slog.Logger) {
	select {
	case <-l.wentOn:
	case <-ctx.Done():
		return
	}
	if untilCaughtUp(ctx, l.registrations()) != nil {
		return
	}
	if l.subscription.Rescanning() { // else a reload has done it
		l.subscription.Rescan()
	}
	log.Debug("the listener has caught up after the restart", "listener", l.name)
}

// untilCaughtUp waits until informers have what happened while nobody looked. The error is ctx's.
func untilCaughtUp(ctx context.Context, regs []*informer.Registration) error {
	if err := informer.WaitForSync(ctx, regs...); err != nil {
		return err
	}
	for begun := time.Now(); !caughtUp(regs, begun); {
		if err := backoff.Sleep(ctx, lookEach); err != nil {
			return err
		}
	}
	return nil
}

// caughtUp reports whether the informers have what happened while nobody looked. They have synced
// by a time: with a list, or since their watches have begun.
func caughtUp(regs []*informer.Registration, since time.Time) bool {
	for _, reg := range regs {
		s := reg.Status()
		caught := s.Queued == 0 && (s.Lists+s.Bookmarks > 0 || time.Since(s.Heard) >= quietFor)
		if !caught && time.Since(since) < openFor {
			return false
		}
	}
	return true
}
