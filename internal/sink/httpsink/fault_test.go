package httpsink

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

const head = "HTTP/1.1 200 OK\r\n"

// expectTransient checks an error that is worth a retry and shows nothing it must not.
func expectTransient(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || sink.IsPermanent(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q, worth a retry", err, want)
		return
	}
	expectClean(t, err)
}

func expectPermanent(t *testing.T, err error, want string) {
	t.Helper()
	if !sink.IsPermanent(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q, permanent", err, want)
		return
	}
	expectClean(t, err)
}

func expectClean(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); strings.Contains(text, "hunter2") || len(text) > 1000 ||
		strings.ContainsAny(text, "\r\n\x00") {
		t.Errorf("the error is not to be shown: %q", text)
	}
}

func TestStatus(t *testing.T) {
	for status, permanent := range map[int]bool{
		300: true, 301: true, 302: true, 304: true, 307: true, 308: true,
		400: true, 401: true, 403: true, 404: true, 405: true, 409: true, 410: true, 413: true,
		415: true, 422: true, 451: true, 499: true,
		408: false, 425: false, 429: false, 500: false, 501: false, 502: false, 503: false,
		504: false, 599: false,
	} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://169.254.169.254/hunter2")
			w.WriteHeader(status)
		})
		_, err := post(t.Context(), to(t, url))
		if err == nil || sink.IsPermanent(err) != permanent || statusOf(err) != status {
			t.Errorf("%d: got %v", status, err)
		}
	}
	for _, status := range []int{200, 201, 202, 204, 226} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		answer, err := post(t.Context(), to(t, url))
		if err != nil || answer.Status != status {
			t.Errorf("%d: got %v, %v", status, answer, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, "100000": 5 * time.Minute, "-7": 0, "soon": 0, "": 0,
		"99999999999999999999":                  5 * time.Minute,
		"Wed, 01 Jan 2200 00:00:00 GMT":         5 * time.Minute,
		"Wed, 01 Jan 2020 00:00:00 GMT":         0,
		"Wed, 01 Jan 2020 00:00:00 GMT hunter2": 0,
	} {
		for _, status := range []int{429, 503} {
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", value)
				w.WriteHeader(status)
			})
			_, err := post(t.Context(), to(t, url))
			expectTransient(t, err, fmt.Sprint(status))
			if got := backoff.RetryAfter(err); got != want {
				t.Errorf("%d, %q: got %v, want %v", status, value, got, want)
			}
		}
	}
}

// Each of these answers at once, or breaks off.
func TestBrokenAnswers(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"nothing":            {"", "EOF"},
		"half a status line": {"HTTP/1.1 20", "malformed HTTP"},
		"no HTTP":            {"SSH-2.0-x\x00\r\n\r\n", "malformed HTTP"},
		"half a head":        {head + "Content-Len", "malformed MIME header"},
		"two lengths": {
			head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n12", "Content-Length"},
		"a header's bad name": {head + "A B\x01: x\r\n\r\n", "malformed MIME header"},
		"long status line":    {"HTTP/1.1 " + strings.Repeat("x", 1<<16) + "\r\n\r\n", "HTTP"},
		"switching": {
			"HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n", "101"},
	} {
		t.Run(name, func(t *testing.T) {
			c := to(t, answers(t, test.text))
			_, err := post(t.Context(), c)
			expectTransient(t, err, test.want)
		})
	}
}

// endless writes a text again and again until the connection ends.
func endless(first, text string) func(net.Conn, <-chan struct{}) {
	return func(c net.Conn, _ <-chan struct{}) {
		_, err := io.WriteString(c, first)
		for err == nil {
			_, err = io.WriteString(c, text)
		}
	}
}

func TestEndlessAnswers(t *testing.T) {
	kilobyte := strings.Repeat("hunter2 ", 128)
	for name, test := range map[string]struct{ first, text, want string }{
		"headers": {head, "A: " + kilobyte + "\r\n", "headers exceeded"},
		"header":  {head + "A: ", kilobyte, "headers exceeded"},
		"1xx": {"", "HTTP/1.1 103 Early Hints\r\nLink: " + kilobyte + "\r\n\r\n",
			"headers exceeded"},
		"continue": {"", "HTTP/1.1 100 Continue\r\n\r\n",
			"headers exceeded"},
		"error body": {"HTTP/1.1 500 No\r\nContent-Length: 10000000000\r\n\r\n", kilobyte, "500"},
		"body":       {head + "Content-Length: 10000000000\r\n\r\n", kilobyte, ""},
		"stream":     {head + "\r\n", kilobyte, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := to(t, rawServer{t: t, answer: endless(test.first, test.text)}.start())
			answer, err := post(t.Context(), c)
			if test.want == "" {
				if err != nil || len(answer.Body) != maxBody {
					t.Errorf("got %d bytes, %v", len(answer.Body), err)
				}
				return
			}
			if err == nil || sink.IsPermanent(err) || len(err.Error()) > 1000 ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// Whatever hangs ends with the timeout, and with ctx.
func TestHangingReceivers(t *testing.T) {
	wait := func(_ net.Conn, end <-chan struct{}) { <-end }
	trickle := func(first string) func(net.Conn, <-chan struct{}) {
		return func(c net.Conn, end <-chan struct{}) {
			_, err := io.WriteString(c, first)
			for err == nil {
				select {
				case <-end:
					return
				case <-time.After(time.Millisecond):
					_, err = io.WriteString(c, "a")
				}
			}
		}
	}
	for name, test := range map[string]struct {
		early  bool
		answer func(net.Conn, <-chan struct{})
	}{
		"never reads":   {true, wait},
		"never answers": {false, wait},
		"half a head":   {false, trickle(head)},
	} {
		t.Run(name, func(t *testing.T) {
			url := rawServer{t: t, early: test.early, answer: test.answer}.start()
			c := newClient(t, Config{URL: secret.Literal(url), Timeout: short})
			body := make([]byte, 8<<20) // more than what fits into the buffers of the system
			_, err := c.Post(t.Context(), Request{Body: body})
			expectTransient(t, err, "no complete answer within 100ms")

			slow := newClient(t, Config{URL: secret.Literal(url), Timeout: time.Hour})
			ctx, cancel := context.WithTimeout(t.Context(), short)
			defer cancel()
			_, err = slow.Post(ctx, Request{Body: body})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want that of ctx", err)
			}
			expectTransient(t, err, "the request was given up")
		})
	}
}

// The time that a request waits for others is not the receiver's.
func TestARequestThatWaitedHasAllItsTime(t *testing.T) {
	t.Parallel()
	const timeout = 2 * time.Second
	url := serve(t, func(http.ResponseWriter, *http.Request) { <-time.After(timeout * 3 / 5) })
	c := newClient(t, Config{URL: secret.Literal(url), Timeout: timeout})
	for range maxRequests {
		c.turn <- struct{}{}
	}
	time.AfterFunc(timeout*3/4, func() { <-c.turn })
	if _, err := post(t.Context(), c); err != nil {
		t.Error(err)
	}
}

// Once its head has come, nothing of a body has a message sent again: that it is cut off, cannot be
// read, or never ends.
func TestBodiesWithoutEnd(t *testing.T) {
	for name, text := range map[string]string{
		"cut off":   head + "Content-Length: 10\r\n\r\n12345",
		"cut chunk": head + "Transfer-Encoding: chunked\r\n\r\nff\r\n12345",
		"bad chunk": head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n12345",
	} {
		if _, err := post(t.Context(), to(t, answers(t, text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, status := range []int{200, 503} {
		var requests atomic.Int32
		c := to(t, rawServer{t: t, answer: func(c net.Conn, end <-chan struct{}) {
			requests.Add(1)
			_, err := fmt.Fprintf(c, "HTTP/1.1 %d X\r\nContent-Length: 100000\r\n\r\n", status)
			for err == nil {
				select {
				case <-end:
					return
				case <-time.After(10 * time.Millisecond):
					_, err = io.WriteString(c, "a")
				}
			}
		}}.start())
		_, err := post(t.Context(), c)
		if status == 200 && err != nil || status == 503 && statusOf(err) != 503 || requests.Load() != 1 {
			t.Errorf("%d: got %v, after %d requests", status, err, requests.Load())
		}
	}
}

// Receivers that say in the body of a 200 that they have not taken the message.
func TestRefusalsInTheBody(t *testing.T) {
	for body, want := range map[string]struct {
		said  string
		again bool
	}{
		"":                               {},
		"ok":                             {},
		"1":                              {},
		"null":                           {},
		`{"ok": true}`:                   {},
		`{"ok": "false"}`:                {},
		`{"errcode": 0, "errmsg": ""}`:   {},
		`{"errors": false, "items": []}`: {},
		`{"error": "none"}`:              {},
		`{"ok": false`:                   {},
		`[{"ok": false}]`:                {},
		`{"OK": false}`:                  {},
		`{"ok":false,"error":"channel_not_found"}`:           {"channel_not_found", false},
		`{"ok":false,"error":"ratelimited"}`:                 {"ratelimited", true},
		` {"success": false, "message": "no\nroom"} `:        {`no\nroom`, false},
		`{"errcode":310000,"errmsg":"keywords"}`:             {"keywords", false},
		`{"errcode":45009,"errmsg":"api freq out of limit"}`: {"freq", true},
		`{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5"}`: {
			"Too Many", true},
		`{"took": 3, "errors": true, "items": [{}]}`: {`{\"took\"`, false},
		`{"errors":true,"items":[{"index":{"_id":"shop/frequency-limiter","status":400,"error":"data.rateLimit"}}]}`: {
			"frequency-limiter", false},
		`{"errors":true,"items":[{"index":{"_id":"shop/a","status":429}}]}`:                    {`\"status\":429`, true},
		`{"ok":false,"error_code":400,"description":"unsupported start tag \"rate-limiter\""}`: {"rate-limiter", false},
		"channel_is_archived":   {"channel_is_archived", false},
		"service_unavailable\n": {"service_unavailable", true},
		"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error " +
			"429 with ContextId 1": {"HTTP error 429", true},
		"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error " +
			"403 with ContextId 1": {"HTTP error 403", false},
	} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		_, err := post(t.Context(), to(t, url))
		switch {
		case want.said == "":
			if err != nil {
				t.Errorf("%q: %v", body, err)
			}
		case want.again:
			expectTransient(t, err, want.said)
		default:
			expectPermanent(t, err, want.said)
		}
	}
}

// A connection that leads nowhere any more costs one request, and the next one uses another.
func TestHalfOpenConnection(t *testing.T) {
	var connections atomic.Int32
	url := rawServer{t: t, early: true, answer: func(c net.Conn, end <-chan struct{}) {
		first := connections.Add(1) == 1
		in := bufio.NewReader(c)
		for n := 0; ; n++ {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			if first && n > 0 {
				<-end
				return
			}
			_, _ = io.WriteString(c, head+"Content-Length: 0\r\n\r\n")
		}
	}}.start()
	c := newClient(t, Config{URL: secret.Literal(url), Timeout: short})
	if _, err := post(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	_, err := post(t.Context(), c)
	expectTransient(t, err, "no complete answer within 100ms")
	for range 3 {
		if _, err := post(t.Context(), c); err != nil {
			t.Error(err)
		}
	}
	if n := connections.Load(); n != 2 {
		t.Errorf("%d connections", n)
	}
}

// What follows an answer is not taken for the next one: the connection that it came on ends. The
// test waits for that end, because a request that net/http sends before it has seen what follows
// would fail, or get it.
func TestAnswersThatAreTooLong(t *testing.T) {
	log.SetOutput(io.Discard) // net/http says there what it found
	defer log.SetOutput(os.Stderr)
	for _, text := range []string{
		"HTTP/1.1 204 No Content\r\n\r\nhunter2", head + "Content-Length: 1\r\n\r\nab",
		head + "Content-Length: 0\r\n\r\nHTTP/1.1 410 Gone\r\n\r\n",
	} {
		ended := make(chan struct{}, 2)
		c := to(t, rawServer{t: t, answer: func(c net.Conn, _ <-chan struct{}) {
			_, _ = io.WriteString(c, text)
			_, _ = io.Copy(io.Discard, c)
			ended <- struct{}{}
		}}.start())
		for range 2 {
			if answer, err := post(t.Context(), c); err != nil || len(answer.Body) > 1 {
				t.Errorf("%q: got %q, %v", text, answer.Body, err)
			}
			<-ended
		}
	}
}

func TestResets(t *testing.T) {
	reset := func(c net.Conn, _ <-chan struct{}) { _ = c.(*net.TCPConn).SetLinger(0) }
	for _, early := range []bool{false, true} {
		url := rawServer{t: t, early: early, answer: reset}.start()
		_, err := to(t, url).Post(t.Context(), Request{Body: make([]byte, 8<<20)})
		expectTransient(t, err, "127.0.0.1")
	}
}

func TestRefusedAndNotFound(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String() + "/hunter2?key=hunter2"
	_ = listener.Close()
	_, err = post(t.Context(), to(t, url))
	expectTransient(t, err, "connection refused")

	c := newClient(t, Config{URL: secret.Literal("http://nowhere.example.com/hunter2"),
		Resolver: &net.Resolver{PreferGo: true,
			Dial: func(context.Context, string, string) (net.Conn, error) {
				return nil, errors.New("no network")
			}}})
	_, err = post(t.Context(), c)
	expectTransient(t, err, "lookup nowhere.example.com")
}

// Nothing but the first request arrives anywhere.
func TestRedirectsAreNotFollowed(t *testing.T) {
	requests := 0
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Location", "http://169.254.169.254/latest/meta-data")
		if requests > 1 {
			w.Header().Set("Location", r.URL.String())
		}
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	c := to(t, url)
	for range 2 {
		_, err := post(t.Context(), c)
		expectPermanent(t, err, "307 Temporary Redirect, and redirects are not followed")
	}
	if requests != 2 {
		t.Errorf("%d requests", requests)
	}
}

// A compressed answer stays compressed, and is not quoted.
func TestCompressedAnswer(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Error("compression is asked for")
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte("hunter2"))
	})
	_, err := post(t.Context(), to(t, url))
	expectPermanent(t, err, "400 Bad Request")
}

func TestGone(t *testing.T) {
	requests := 0
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.WriteHeader(http.StatusGone)
	})
	c := to(t, url)
	for range 3 {
		_, err := post(t.Context(), c)
		expectPermanent(t, err, "410 Gone")
	}
	if requests != 1 {
		t.Errorf("%d requests", requests)
	}
	c.gone.Store(time.Now().Add(-time.Nanosecond).UnixNano())
	if _, err := post(t.Context(), c); err == nil || requests != 2 {
		t.Errorf("after the time: %d requests, %v", requests, err)
	}
}
