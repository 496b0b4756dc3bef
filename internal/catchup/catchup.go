// Package catchup waits until informers that begin with what a checkpoint has of them have what
// happened since.
//
//   - One that has listed, or has got a bookmark, has. So has one to which nothing has come for
//     QuietFor since its watch began: a server has what happened meanwhile in its memory, and sends
//     all of it at once. It is enough if a watch is open for OpenFor, with events all the time.
//   - One that cannot list or watch is waited for. If others can, it is for OpenFor alone: they must
//     not wait for a namespace that is forbidden.
//   - One that is exchanged for another one meanwhile is not waited for any more.
package catchup

import (
	"context"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer"
)

// How long informers are waited for, see above.
const (
	QuietFor = time.Second
	OpenFor  = 10 * time.Second
)

// lookEach is how often they are looked at.
const lookEach = 50 * time.Millisecond

// Informer is one that is waited for.
type Informer interface {
	comparable
	Status() informer.Status
}

// Wait blocks until the informers that there are have caught up. The error is ctx's.
func Wait[I Informer](ctx context.Context, all func() []I) error {
	begun, synced := time.Now(), map[I]time.Time{} // when that was seen of each
	for !caughtUp(all(), begun, synced) {
		if err := backoff.Sleep(ctx, lookEach); err != nil {
			return err
		}
	}
	return nil
}

func caughtUp[I Informer](all []I, begun time.Time, synced map[I]time.Time) bool {
	now, failing := time.Now(), 0
	for _, one := range all {
		s := one.Status()
		if s.Synced && synced[one].IsZero() {
			synced[one] = now
		}
		open := s.Synced && now.Sub(synced[one]) >= OpenFor
		quiet := s.Lists+s.Bookmarks > 0 || now.Sub(s.Heard) >= QuietFor
		switch {
		case s.Err != nil && now.Sub(begun) >= OpenFor:
			failing++
		case s.Err != nil || !s.Synced || !open && (s.Queued > 0 || !quiet):
			return false
		}
	}
	return failing < len(all) || len(all) == 0
}
