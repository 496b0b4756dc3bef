package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/backoff"

	"github.com/informerd/informerd/pkg/informer/internal/reflector"
	"github.com/informerd/informerd/pkg/informer/internal/wiretest"
)

func statusOf(code int) error {
	return apierrors.NewGenericServerResponse(code, "GET", pods.GroupResource(), "",
		"as the test says", 0, true)
}

// What says nothing about the resource is no reason to list it: the watch continues from its
// version after a backoff.
func TestAServerThatIsAwayIsNotAskedForListsAgain(t *testing.T) {
	for name, failure := range map[string]error{
		"no answer": errors.New("http2: client connection lost"), "no route": &netError{113},
		"bad gateway": statusOf(502),
		"unavailable": statusOf(503), "gateway timeout": statusOf(504),
		"request timeout": statusOf(408), "busy": tooManyRequests(),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				r, _, _ := w.subscribe(SubscriptionConfig{})
				begun := time.Now()
				w.server.mu.Lock()
				w.server.failWatch = func(int, metav1.ListOptions) error {
					if time.Since(begun) < time.Hour {
						return failure
					}
					return nil
				}
				w.server.mu.Unlock()
				w.server.apply("a", "1", "", true)
				w.server.remove("a", true)
				w.server.disconnect(false)
				time.Sleep(time.Minute)
				if s := w.factory.Status()[0]; s.Err == nil ||
					!strings.HasPrefix(s.Err.Error(), "failed to watch pods: ") {
					t.Errorf("the status does not say so: %v", s.Err)
				}
				w.server.apply("b", "2", "")
				time.Sleep(time.Hour + 2*backoffMax)
				expect(t, r.take(), "add b/2 103")
				if n := len(w.server.listed()); n != 1 {
					t.Errorf("%d lists", n)
				}
				if n := len(w.server.watched()); n > 140 {
					t.Errorf("%d watches in an hour", n)
				}
			})
		})
	}
}

// A server that answers, and yet has no watch that works, is asked for a list now and then: that
// may show what is the matter, and keeps the store from being stale for good.
func TestWatchesThatKeepFailingNeedANewList(t *testing.T) {
	for name, failure := range map[string]error{"internal error": statusOf(500),
		"forbidden": forbidden(), "ends at once": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newFakeServer()
				var watches atomic.Int32
				_, r, stop := alone(t, listWatch{
					list: server.List,
					watch: func(_ context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
						if opts.SendInitialEvents != nil {
							return nil, statusOf(422)
						}
						watches.Add(1)
						return body(""), failure
					},
				}, nil)
				defer stop()
				synctest.Wait()
				server.apply("a", "1", "")
				const hours = 3
				for range hours * 60 {
					time.Sleep(time.Minute)
				}
				expect(t, r.take(), "add a/1 101")
				// One list for ten watches, each of which is followed by 30 to 60 s, or by 4 to 8 s
				// without the right.
				most := 125 * hours
				if name == "forbidden" {
					most = 950 * hours
				}
				if n, tried := len(server.listed()), int(watches.Load()); n < 2 ||
					n > 2+tried/maxFailedWatches || tried > most {
					t.Errorf("%d lists, %d watches in %d hours", n, tried, hours)
				}
			})
		})
	}
}

// A watch that ends after each frame, cleanly, is reopened at a bounded rate: ten at once and then
// one a second.
func TestAWatchThatEndsAfterEachFrame(t *testing.T) {
	for name, end := range map[string]error{"cleanly": io.EOF,
		"with its connection": io.ErrUnexpectedEOF} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, version := newFakeServer(), 100
				var at []time.Time
				_, r, stop := alone(t, listWatch{
					list: server.List,
					watch: func(_ context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
						if opts.SendInitialEvents != nil {
							return nil, statusOf(422)
						}
						if opts.ResourceVersion != fmt.Sprint(version) {
							t.Errorf("watch from %s, not %d", opts.ResourceVersion, version)
						}
						at = append(at, time.Now())
						version++
						frame := fmt.Sprintf(`{"type":"MODIFIED","object":%s}`+"\n",
							podText("a", "1", version, ""))
						return io.NopCloser(io.MultiReader(strings.NewReader(frame),
							iotest.ErrReader(end))), nil
					},
				}, nil)
				time.Sleep(10 * time.Minute)
				stop()
				for i := range at {
					inMinute := 0
					for _, other := range at[i:] {
						if other.Sub(at[i]) < time.Minute {
							inMinute++
						}
					}
					if inMinute > 61+paceBurst {
						t.Fatalf("%d watches in a minute", inMinute)
					}
				}
				if n := len(server.listed()); n != 1 || len(at) < 12 || len(r.take()) == 0 {
					t.Errorf("%d lists, %d watches", n, len(at))
				}
			})
		})
	}
}

// A steady watch whose connection is lost costs a moment, however often that happens: its delays do
// not grow.
func TestLostConnectionsOfSteadyWatchesDoNotAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFakeServer()
		inf, r, stop := alone(t, listWatch{
			list: server.List,
			watch: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
				body, err := server.Watch(ctx, opts)
				if err != nil {
					return nil, err
				}
				return &loseable{body}, nil
			},
		}, nil)
		defer stop()
		for i := range 50 {
			time.Sleep(steadyWatch)
			server.disconnect(false)
			server.apply("a", "1", "")
			time.Sleep(2 * backoffMin)
			if got := r.take(); len(got) != 1 {
				t.Fatalf("round %d: %v", i, got)
			}
			if s := inf.Status(); s.Err != nil {
				t.Fatal(s.Err)
			}
		}
		if n := len(server.listed()); n != 1 {
			t.Errorf("%d lists", n)
		}
	})
}

// loseable turns the end of a body into the loss of its connection.
type loseable struct{ io.ReadCloser }

func (b *loseable) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		err = errors.New("http2: client connection lost")
	}
	return n, err
}

// Retry-After is honoured by lists, watches, streamed lists and in streams, and bounded.
func TestRetryAfterIsHonoured(t *testing.T) {
	asking := func(d time.Duration) error { return &backoff.RetryAfterError{Err: statusOf(503), Delay: d} }
	for name, c := range map[string]struct {
		fail  func(s *fakeServer, n *int)
		least time.Duration
	}{
		"a list": {func(s *fakeServer, n *int) {
			s.failList = func(int, metav1.ListOptions) error {
				*n++
				return failOnce(*n, asking(45*time.Second))
			}
		}, 45 * time.Second},
		"a list, in the status": {func(s *fakeServer, n *int) {
			s.failList = func(int, metav1.ListOptions) error {
				*n++
				return failOnce(*n, apierrors.NewTooManyRequests("slow down", 50))
			}
		}, 50 * time.Second},
		"a list, in the status, indefinitely": {func(s *fakeServer, n *int) {
			s.failList = func(int, metav1.ListOptions) error {
				*n++
				return failOnce(*n, apierrors.NewTooManyRequests("slow down", 1<<30))
			}
		}, backoff.MaxRetryAfter},
		"a streamed list": {func(s *fakeServer, n *int) {
			s.streams = true
			s.failWatch = func(int, metav1.ListOptions) error {
				*n++
				return failOnce(*n, asking(100*time.Second))
			}
		}, 100 * time.Second},
		"a watch": {func(s *fakeServer, n *int) {
			s.failWatch = func(int, metav1.ListOptions) error {
				*n++
				return failOnce(*n, asking(70*time.Second))
			}
		}, 70 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				n := 0
				c.fail(w.server, &n)
				begun := time.Now()
				w.subscribe(SubscriptionConfig{})
				for asked := func() int {
					w.server.mu.Lock()
					defer w.server.mu.Unlock()
					return n
				}; asked() < 2; {
					time.Sleep(100 * time.Millisecond)
				}
				if d := time.Since(begun); d < c.least ||
					d > c.least+backoffMin+100*time.Millisecond {
					t.Errorf("asked again after %v, want %v", d, c.least)
				}
			})
		})
	}
}

func failOnce(n int, err error) error {
	if n == 1 {
		return err
	}
	return nil
}

// The header is read on the wire, of answers with a Status, which client-go forgets, and of those
// without.
func TestRetryAfterOverHTTP(t *testing.T) {
	for name, c := range map[string]struct {
		header, body string
		want         time.Duration
	}{
		"text": {"17", "Too many requests, please try again later.", 17 * time.Second},
		"a status": {"17",
			`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429}`, 17 * time.Second},
		"a status alone": {"",
			`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429,"details":{"retryAfterSeconds":9}}`, 9 * time.Second},
		"nonsense": {"soon", "no", 0},
		"a time": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), "no",
			backoff.MaxRetryAfter},
		"a time long ago": {time.Unix(0, 0).UTC().Format(http.TimeFormat), "no", 0},
		"negative":        {"-5", "no", 0},
	} {
		for _, protocol := range wiretest.Protocols {
			t.Run(name+" "+protocol, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					client, stop := serve(t, protocol,
						http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
							if c.header != "" {
								w.Header().Set("Retry-After", c.header)
							}
							w.Header().Set("Content-Type", "application/json")
							w.WriteHeader(http.StatusTooManyRequests)
							_, _ = io.WriteString(w, c.body)
						}), nil)
					defer stop()
					lw := client.ListWatcher(pods, Scope{})
					_, listErr := lw.List(t.Context(), metav1.ListOptions{})
					_, watchErr := lw.Watch(t.Context(), metav1.ListOptions{})
					for _, err := range []error{listErr, watchErr} {
						if got := backoff.RetryAfter(err); got != c.want ||
							!apierrors.IsTooManyRequests(err) {
							t.Errorf("%v of %v, want %v", got, err, c.want)
						}
					}
				})
			})
		}
	}
}

// A list of which nothing comes is given up, so that no silent proxy can keep an informer from its
// first list.
func TestASilentListIsGivenUp(t *testing.T) {
	half := strings.NewReader(`{"items":[` + podText("z", "9", 90, ""))
	for name, silent := range map[string]func(ctx context.Context) (io.ReadCloser, error){
		"no answer": func(ctx context.Context) (io.ReadCloser, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"half a list": func(ctx context.Context) (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(half, &quietBody{ctx})), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, lists := newFakeServer(), 0
				server.apply("a", "1", "")
				inf, r, stop := alone(t, listWatch{
					list: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser,
						error) {
						if lists++; lists == 1 {
							return silent(ctx)
						}
						return server.List(ctx, opts)
					},
					watch: server.Watch,
				}, nil)
				defer stop()
				time.Sleep(listSilence)
				synctest.Wait()
				if s := inf.Status(); !errors.Is(s.Err, reflector.ErrListSilent) {
					t.Errorf("%v", s.Err)
				}
				time.Sleep(2 * backoffMin)
				synctest.Wait()
				expect(t, r.take(), "add a/1 101*")
			})
		})
	}
}

// A server that is broken and sends nothing but malformed objects gets a line in the log with their
// number, not one each.
func TestManyMalformedObjectsAreOneLine(t *testing.T) {
	for _, streams := range []bool{false, true} {
		t.Run(fmt.Sprintf("streams %t", streams), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const many = 1000
				var log lockedLog
				server := newFakeServer()
				server.streams = streams
				for i := range many {
					server.apply(fmt.Sprint(i), "1", "")
				}
				server.mu.Lock()
				for name := range server.objects {
					server.objects[name] = `{"kind":"Pod","apiVersion":"v1","metadata":{}}`
				}
				server.mu.Unlock()
				inf, _, stop := alone(t, server, slog.New(slog.NewTextHandler(&log, nil)))
				defer stop()
				synctest.Wait()
				if got := log.lines("skipping malformed objects"); len(got) != 1 ||
					!strings.Contains(got[0], fmt.Sprintf("objects=%d ", many)) {
					t.Errorf("%d lines for the list: %.3q", len(got), got)
				}
				for range 3 * 60 { // seconds of a watch
					for range 10 {
						server.raw(
							`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{}}}`)
					}
					time.Sleep(time.Second)
				}
				if got := log.lines("skipping malformed objects"); len(got) > 1+4 {
					t.Errorf("%d lines", len(got))
				}
				if s := inf.Status(); s.Skipped != many+3*60*10 {
					t.Errorf("%d skipped", s.Skipped)
				}
			})
		})
	}
}

// lockedLog is a log that can be read while it is written.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) lines(with string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, with) {
			found = append(found, line)
		}
	}
	return found
}
