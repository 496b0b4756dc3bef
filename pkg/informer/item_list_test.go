package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// listWatch is a server made of two functions, for answers that the fakeServer does not have.
type listWatch struct {
	list, watch func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error)
}

func (lw listWatch) List(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	if opts.Limit == 1 { // for the version alone, which such a server does not say
		return io.NopCloser(strings.NewReader(`{"items":[]}`)), nil
	}
	return lw.list(ctx, opts)
}

func (lw listWatch) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	return lw.watch(ctx, opts)
}

// alone runs one informer with one subscription and no factory. stop waits for its end.
func alone(t *testing.T, lw ListWatcher, log *slog.Logger) (inf *informer, r *recorder,
	stop func()) {
	t.Helper()
	inf, err := newInformer(lw, pods, Scope{}, Shape{}, log)
	if err != nil {
		t.Fatal(err)
	}
	sub, err := NewSubscription(SubscriptionConfig{})
	if err != nil {
		t.Fatal(err)
	}
	inf.join(sub)
	ctx, cancel := context.WithCancel(t.Context())
	r = &recorder{}
	var wg sync.WaitGroup
	wg.Go(func() { inf.run(ctx) })
	wg.Go(func() { _ = sub.Run(ctx, r.HandleEvent) })
	return inf, r, func() { cancel(); wg.Wait() }
}

// body is an answer that is ready as a whole.
func body(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }

// quiet answers a watch with nothing until it is ended.
func quiet(ctx context.Context) io.ReadCloser { return io.NopCloser(&quietBody{ctx}) }

type quietBody struct{ ctx context.Context }

func (b *quietBody) Read([]byte) (int, error) {
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}

func errorFrame(code int, reason metav1.StatusReason) string {
	return fmt.Sprintf(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":%q,"code":%d}}`, reason, code)
}

func bookmarkFrame(version int) string {
	return fmt.Sprintf(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%d"}}}`, version)
}

// Items 2, 19 and 26: a new list is asked for at the last version seen, whatever brought it, even
// if the watch from there has expired.
func TestANewListIsNotOlderThanWhatWasSeen(t *testing.T) {
	for name, c := range map[string]struct {
		before func(s *fakeServer)
		want   string
	}{
		"a list":   {func(*fakeServer) {}, "100"},
		"an event": {func(s *fakeServer) { s.apply("a", "1", "") }, "101"},
		"a delete": {func(s *fakeServer) { s.apply("a", "1", ""); s.remove("a") }, "102"},
		"a bookmark": {func(s *fakeServer) {
			s.apply("a", "1", "")
			s.bookmark(150)
		}, "150"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.subscribe(SubscriptionConfig{})
				c.before(w.server)
				synctest.Wait()
				w.server.raw(errorFrame(410, metav1.StatusReasonExpired))
				time.Sleep(2 * backoffMin)
				if lists := w.server.listed(); len(lists) != 2 ||
					lists[1].ResourceVersion != c.want {
					t.Errorf("%+v", lists)
				}
			})
		})
	}
}

// Item 4: a server that cuts the first list into pages has no cache, and later lists ask it for
// pages, too.
func TestAServerWithoutACacheIsAlwaysAskedForPages(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range pageSize + 1 {
			w.server.apply(fmt.Sprint("p", i), "1", "")
		}
		w.subscribe(SubscriptionConfig{})
		w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
		time.Sleep(2 * backoffMin)
		if lists := w.server.listed(); len(lists) != 4 || lists[2].ResourceVersion != "601" ||
			lists[2].Limit != pageSize {
			t.Errorf("%+v", lists)
		}
	})
}

// Item 5: the version of a list is that of its first page, and only that page asks for a version.
func TestAListHasTheVersionOfItsFirstPage(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range pageSize + 1 {
			w.server.apply(fmt.Sprint("p", i), "1", "")
		}
		w.server.failList = func(_ int, opts metav1.ListOptions) error {
			if opts.Continue != "" {
				w.server.version += 7 // time passes between the pages
			}
			return nil
		}
		w.subscribe(SubscriptionConfig{})
		if s := w.factory.Status()[0]; s.ResourceVersion != "601" || s.Objects != pageSize+1 {
			t.Errorf("%+v", s)
		}
		second := w.server.listed()[1]
		if second.ResourceVersion != "" || second.ResourceVersionMatch != "" ||
			w.server.watched()[0].ResourceVersion != "601" {
			t.Errorf("%+v", second)
		}
	})
}

// Items 7 and 8: a version the server no longer has is not asked for again before a list has
// succeeded.
func TestAnUnavailableVersionIsForgottenOnlyBySuccess(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.failList = func(n int, _ metav1.ListOptions) error {
			switch n {
			case 2: // the first new list
				return expired()
			case 3, 4:
				return serverError()
			default:
				return nil
			}
		}
		w.subscribe(SubscriptionConfig{})
		w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
		time.Sleep(time.Minute)
		w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
		time.Sleep(time.Minute)
		var versions []string
		for _, opts := range w.server.listed() {
			versions = append(versions, fmt.Sprintf("%q", opts.ResourceVersion))
		}
		expect(t, versions, `"0"`, `"100"`, `""`, `""`, `""`, `"101"`)
	})
}

// Item 10: a list that fails for any other reason is reported with the resource's name, until an
// attempt succeeds.
func TestAFailedListIsToldUntilOneSucceeds(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.failList = func(n int, _ metav1.ListOptions) error {
			if n == 1 {
				return errors.New("no route to host")
			}
			return nil
		}
		w.subscribe(SubscriptionConfig{})
		if s := w.factory.Status()[0]; s.Err == nil ||
			s.Err.Error() != "failed to list pods: no route to host" || s.Synced {
			t.Errorf("%+v", s)
		}
		time.Sleep(2 * backoffMin)
		if s := w.factory.Status()[0]; s.Err != nil || !s.Synced {
			t.Errorf("%+v", s)
		}
	})
}

// Item 10: a panic of a ListWatcher is a fault of the program, and passes through the reflector's
// goroutine.
func TestAPanicInAListIsNotSwallowed(t *testing.T) {
	inf, err := newInformer(listWatch{
		list: func(context.Context, metav1.ListOptions) (io.ReadCloser, error) { panic("list") },
		watch: func(context.Context, metav1.ListOptions) (io.ReadCloser, error) {
			return nil, statusOf(422)
		},
	}, pods, Scope{}, Shape{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if p := recover(); p != "list" {
			t.Errorf("recovered %v", p)
		}
	}()
	inf.reflector.Run(t.Context())
}

// Item 10: a stop ends a list that hangs, in the request or in the middle of its answer, and is no
// failure.
func TestAStopDuringAListIsNoFailure(t *testing.T) {
	half := func(ctx context.Context) io.ReadCloser {
		return io.NopCloser(io.MultiReader(strings.NewReader(`{"items":[`), &quietBody{ctx}))
	}
	for name, list := range map[string]func(context.Context, metav1.ListOptions) (io.ReadCloser,
		error){
		"request": func(ctx context.Context, _ metav1.ListOptions) (io.ReadCloser, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"answer": func(ctx context.Context, _ metav1.ListOptions) (io.ReadCloser, error) {
			return half(ctx), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log strings.Builder
				lw := listWatch{list: list, watch: newFakeServer().Watch}
				inf, _, stop := alone(t, lw, slog.New(slog.NewTextHandler(&log, nil)))
				begun := time.Now()
				synctest.Wait()
				stop()
				if s := inf.Status(); s.Err != nil || time.Since(begun) != 0 || log.Len() != 0 {
					t.Errorf("%v after %v, log %s", s.Err, time.Since(begun), log.String())
				}
			})
		})
	}
}

// Item 13: nothing of a list that breaks off is taken, neither its objects nor its version.
func TestAListThatBreaksOffChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFakeServer()
		server.apply("a", "1", "")
		lists := 0
		inf, r, stop := alone(t, listWatch{
			list: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
				if lists++; lists == 1 {
					return body(`{"metadata":{"resourceVersion":"90"},"items":[` +
						podText("z", "9", 90, "") + `,`), nil
				}
				return server.List(ctx, opts)
			},
			watch: server.Watch,
		}, nil)
		expect(t, r.take())
		if s := inf.Status(); s.ResourceVersion != "" || s.Objects != 0 || s.Synced ||
			s.Err == nil ||
			s.Err.Error() != "failed to list pods: cannot read the list: unexpected EOF" {
			t.Errorf("%+v", s)
		}
		time.Sleep(2 * backoffMin)
		expect(t, r.take(), "add a/1 101*")
		if got := server.listed(); len(got) != 1 || got[0].ResourceVersion != "0" {
			t.Errorf("%+v", got)
		}
		stop()
	})
}
