package daemon

import (
	"context"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer"
)

// lookAgain has rules and a select look at all objects again after a restart, once informers have
// caught up. Before, they are as they were when informerd stopped: what is due by the time that has
// passed would be reported of objects that are gone, or other ones by now. What a reload has to ask
// until then waits with it.
func (s *shard) lookAgain(ctx context.Context, l *listener) {
	select {
	case <-l.wentOn:
	case <-ctx.Done():
		return
	}
	if awaitCaughtUp(ctx, l.registrations) != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.behind = false
	l.rescanDue(s)
	s.log.Debug("the listener has caught up after the restart", "listener", l.name)
}

// How long informers are waited for, see awaitCaughtUp.
const (
	quietFor = time.Second
	openFor  = 10 * time.Second
)

// caching is an informer that is waited for.
type caching interface {
	comparable
	Status() informer.Status
}

// awaitCaughtUp blocks until the informers that there are, which begin with what a checkpoint has of
// them, have what happened since. The error is ctx's.
//
//   - One that has listed, or has got a bookmark, has. So has one to which nothing has come for
//     quietFor since its watch began: a server has what happened meanwhile in its memory, and sends
//     all of it at once. It is enough if a watch is open for openFor, with events all the time.
//   - One that cannot list or watch is waited for. If others can, it is for openFor alone: they must
//     not wait for a namespace that is forbidden.
//   - One that is exchanged for another one meanwhile is not waited for any more.
func awaitCaughtUp[I caching](ctx context.Context, all func() []I) error {
	begun, synced := time.Now(), map[I]time.Time{} // when that was seen of each
	for !caughtUp(all(), begun, synced) {
		if err := backoff.Sleep(ctx, lookEach); err != nil {
			return err
		}
	}
	return nil
}

func caughtUp[I caching](all []I, begun time.Time, synced map[I]time.Time) bool {
	now, failing := time.Now(), 0
	for _, one := range all {
		s := one.Status()
		if s.Synced && synced[one].IsZero() {
			synced[one] = now
		}
		open := s.Synced && now.Sub(synced[one]) >= openFor
		quiet := s.Lists+s.Bookmarks > 0 || now.Sub(s.Heard) >= quietFor
		switch {
		case s.Err != nil && now.Sub(begun) >= openFor:
			failing++
		case s.Err != nil || !s.Synced || !open && (s.Queued > 0 || !quiet):
			return false
		}
	}
	return failing < len(all) || len(all) == 0
}
