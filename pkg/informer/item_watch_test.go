package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Item 17: a watch that lived for a second is repeated from the last version at once, even if it
// brought nothing.
func TestAQuietWatchOfASecondIsRepeatedAtOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		w.subscribe(SubscriptionConfig{})
		time.Sleep(shortWatch)
		w.server.disconnect(false)
		synctest.Wait() // no time passes
		if watches := w.server.watched(); len(watches) != 2 ||
			watches[1].ResourceVersion != "100" || len(w.server.listed()) != 1 {
			t.Errorf("%+v, %d lists", watches, len(w.server.listed()))
		}
		if s := w.factory.Status()[0]; s.Err != nil {
			t.Error(s.Err)
		}
	})
}

// Item 18: how long a watch lived counts from before its request, since some proxies answer with
// the first event.
func TestAWatchLivesFromItsRequestOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, watches := newFakeServer(), 0
		_, _, stop := alone(t, listWatch{
			list: server.List,
			watch: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
				if opts.SendInitialEvents != nil {
					return server.Watch(ctx, opts)
				}
				watches++
				time.Sleep(shortWatch) // the proxy
				return body(""), nil
			},
		}, nil)
		time.Sleep(10*shortWatch - 1)
		stop()
		if watches != 10 || len(server.listed()) != 1 {
			t.Errorf("%d watches, %d lists", watches, len(server.listed()))
		}
	})
}

// Items 21, 22 and 23: an error in the stream ends the attempt without being reported as a failure
// of the informer; the new list comes after a backoff.
func TestAnErrorFrameIsNoFailure(t *testing.T) {
	inWorld(t, func(w *world) {
		w.subscribe(SubscriptionConfig{})
		w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
		synctest.Wait()
		if s := w.factory.Status()[0]; s.Err != nil || !s.Synced {
			t.Errorf("%+v", s)
		}
		time.Sleep(backoffMin - 1)
		if n := len(w.server.listed()); n != 1 {
			t.Errorf("%d lists before the backoff was over", n)
		}
		time.Sleep(backoffMin + 1)
		if n := len(w.server.listed()); n != 2 {
			t.Errorf("%d lists after it", n)
		}
	})
}

// Items 10, 16 and 23: the error handler gets what ends an attempt, and nothing that a watch
// survives.
func TestWhatTheErrorHandlerIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		failList, failWatch error // of the first request
		frame               string
		want                string
	}{
		"a list": {failList: errors.New("no"), want: "failed to list pods: no"},
		"a watch": {
			failWatch: notFound(), want: "failed to watch pods: " + notFound().Error()},
		"a lost watch":    {failWatch: errors.New("no")},
		"a failing watch": {failWatch: serverError()},
		"a forbidden watch": {failWatch: forbidden(),
			want: "failed to watch pods: " + forbidden().Error()},
		"an expired watch": {
			failWatch: expired(), want: "failed to watch pods: too old resource version"},
		"a refused watch":    {failWatch: &netError{syscall.ECONNREFUSED}},
		"a busy watch":       {failWatch: tooManyRequests()},
		"a busy stream":      {frame: errorFrame(429, metav1.StatusReasonTooManyRequests)},
		"an expired stream":  {frame: errorFrame(410, metav1.StatusReasonExpired)},
		"an error in stream": {frame: errorFrame(500, metav1.StatusReasonInternalError)},
		"garbage":            {frame: "garbage"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				first := func(err error) func(int, metav1.ListOptions) error {
					return func(n int, _ metav1.ListOptions) error {
						if n == 1 {
							return err
						}
						return nil
					}
				}
				var mu sync.Mutex
				var told []string
				w.factory.OnError = func(_ Resource, _ Scope, err error) {
					mu.Lock()
					defer mu.Unlock()
					told = append(told, err.Error())
				}
				w.server.failList, w.server.failWatch = first(c.failList), first(c.failWatch)
				w.subscribe(SubscriptionConfig{})
				if c.frame != "" {
					w.server.raw(c.frame)
				}
				time.Sleep(time.Minute)
				mu.Lock()
				defer mu.Unlock()
				if strings.Join(told, "; ") != c.want {
					t.Errorf("told %q, want %q", told, c.want)
				}
			})
		})
	}
}

func notFound() error { return apierrors.NewNotFound(pods.GroupResource(), "") }

func forbidden() error {
	return apierrors.NewForbidden(pods.GroupResource(), "", errors.New("no rights"))
}

// Item 24: what is skipped neither moves the version nor counts: a watch that brings nothing else
// and ends at once has failed.
func TestWhatIsSkippedDoesNotCount(t *testing.T) {
	for name, frame := range map[string]string{
		"another kind": `{"type":"MODIFIED","object":{"kind":"Node","apiVersion":"v1","metadata":{"name":"n","resourceVersion":"900"}}}`,
		"no name":      `{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"900"}}}`,
		"a table":      `{"type":"MODIFIED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"900"},"rows":[]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				r, _, _ := w.subscribe(SubscriptionConfig{})
				w.server.raw(frame)
				synctest.Wait()
				if s := w.factory.Status()[0]; s.Skipped != 1 || s.Events != 0 ||
					s.ResourceVersion != "100" {
					t.Errorf("%+v", s)
				}
				w.server.disconnect(false)
				synctest.Wait()
				if n := len(w.server.watched()); n != 1 {
					t.Errorf("%d watches without a backoff", n)
				}
				time.Sleep(2 * backoffMin)
				if watches := w.server.watched(); len(watches) != 2 ||
					watches[1].ResourceVersion != "100" || len(w.server.listed()) != 1 {
					t.Errorf("%+v, %d lists", watches, len(w.server.listed()))
				}
				expect(t, r.take())
			})
		})
	}
}

// Item 26: a bookmark moves the version and nothing else.
func TestABookmarkMovesTheVersionOnly(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		r, reg, _ := w.subscribe(SubscriptionConfig{})
		r.take()
		w.server.bookmark(150)
		expect(t, r.take())
		if s := w.factory.Status()[0]; s.ResourceVersion != "150" || s.Objects != 1 ||
			s.Events != 0 {
			t.Errorf("%+v", s)
		}
		if o, err := reg.Lister().Get("shop", "a"); err != nil || o.ResourceVersion() != "101" {
			t.Error(o, err)
		}
	})
}

// Item 27: a watch from no version begins with what there is, in no order of versions; the version
// moves with the first frame that is not an ADDED.
func TestAWatchFromNoVersionMovesItLate(t *testing.T) {
	for _, listed := range []string{"", "0"} {
		t.Run(fmt.Sprintf("list at %q", listed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				frames, send := io.Pipe()
				inf, r, stop := alone(t, listWatch{
					list: func(context.Context, metav1.ListOptions) (io.ReadCloser, error) {
						return body(`{"metadata":{"resourceVersion":"` + listed + `"},"items":[]}`),
							nil
					},
					watch: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser,
						error) {
						if opts.SendInitialEvents != nil {
							return nil, serverError()
						}
						if opts.ResourceVersion != listed {
							t.Errorf("watch from %q", opts.ResourceVersion)
						}
						context.AfterFunc(ctx, func() { _ = send.Close() })
						return frames, nil
					},
				}, nil)
				for _, step := range []struct {
					typ     string
					version int
					want    string
				}{
					{"ADDED", 90, listed}, {"ADDED", 40, listed}, {"MODIFIED", 95, "95"}, {
						"ADDED", 97, "97"},
				} {
					_, err := fmt.Fprintf(send, `{"type":%q,"object":%s}`+"\n", step.typ,
						podText(fmt.Sprint("p", step.version), "1", step.version, ""))
					if err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					if s := inf.Status(); s.ResourceVersion != step.want {
						t.Errorf("after %s at %d the version is %q, want %q", step.typ,
							step.version, s.ResourceVersion, step.want)
					}
				}
				if got := r.take(); len(got) != 4 {
					t.Errorf("%v", got)
				}
				stop()
			})
		})
	}
}

// Item 28: each stream is closed once, and nothing is read from it after a stop.
func TestEachWatchIsClosedOnce(t *testing.T) {
	for _, streams := range []bool{false, true} {
		var server *fakeServer
		inWorld(t, func(w *world) {
			server = w.server
			server.streams = streams
			w.subscribe(SubscriptionConfig{})
			w.server.apply("a", "1", "")
			for range 3 {
				synctest.Wait()
				w.server.disconnect(false)
				time.Sleep(time.Minute)
			}
			w.server.raw(errorFrame(410, metav1.StatusReasonExpired))
			time.Sleep(time.Minute)
			w.server.raw(errorFrame(429, metav1.StatusReasonTooManyRequests))
			time.Sleep(time.Minute)
			if opened, closed := server.log.Bodies(); opened < 4 || closed != opened-1 {
				t.Errorf("streams %t: opened %d, closed %d while one runs", streams, opened, closed)
			}
		})
		if opened, closed := server.log.Bodies(); closed != opened {
			t.Errorf("streams %t: opened %d, closed %d", streams, opened, closed)
		}
	}
}

// Item 28: a stream that has brought its list is closed even if the stop comes before anything
// else.
func TestAStopAtTheEndOfAStreamedListClosesTheStream(t *testing.T) {
	inf, err := newInformer(nil, pods, Scope{}, Shape{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	end := newFakeServer().endOfList()
	b := &countedBody{Reader: readerFunc(func(p []byte) (int, error) {
		cancel()
		return copy(p, end), nil
	})}
	inf.reflector.ListWatcher = listWatch{
		watch: func(context.Context, metav1.ListOptions) (io.ReadCloser, error) { return b, nil },
	}
	inf.reflector.Run(ctx)
	if b.closed != 1 || !inf.queue.HasSynced() {
		t.Errorf("closed %d times, synced %t", b.closed, inf.queue.HasSynced())
	}
}

type countedBody struct {
	io.Reader
	closed int
}

func (b *countedBody) Close() error { b.closed++; return nil }

// Item 28: nothing is read from a stream after a stop.
func TestNoFrameIsReadAfterAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf, err := newInformer(nil, pods, Scope{}, Shape{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		reads, after := 0, 0
		inf.reflector.ListWatcher = listWatch{
			list: newFakeServer().List,
			watch: func(_ context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
				if opts.SendInitialEvents != nil {
					return nil, serverError()
				}
				return io.NopCloser(readerFunc(func(p []byte) (int, error) {
					if ctx.Err() != nil {
						after++
					}
					if reads++; reads == 100 {
						cancel()
					}
					return copy(p, fmt.Sprintf(`{"type":"MODIFIED","object":%s}`+"\n",
						podText("a", "1", 100+reads, ""))), nil
				})), nil
			},
		}
		inf.run(ctx)
		if reads != 100 || after != 0 {
			t.Errorf("%d reads, %d after the stop", reads, after)
		}
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Item 29: however a connection ends, it is the end of a watch and no error. If it was lost, the
// next one waits a moment.
func TestHowAWatchMayEnd(t *testing.T) {
	const half = `{"type":"ADDED","object":{"kind":"Po`
	for name, c := range map[string]struct {
		rest string
		end  error
		lost bool
	}{
		"end":              {"", io.EOF, false},
		"end in a frame":   {half, io.EOF, true},
		"unexpected end":   {"", io.ErrUnexpectedEOF, true},
		"reset":            {"", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, true},
		"reset in a frame": {half, &net.OpError{Op: "read", Err: syscall.ECONNRESET}, true},
		"timeout":          {"", context.DeadlineExceeded, false},
		"dead connection":  {"", errors.New("http2: client connection lost"), true},
		"reset stream": {
			"", errors.New("stream error: stream ID 7; INTERNAL_ERROR; received from peer"), true},
		"an error in frame": {half, errors.New("stream error: stream ID 7; INTERNAL_ERROR"), true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newFakeServer()
				var watches atomic.Int32
				begun := time.Now()
				inf, r, stop := alone(t, listWatch{
					list: server.List,
					watch: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser,
						error) {
						if opts.SendInitialEvents != nil || watches.Add(1) != 1 {
							return server.Watch(ctx, opts)
						}
						text := `{"type":"ADDED","object":` + podText("a", "1", 105, "") + "}\n" +
							c.rest
						return io.NopCloser(io.MultiReader(strings.NewReader(text),
							iotest.ErrReader(c.end))), nil
					},
				}, nil)
				synctest.Wait()
				if atOnce := watches.Load() == 2; atOnce == c.lost {
					t.Errorf("%d watches after %v", watches.Load(), time.Since(begun))
				}
				time.Sleep(2 * backoffMin)
				if got := server.watched(); len(got) != 1 || got[0].ResourceVersion != "105" ||
					len(server.listed()) != 1 {
					t.Errorf("%+v, %d lists", got, len(server.listed()))
				}
				if s := inf.Status(); s.Err != nil || s.Events != 1 {
					t.Errorf("%+v", s)
				}
				if got := r.take(); got[0] != "add a/1 105" {
					t.Errorf("%v", got)
				}
				stop()
			})
		})
	}
}

// Item 29: a connection that ends before it was answered has missed nothing; the watch is asked for
// again.
func TestAWatchThatEndsBeforeItsAnswer(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.failWatch = func(n int, _ metav1.ListOptions) error {
			if n == 1 {
				return &net.OpError{Op: "read", Err: syscall.ECONNRESET}
			}
			return nil
		}
		w.subscribe(SubscriptionConfig{})
		time.Sleep(2 * backoffMin)
		if len(w.server.listed()) != 1 || len(w.server.watched()) != 2 {
			t.Errorf("%d lists, %d watches", len(w.server.listed()), len(w.server.watched()))
		}
	})
}

// Item 29: an object that was removed because it could not be read has no DELETED; the new list
// finds it gone.
func TestAnObjectThatCannotBeReadIsDeletedByTheNewList(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		w.server.apply("corrupt", "2", "")
		r, _, _ := w.subscribe(SubscriptionConfig{})
		r.take()
		w.server.remove("corrupt", true)
		w.server.raw(errorFrame(500, metav1.StatusReasonStoreReadError))
		time.Sleep(2 * backoffMin)
		expect(t, r.take(), "delete corrupt/2 102?")
	})
}
