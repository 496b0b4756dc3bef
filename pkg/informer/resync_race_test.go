package informer

import (
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"

	"github.com/informerd/informerd/pkg/informer/internal/queue"
)

// An object that is deleted and comes back with the same UID, as with a selector, in the middle of
// a resync of a subscription that wants no updates: the worker who is at the object just then does
// not get its resync before its add.
func TestAResyncDoesNotOvertakeWhatIsBeingApplied(t *testing.T) {
	synctest.Test(t, resyncWhileApplying)
}

func resyncWhileApplying(t *testing.T) {
	const rounds = 2000
	c, list := stocked(1)
	sub, err := NewSubscription(SubscriptionConfig{Resync: time.Second,
		On: event.OpSet(0).With(event.Add).With(event.Delete).With(event.Resync)})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	c.proc.join(sub, c.store, now)
	var wg sync.WaitGroup
	resyncs := 0
	wg.Go(func() {
		added := 0
		for {
			d, err := sub.Next(t.Context())
			if errors.Is(err, ErrStopped) {
				return
			}
			version, _ := strconv.Atoi(d.Object.ResourceVersion())
			switch d.Op {
			case event.Add:
				added = version
			case event.Resync:
				resyncs++
				if version > added {
					t.Errorf("a resync of %d, the last add was of %d", version, added)
				}
			}
			d.Done()
		}
	})
	for i := range rounds {
		now = now.Add(time.Second)
		c.proc.startResync(now, c.store)
		c.proc.wake()
		c.apply(&queue.Delta{Type: queue.Deleted, Object: list[0]})
		c.apply(&queue.Delta{Type: queue.Added, Object: obj("pod-0", "u", i+2)})
		c.proc.wake()
	}
	// One resync that nothing disturbs.
	synctest.Wait()
	c.proc.startResync(now.Add(time.Second), c.store)
	c.proc.wake()
	synctest.Wait()
	sub.Stop()
	wg.Wait()
	if resyncs == 0 {
		t.Error("there was no resync at all")
	}
}
