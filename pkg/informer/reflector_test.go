package informer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/object"
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

func TestBackoffStaysHighWhileAttemptsFail(t *testing.T) {
	var b backoff
	now := time.Now()
	for i := range 100 {
		base := min(backoffMin<<min(i, 10), backoffMax)
		d := b.next(now, nil)
		if d < base || d > 2*base {
			t.Fatalf("delay %d is %v, want %v to %v", i, d, base, 2*base)
		}
		now = now.Add(d)
	}
	if d := b.next(now.Add(backoffReset), nil); d > 2*backoffMin {
		t.Errorf("after two quiet minutes the delay is %v", d)
	}
}

func TestTooLargeIsRecognised(t *testing.T) {
	modern := apierrors.NewTimeoutError("x", 1)
	modern.ErrStatus.Details.Causes = []metav1.StatusCause{
		{Type: metav1.CauseTypeResourceVersionTooLarge}}
	older := apierrors.NewTimeoutError("x", 1)
	older.ErrStatus.Details.Causes = []metav1.StatusCause{{Message: "Too large resource version"}}
	for _, err := range []error{modern, older, tooLarge(), fmt.Errorf("wrapped: %w", tooLarge())} {
		if !isTooLarge(err) {
			t.Errorf("%v is not recognised", err)
		}
	}
	for _, err := range []error{nil, errors.New("Too large resource version"), serverError(),
		apierrors.NewTimeoutError("x", 1)} {
		if isTooLarge(err) {
			t.Errorf("%v is taken for it", err)
		}
	}
}

func TestReadListInAnyShape(t *testing.T) {
	const a = `{"metadata":{"name":"a"},"x":[1,2,{"y":"}]"}]}`
	big := `{"metadata":{"name":"big"},"x":"` + strings.Repeat("0123456789", 20_000) + `"}`
	for name, c := range map[string]struct{ in, names, version, err string }{
		"items last": {`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[` + a + `,` + big + `]}`, "a big", "5", ""},
		"items first": {` { "items" : [ ` + big + ` , ` + a +
			` ] , "metadata" : { "resourceVersion" : "5" } } `, "big a", "5", ""},
		"no items":      {`{"metadata":{"resourceVersion":"5"},"items":null}`, "", "5", ""},
		"empty":         {`{"items":[],"metadata":{"resourceVersion":"5"}}`, "", "5", ""},
		"other members": {`{"more":{"items":[1]},"n":12,"items":[` + a + `]}`, "a", "", ""},
		"an odd item":   {`{"items":[` + a + `,{"metadata":{}},17,` + a + `]}`, "a a", "", ""},
		"a table": {`{"kind":"Table","rows":[]}`, "", "",
			"the server sent a Table, which holds no objects"},
		"truncated":      {`{"items":[` + a, "a", "", "cannot read the list: unexpected EOF"},
		"truncated item": {`{"items":[` + a[:20], "", "", "cannot read the list: unexpected EOF"},
		"nothing":        {``, "", "", "cannot read the list: unexpected EOF"},
		"no object":      {`[]`, "", "", "cannot read the list: expected '{', found '['"},
		"no comma": {`{"items":[` + a + a + `]}`, "a", "",
			"cannot read the list: expected ',', found '{'"},
		"syntax in items": {`{"items":[{"metadata":{"name":"a"},}]}`, "", "",
			"cannot read the list: offset 25: expected a member name, found '}'"},
	} {
		for how, reader := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader {
				return r
			}, "in halves": iotest.HalfReader, "byte by byte": iotest.OneByteReader,
		} {
			if how == "byte by byte" && len(c.in) > 10_000 {
				continue // slow, and says nothing new
			}
			t.Run(name+" "+how, func(t *testing.T) {
				var names []string
				page, err := readList(reader(strings.NewReader(c.in)),
					&object.Parser{APIVersion: "v1", Kind: "Pod"},
					func(o *object.Object) { names = append(names, o.Name()) }, func(error) {})
				if got := strings.Join(names, " "); got != c.names ||
					page.Metadata.ResourceVersion != c.version {
					t.Errorf("names %q, version %q", got, page.Metadata.ResourceVersion)
				}
				if (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
					t.Errorf("error %v, want %s", err, c.err)
				}
			})
		}
	}
}

func TestStreamOfFrames(t *testing.T) {
	frames := `{"type":"ADDED","object":` + podText("a", "1", 1, "") + "}\n" +
		"{\n \"object\":" + podText("b", "2", 2, `,"x":"`+strings.Repeat("y", 100_000)+`"`) +
		",\n\"type\":\"MODIFIED\"}" +
		`{"type":"DELETED","object":` + podText("c", "3", 3, "") + "}"
	for how, r := range map[string]io.Reader{
		"at once":              strings.NewReader(frames),
		"in halves":            iotest.HalfReader(strings.NewReader(frames)),
		"with data at the end": iotest.DataErrReader(strings.NewReader(frames)),
		"slowly":               &slowReader{text: frames, n: 1400},
	} {
		t.Run(how, func(t *testing.T) {
			s, p := &stream{r: r}, &object.Parser{}
			for _, want := range []string{"ADDED a", "MODIFIED b", "DELETED c"} {
				var w object.WatchEvent
				err := s.value(func(text []byte) (end int, err error) {
					w, end, err = p.ParseWatchEvent(text)
					return end, err
				})
				if err != nil || w.Type+" "+w.Object.Name() != want {
					t.Fatalf("%+v, %v, want %s", w, err, want)
				}
			}
			if err := s.value(object.ScanValue); err != io.EOF {
				t.Errorf("at the end: %v", err)
			}
		})
	}
}

// slowReader gives n bytes at a time.
type slowReader struct {
	text string
	n    int
}

func (r *slowReader) Read(p []byte) (int, error) {
	if r.text == "" {
		return 0, io.EOF
	}
	n := copy(p, r.text[:min(r.n, len(r.text))])
	r.text = r.text[n:]
	return n, nil
}

func TestStreamGivesUpOnEndlessValues(t *testing.T) {
	s := &stream{r: io.MultiReader(strings.NewReader(`"`), endless{})}
	if err := s.value(object.ScanValue); !errors.Is(err, errValueTooLong) {
		t.Error(err)
	}
}

// endless is a string without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestResourcePath(t *testing.T) {
	deployments := Resource{Kind: "Deployment"}
	deployments.Group, deployments.Version, deployments.Resource = "apps", "v1", "deployments"
	for want, got := range map[string]string{
		"/api/v1/pods":                              resourcePath(pods, ""),
		"/api/v1/namespaces/shop/pods":              resourcePath(pods, "shop"),
		"/apis/apps/v1/deployments":                 resourcePath(deployments, ""),
		"/apis/apps/v1/namespaces/shop/deployments": resourcePath(deployments, "shop"),
		http.MethodGet + deployments.String():       "GETdeployments.apps",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
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
