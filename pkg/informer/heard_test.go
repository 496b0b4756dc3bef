package informer

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
)

// relists returns the lists that were not the first one, by reason.
func (w *world) relists() map[string]uint64 {
	all := maps.Clone(w.factory.Status()[0].Relists)
	maps.DeleteFunc(all, func(_ string, n uint64) bool { return n == 0 })
	return all
}

func TestWhyAListWasNeeded(t *testing.T) {
	for want, trouble := range map[string]func(*world){
		"":           func(w *world) { w.server.disconnect(false) },
		"expired":    func(w *world) { w.server.disconnect(true) },
		"unreadable": func(w *world) { w.server.raw(`garbage`) },
		"error":      func(w *world) { w.server.raw(errorFrame(500, metav1.StatusReasonInternalError)) },
		"refused": func(w *world) {
			first := len(w.server.watched())
			w.server.failWatch = func(n int, _ metav1.ListOptions) error {
				if n == first+1 {
					return notFound()
				}
				return nil
			}
			w.server.disconnect(false)
		},
		"failures": func(w *world) {
			first := len(w.server.watched())
			w.server.failWatch = func(n int, _ metav1.ListOptions) error {
				if n > first && n <= first+maxFailedWatches {
					return serverError()
				}
				return nil
			}
			w.server.disconnect(false)
		},
	} {
		t.Run(want, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.subscribe(SubscriptionConfig{})
				synctest.Wait()
				if got := w.relists(); len(got) > 0 {
					t.Errorf("the first list counts as %v", got)
				}
				time.Sleep(2 * time.Second)
				trouble(w)
				for range 20 {
					time.Sleep(time.Minute)
				}
				got := w.relists()
				if want == "" && len(got) == 0 || len(got) == 1 && got[want] == 1 {
					return
				}
				t.Errorf("got %v", got)
			})
		})
	}
}

// What comes from the server is heard: an event, a bookmark, and the answer to a request.
func TestWhenTheServerWasHeard(t *testing.T) {
	inWorld(t, func(w *world) {
		r, _, _ := w.subscribe(SubscriptionConfig{})
		synctest.Wait()
		silence := func(want time.Duration) {
			t.Helper()
			synctest.Wait()
			got := time.Since(w.factory.Status()[0].Heard)
			if got < want || got > want+time.Second {
				t.Errorf("nothing was heard for %v, want %v", got, want)
			}
		}
		silence(0)
		before := w.factory.Status()[0].Received
		time.Sleep(time.Minute)
		silence(time.Minute)
		w.server.apply("a", "1", "")
		e := r.take()
		silence(0)
		if after := w.factory.Status()[0].Received; len(e) != 1 || after < before+100 {
			t.Errorf("%v, after %d bytes, and %d before", e, after, before)
		}
		time.Sleep(time.Minute)
		w.server.bookmark(150)
		silence(0)
		time.Sleep(time.Minute)
		silence(time.Minute)
		w.server.disconnect(false)
		time.Sleep(time.Second)
		silence(time.Second)
	})
}

// What a watch brings has arrived with it, and nothing of a list or a resync has. What waits, or is
// being handled, has the age of its first event. What did not arrive has one since it came to its
// listener.
func TestWhenEventsArrived(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("listed", "1", "")
		_, sub := w.hang(SubscriptionConfig{Capacity: 1, Resync: time.Hour})
		age := func(want time.Duration) {
			t.Helper()
			if got := time.Since(sub.Stats().Oldest.Time()); got != want {
				t.Errorf("the oldest is %v old, want %v", got, want)
			}
		}
		first := w.next(sub)
		if first.Arrived != 0 {
			t.Errorf("what was listed arrived at %d", first.Arrived)
		}
		age(0)
		time.Sleep(time.Minute)
		begun := time.Now()
		w.server.apply("a", "2", "")
		time.Sleep(time.Minute)
		w.server.apply("a", "2", "")
		time.Sleep(time.Minute)
		age(3 * time.Minute)
		first.Done()
		age(2 * time.Minute)
		d := w.next(sub)
		if at := d.Arrived.Time(); !at.Equal(begun) || d.Missed != 1 {
			t.Errorf("%d events were merged into one of %v, want %v", d.Missed, at, begun)
		}
		d.Retry(time.Minute)
		age(2 * time.Minute)
		time.Sleep(time.Minute)
		d = w.next(sub)
		age(3 * time.Minute)
		d.Done()
		time.Sleep(time.Hour)
		d = w.next(sub)
		time.Sleep(time.Minute)
		if d.Op != event.Resync || d.Arrived != 0 {
			t.Errorf("a %v arrived at %d", d.Op, d.Arrived)
		}
		age(time.Minute)
		d.Retry(time.Minute)
		other := w.next(sub)
		other.Done()
		time.Sleep(time.Minute)
		d = w.next(sub)
		age(2 * time.Minute)
		d.Done()
		if at := sub.Stats().Oldest; at != 0 {
			t.Errorf("of nothing, the oldest came at %d", at)
		}
	})
}
