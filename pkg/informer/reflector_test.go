package informer

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func expired() error { return apierrors.NewResourceExpired("too old resource version") }

func tooLarge() error {
	return apierrors.NewTimeoutError("Too large resource version: 7, current: 5", 1)
}

func TestRefusedAndBusyWatchesNeedNoNewList(t *testing.T) {
	for name, failure := range map[string]error{
		"refused": &netError{syscall.ECONNREFUSED},
		"busy":    tooManyRequests(),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.server.failWatch = func(n int, _ metav1.ListOptions) error {
					if n <= 3 {
						return failure
					}
					return nil
				}
				r, _, _ := w.subscribe(SubscriptionConfig{})
				time.Sleep(time.Minute)
				w.server.apply("a", "1", "")
				expect(t, r.take(), "add a/1 101")
				if len(w.server.listed()) != 1 || len(w.server.watched()) != 4 {
					t.Errorf("%d lists, %d watches", len(w.server.listed()),
						len(w.server.watched()))
				}
			})
		})
	}
}

// netError is what net/http returns when nothing listens.
type netError struct{ errno syscall.Errno }

func (e *netError) Error() string { return "dial tcp: " + e.errno.Error() }
func (e *netError) Unwrap() error { return e.errno }

func TestAWatchThatIsRefusedNeedsANewListAfterABackoff(t *testing.T) {
	inWorld(t, func(w *world) {
		begun := time.Now()
		w.server.failWatch = func(n int, _ metav1.ListOptions) error {
			if n == 1 {
				return notFound()
			}
			return nil
		}
		w.subscribe(SubscriptionConfig{})
		synctest.Wait()
		if s := w.factory.Status()[0]; s.Err == nil ||
			!strings.HasPrefix(s.Err.Error(), "failed to watch pods: ") {
			t.Errorf("status does not tell: %v", s.Err)
		}
		time.Sleep(time.Minute)
		if len(w.server.listed()) != 2 || w.server.listed()[1].ResourceVersion != "100" ||
			w.server.listed()[1].Limit != 0 {
			t.Errorf("%+v", w.server.listed())
		}
		if s := w.factory.Status()[0]; s.Err != nil || time.Since(begun) < backoffMin {
			t.Errorf("%+v after %v", s, time.Since(begun))
		}
	})
}

func TestAVersionTheServerDoesNotHaveIsListedAnewAtOnce(t *testing.T) {
	for name, failure := range map[string]error{"expired": expired(), "too large": tooLarge()} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.server.failList = func(n int, opts metav1.ListOptions) error {
					if opts.ResourceVersion != "" {
						return failure
					}
					return nil
				}
				w.server.apply("a", "1", "")
				r, _, _ := w.subscribe(SubscriptionConfig{})
				expect(t, r.take(), "add a/1 101*") // no time has passed
				if len(w.server.listed()) != 2 || w.server.listed()[1].ResourceVersion != "" ||
					w.server.listed()[1].Limit != pageSize {
					t.Errorf("%+v", w.server.listed())
				}
			})
		})
	}
}

func TestAWatchThatEndsIsRepeatedFromTheLastVersion(t *testing.T) {
	inWorld(t, func(w *world) {
		r, _, _ := w.subscribe(SubscriptionConfig{})
		synctest.Wait()
		w.server.apply("a", "1", "")
		r.take()
		w.server.raw(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"102"}}}`)
		synctest.Wait()
		w.server.disconnect(false)
		synctest.Wait() // no backoff: no time has passed
		if n := len(w.server.watched()); n != 2 || w.server.watched()[1].ResourceVersion != "102" ||
			!w.server.watched()[1].AllowWatchBookmarks {
			t.Errorf("%+v", w.server.watched())
		}
		if s := *w.server.watched()[0].TimeoutSeconds; s < 300 || s > 600 {
			t.Errorf("watch timeout %d s", s)
		}
		w.server.apply("b", "2", "")
		expect(t, r.take(), "add b/2 103")
		if len(w.server.listed()) != 1 {
			t.Errorf("%d lists", len(w.server.listed()))
		}
	})
}

func TestAWatchThatEndsAtOnceIsRepeatedAfterABackoff(t *testing.T) {
	inWorld(t, func(w *world) {
		w.subscribe(SubscriptionConfig{})
		synctest.Wait()
		w.server.disconnect(false)
		synctest.Wait()
		if len(w.server.watched()) != 1 {
			t.Error("watched without a backoff")
		}
		time.Sleep(2 * backoffMin)
		if len(w.server.watched()) != 2 || len(w.server.listed()) != 1 {
			t.Errorf("%d watches, %d lists", len(w.server.watched()), len(w.server.listed()))
		}
	})
}

func TestErrorFrames(t *testing.T) {
	status := func(code int, reason metav1.StatusReason) string {
		return fmt.Sprintf(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":%q,"code":%d}}`, reason, code)
	}
	for name, c := range map[string]struct {
		frame string
		lists int
	}{
		"expired is listed again":        {status(410, metav1.StatusReasonExpired), 2},
		"busy is watched again":          {status(429, metav1.StatusReasonTooManyRequests), 1},
		"unavailable is watched again":   {status(503, metav1.StatusReasonServiceUnavailable), 1},
		"a timeout is watched again":     {status(504, metav1.StatusReasonTimeout), 1},
		"internal error is listed again": {status(500, metav1.StatusReasonInternalError), 2},
		"unknown type is listed again":   {`{"type":"GUESS","object":{}}`, 2},
		"garbage is listed again":        {`garbage`, 2},
		"half a frame is listed again":   {`{"type":"ADDED","object":{"metadata":}`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				r, _, _ := w.subscribe(SubscriptionConfig{})
				synctest.Wait()
				w.server.raw(c.frame)
				time.Sleep(time.Minute)
				w.server.apply("a", "1", "")
				expect(t, r.take(), "add a/1 102")
				if len(w.server.listed()) != c.lists {
					t.Errorf("%d lists, want %d", len(w.server.listed()), c.lists)
				}
			})
		})
	}
}

func TestWhatIsNoObjectIsSkippedAndCounted(t *testing.T) {
	inWorld(t, func(w *world) {
		r, _, _ := w.subscribe(SubscriptionConfig{})
		synctest.Wait()
		w.server.raw(`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{}}}`)
		w.server.raw(`{"type":"ADDED","object":null}`)
		w.server.raw(`{"type":"ADDED","object":{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}}}`)
		w.server.apply("a", "1", "")
		expect(t, r.take(), "add a/1 104")
		if s := w.factory.Status()[0]; s.Skipped != 3 || s.Lists != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func TestNoServerIsLoggedWithAddressAndBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		server := newFakeServer()
		server.failList = func(int, metav1.ListOptions) error {
			return errors.New("dial tcp 127.0.0.1:1: connect: connection refused")
		}
		inf, err := newInformer(server, pods, Scope{}, Shape{},
			slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := newTimeout(t, 10*time.Minute)
		defer cancel()
		inf.run(ctx)
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if !strings.Contains(lines[0],
			"failed to list pods: dial tcp 127.0.0.1:1: connect: connection refused") ||
			!strings.Contains(lines[0], "in=") {
			t.Error(lines[0])
		}
		// 10 minutes of failing: the delays stay at 30 to 60 s, so there are about 4 attempts on
		// the way up and one each 45 s after that.
		if len(lines) < 12 || len(lines) > 26 {
			t.Errorf("%d attempts in 10 minutes", len(lines))
		}
	})
}

func TestADeleteOfAnUnknownObjectIsNotTold(t *testing.T) {
	inWorld(t, func(w *world) {
		r, _, _ := w.subscribe(SubscriptionConfig{})
		w.server.raw(`{"type":"DELETED","object":` + podText("ghost", "9", 101, "") + `}`)
		w.server.apply("a", "1", "")
		expect(t, r.take(), "add a/1 102")
	})
}

func TestTheErrorHandlerIsToldOfFailedAttempts(t *testing.T) {
	inWorld(t, func(w *world) {
		var mu sync.Mutex
		var told []string
		w.factory.OnError = func(resource Resource, scope Scope, err error) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprintf("%v %q %v", resource, scope.Namespace, err))
		}
		w.server.failList = func(n int, _ metav1.ListOptions) error {
			if n <= 2 {
				return serverError()
			}
			return nil
		}
		w.subscribe(SubscriptionConfig{})
		time.Sleep(time.Minute)
		w.server.raw(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","code":500}}`)
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		// Errors within a stream are no failed attempt, as in client-go.
		if len(told) != 2 || !strings.HasPrefix(told[0], `pods "" failed to list pods: `) {
			t.Errorf("told %q", told)
		}
	})
}
