package informer

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Item 35: what an error in a streamed list leads to. Nothing but a busy server costs time.
func TestErrorsInAStreamedList(t *testing.T) {
	for name, c := range map[string]struct {
		frame   string
		streams []string // the versions streamed lists are asked for at
		lists   int
		waits   bool
	}{
		"expired": {errorFrame(410, metav1.StatusReasonExpired), []string{"", "101", ""}, 0,
			false},
		"gone": {errorFrame(410, metav1.StatusReasonGone), []string{"", "101", ""}, 0,
			false},
		"busy": {errorFrame(429, metav1.StatusReasonTooManyRequests),
			[]string{"", "101", "101"}, 0, true},
		"internal error": {errorFrame(500, metav1.StatusReasonInternalError), []string{"", "101"},
			1, false},
		"garbage":      {`garbage`, []string{"", "101"}, 1, false},
		"unknown type": {`{"type":"GUESS","object":{}}`, []string{"", "101"}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newFakeServer()
				server.streams = true
				var mu sync.Mutex
				var asked []string
				var failed time.Time
				versions := func() []string {
					mu.Lock()
					defer mu.Unlock()
					return slices.Clone(asked)
				}
				_, r, stop := alone(t, listWatch{
					list: server.List,
					watch: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser,
						error) {
						if opts.SendInitialEvents != nil {
							mu.Lock()
							defer mu.Unlock()
							asked = append(asked, opts.ResourceVersion)
							if len(asked) == 2 {
								failed = time.Now()
								return io.NopCloser(io.MultiReader(strings.NewReader(c.frame+"\n"),
									&quietBody{ctx})), nil
							}
						}
						return server.Watch(ctx, opts)
					},
				}, nil)
				defer stop()
				synctest.Wait()
				server.apply("a", "1", "")
				synctest.Wait()
				server.raw(errorFrame(500, metav1.StatusReasonInternalError))
				server.apply("b", "2", "", true)
				for len(versions()) < 2 { // until the new list is due
					time.Sleep(backoffMin / 100)
					synctest.Wait()
				}
				if c.waits {
					time.Sleep(time.Minute)
				}
				expect(t, r.take(), "add a/1 101", "add b/2 103")
				expect(t, versions(), c.streams...)
				mu.Lock()
				defer mu.Unlock()
				if len(server.listed()) != c.lists || !c.waits &&
					time.Since(failed) > backoffMin/100 {
					t.Errorf("%d lists, %v after the error", len(server.listed()),
						time.Since(failed))
				}
			})
		})
	}
}

// Item 35: nothing listens for a while; the streamed list is asked for again, and pages never.
func TestRefusedStreamedListsAreAskedForAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.streams = true
		w.server.apply("a", "1", "")
		w.server.failWatch = func(n int, _ metav1.ListOptions) error {
			if n <= 3 {
				return &netError{syscall.ECONNREFUSED}
			}
			return nil
		}
		r, _, _ := w.subscribe(SubscriptionConfig{})
		if s := w.factory.Status()[0]; s.Err == nil {
			t.Error("the status does not tell")
		}
		time.Sleep(time.Minute)
		expect(t, r.take(), "add a/1 101*")
		if len(w.server.listed()) != 0 || w.factory.Status()[0].Err != nil {
			t.Errorf("%d lists, %v", len(w.server.listed()), w.factory.Status()[0].Err)
		}
	})
}

// Item 33: the version of a streamed list is the bookmark's, whatever the objects in it carry.
func TestAStreamedListHasTheVersionOfItsBookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watches := 0
		inf, r, stop := alone(t, listWatch{
			list: newFakeServer().List,
			watch: func(ctx context.Context, _ metav1.ListOptions) (io.ReadCloser, error) {
				if watches++; watches > 1 {
					return quiet(ctx), nil
				}
				frames := fmt.Sprintf(`{"type":"ADDED","object":%s}{"type":"MODIFIED","object":%s}`,
					podText("a", "1", 500, ""), podText("b", "2", 400, ""))
				end := `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"450","annotations":{"k8s.io/initial-events-end":"true"}}}}`
				return io.NopCloser(io.MultiReader(strings.NewReader(frames+end), &quietBody{ctx})),
					nil
			},
		}, nil)
		expect(t, r.take(), "add a/1 500*", "add b/2 400*")
		if s := inf.Status(); s.ResourceVersion != "450" || watches != 1 {
			t.Errorf("%+v, %d watches", s, watches)
		}
		stop()
	})
}

// Items 18 and 33: the watch behind a streamed list begins with the end of the list. A stream that
// ends with its list was a watch that ended at once.
func TestAStreamThatEndsWithItsListIsAShortWatch(t *testing.T) {
	for after, atOnce := range map[time.Duration]bool{0: false, shortWatch: true} {
		inWorld(t, func(w *world) {
			w.server.streams = true
			w.server.apply("a", "1", "")
			w.subscribe(SubscriptionConfig{})
			time.Sleep(after)
			w.server.disconnect(false)
			synctest.Wait()
			if again := len(w.server.watched()) == 2; again != atOnce {
				t.Errorf("after %v: watched again at once: %t", after, again)
			}
			time.Sleep(2 * backoffMin)
			if watches := w.server.watched(); len(watches) != 2 ||
				watches[1].SendInitialEvents != nil {
				t.Errorf("after %v: %+v", after, watches)
			}
		})
	}
}

// Item 36: a server that refuses streamed lists is asked for pages in the same attempt; it is asked
// again later, because it may be another one after an upgrade.
func TestAServerThatRefusesStreamedListsIsAskedForPagesAtOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		begun := time.Now()
		r, _, _ := w.subscribe(SubscriptionConfig{})
		expect(t, r.take(), "add a/1 101*")
		if time.Since(begun) != 0 || w.factory.Status()[0].Err != nil {
			t.Errorf("after %v, %v", time.Since(begun), w.factory.Status()[0].Err)
		}
		w.server.streams = true
		w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
		time.Sleep(2 * backoffMin)
		if len(w.server.listed()) != 1 || w.server.watched()[1].SendInitialEvents == nil {
			t.Errorf("%d lists, %+v", len(w.server.listed()), w.server.watched())
		}
	})
}
