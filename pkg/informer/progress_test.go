package informer

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// What a worker leaves at a failed event is there at the event's retries, and at no other event,
// whatever its object.
func TestProgressBelongsToOneEvent(t *testing.T) {
	inWorld(t, func(w *world) {
		reg, sub := w.hang(SubscriptionConfig{})
		w.applyEach("a", "a", "b")
		next := func(want, progress string) Delivery {
			t.Helper()
			d, err := sub.Next(w.ctx)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(d.Progress); story(d.Event) != want || got != progress {
				t.Errorf("%s with %s, want %s with %s", story(d.Event), got, want, progress)
			}
			return d
		}
		retry := func(d Delivery, progress Progress) {
			d.Progress = progress
			d.Retry(0)
			synctest.Wait()
			time.Sleep(time.Nanosecond) // its timer
		}
		a, b := next("add a/1 101", "<nil>"), next("add b/1 103", "<nil>")
		retry(a, note("first"))
		retry(next("add a/1 101", "first"), note("second"))
		d := next("add a/1 101", "second")
		d.Done()
		b.Done()
		retry(next("update a/1 102 was 101", "<nil>"), note("third"))
		reg.Remove() // what was parked goes, and its progress with it

		reg, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub)
		if err != nil {
			t.Fatal(err)
		}
		defer reg.Remove()
		d = next("add a/1 102*", "<nil>")
		reg.Remove()
		retry(d, note("fourth")) // nobody wants it any more
		if s := sub.Stats(); s.Held != 0 || sub.buf.Busy(d.Object.Key()) || !sub.buf.Empty() {
			t.Errorf("%+v", s)
		}
	})
}
