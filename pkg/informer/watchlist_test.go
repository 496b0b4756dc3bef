package informer

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTheFirstListIsStreamed(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.streams = true
		w.server.apply("a", "1", "")
		w.server.apply("b", "2", "")
		r, reg, _ := w.subscribe(SubscriptionConfig{})
		expect(t, r.take(), "add a/1 101*", "add b/2 102*")
		w.server.apply("a", "1", "")
		expect(t, r.take(), "update a/1 103 was 101")
		asked := w.server.watched()
		if len(w.server.listed()) != 0 || len(asked) != 1 || !reg.HasSynced() {
			t.Errorf("%d lists, %d watches, synced %t", len(w.server.listed()), len(asked),
				reg.HasSynced())
		}
		first := asked[0]
		if first.ResourceVersion != "" ||
			first.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan ||
			!first.AllowWatchBookmarks ||
			first.TimeoutSeconds == nil || !*first.SendInitialEvents {
			t.Errorf("%+v", first)
		}

		// A relist streams, too, from the last version; what went meanwhile is a tombstone.
		w.server.remove("b", true)
		w.server.disconnect(true)
		time.Sleep(2 * time.Minute)
		expect(t, r.take(), "delete b/2 102?")
		streamed := slices.DeleteFunc(w.server.watched(), func(o metav1.ListOptions) bool {
			return o.SendInitialEvents == nil
		})
		// The fake server has nothing newer than what it calls expired, so "" is refused as often
		// as it is asked.
		if len(streamed) != 4 || streamed[1].ResourceVersion != "103" ||
			streamed[2].ResourceVersion != "" || streamed[3].ResourceVersion != "" {
			t.Errorf("%+v", streamed)
		}
	})
}

func TestNothingIsTakenBeforeTheEndOfAStreamedList(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.streams, w.server.noEnd = true, true
		w.server.apply("a", "1", "")
		w.server.apply("b", "2", "")
		r, reg, _ := w.subscribe(SubscriptionConfig{})
		w.server.apply("a", "1", "") // changes are mixed into the list
		w.server.remove("b")
		w.server.apply("c", "3", "")
		w.server.raw(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"106","annotations":{"k8s.io/initial-events-end":"TRUE"}}}}`)
		expect(t, r.take())
		if reg.shared.informer.queue.HasSynced() {
			t.Error("synced before the marked bookmark")
		}
		w.server.raw(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"107","annotations":{"k8s.io/initial-events-end":"true"}}}}`)
		expect(t, r.take(), "add a/1 103*", "add c/3 105*")
		if s := w.factory.Status()[0]; s.ResourceVersion != "107" || !s.Synced {
			t.Errorf("%+v", s)
		}
	})
}

func TestAServerThatIgnoresTheRequestIsAskedForPages(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.streams, w.server.noEnd = true, true
		w.server.apply("a", "1", "")
		r, _, _ := w.subscribe(SubscriptionConfig{})
		expect(t, r.take())
		time.Sleep(watchListIdle + time.Second)
		expect(t, r.take(), "add a/1 101*")
		w.server.disconnect(true)
		time.Sleep(2 * time.Minute)
		if n := len(w.server.listed()); n != 2 {
			t.Errorf("%d lists: it was asked to stream again", n)
		}
	})
}

func TestAStreamedListThatIsCut(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.streams, w.server.noEnd = true, true
		w.server.apply("a", "1", "")
		r, _, _ := w.subscribe(SubscriptionConfig{})
		for try := range 3 {
			if n := len(w.server.watched()); n != try+1 {
				t.Errorf("%d watches after %d cuts", n, try)
			}
			w.server.disconnect(false)
			synctest.Wait() // without a backoff
		}
		expect(t, r.take(), "add a/1 101*")
		if len(w.server.listed()) != 1 {
			t.Errorf("%d lists", len(w.server.listed()))
		}
	})
}

func TestStreamedListFailures(t *testing.T) {
	for name, c := range map[string]struct {
		failure func(opts metav1.ListOptions) error
		lists   int
	}{
		"busy is asked again": {
			func(metav1.ListOptions) error { return tooManyRequests() }, 0},
		"any other falls back to pages": {
			func(metav1.ListOptions) error { return serverError() }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.server.streams = true
				w.server.apply("a", "1", "")
				w.server.failWatch = func(n int, opts metav1.ListOptions) error {
					if n <= 2 && opts.SendInitialEvents != nil {
						return c.failure(opts)
					}
					return nil
				}
				r, _, _ := w.subscribe(SubscriptionConfig{})
				time.Sleep(time.Minute)
				expect(t, r.take(), "add a/1 101*")
				if n := len(w.server.listed()); n != c.lists {
					t.Errorf("%d lists", n)
				}
			})
		})
	}
}

func TestAStreamedRelistOfAnExpiredVersion(t *testing.T) {
	for name, failure := range map[string]error{"expired": expired(), "too large": tooLarge()} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.server.streams = true
				r, _, _ := w.subscribe(SubscriptionConfig{})
				w.server.apply("a", "1", "", true)
				w.server.failWatch = func(_ int, opts metav1.ListOptions) error {
					if opts.ResourceVersion != "" {
						return failure
					}
					return nil
				}
				w.server.disconnect(false)
				time.Sleep(time.Minute)
				expect(t, r.take(), "add a/1 101")
				if n := len(w.server.listed()); n != 0 {
					t.Errorf("%d lists", n)
				}
			})
		})
	}
}
