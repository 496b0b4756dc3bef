package kube

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/sink"
)

func newWriter(t *testing.T, answer http.HandlerFunc) *Writer {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	w, err := NewWriter(&rest.Config{Host: server.URL + "/prefix", UserAgent: "informerd/test",
		BearerToken: "secret"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.CloseIdleConnections)
	return w
}

var ofPod = sink.KubeRequest{Method: http.MethodPatch, Version: "v1", Resource: "pods",
	Namespace: "shop", Name: "system:web", ContentType: sink.MergePatch, Body: []byte(`{"a":1}`),
	FieldManager: "informerd/fix labels", DryRun: true, MetadataOnly: true}

func TestWriterSendsRequests(t *testing.T) {
	var got string
	w := newWriter(t, func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = fmt.Sprintf("%s %s %s %q %s %s %s", r.Method, r.URL, r.Header.Get("Content-Type"),
			body, r.Header.Get("Accept"), r.Header.Get("Authorization"), r.UserAgent())
		io.WriteString(rw, "answer")
	})
	const metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1," +
		"application/json"
	create := sink.KubeRequest{Method: http.MethodPost, Group: "events.k8s.io", Version: "v1",
		Resource: "events", Namespace: "shop", Body: []byte(`{}`)}
	read := sink.KubeRequest{Method: http.MethodGet, Group: "apps", Version: "v1",
		Resource: "things", Name: "a b?c"}
	for _, tt := range []struct {
		r    sink.KubeRequest
		want string
	}{
		{ofPod, `PATCH /prefix/api/v1/namespaces/shop/pods/system:web?dryRun=All&` +
			`fieldManager=informerd%2Ffix+labels application/merge-patch+json "{\"a\":1}" ` +
			metadata},
		{create, `POST /prefix/apis/events.k8s.io/v1/namespaces/shop/events application/json ` +
			`"{}" application/json`},
		{read, `GET /prefix/apis/apps/v1/things/a%20b%3Fc  "" application/json`},
	} {
		answer, err := w.Do(t.Context(), tt.r)
		if want := tt.want + " Bearer secret informerd/test"; err != nil ||
			string(answer) != "answer" || got != want {
			t.Errorf("%v, answer %q\n got %s\nwant %s", err, answer, got, want)
		}
	}
}

// Names come from objects; none may lead to another path.
func TestWriterRefusesNames(t *testing.T) {
	w := newWriter(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("unexpected request %s", r.URL)
	})
	for _, name := range []string{"", ".", "..", "a/b", "../../nodes/a", "a%2fb"} {
		r := ofPod
		r.Name = name
		_, err := w.Do(t.Context(), r)
		if !sink.IsPermanent(sink.KubeFailure(err)) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestWriterFaults(t *testing.T) {
	const status = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no",` +
		`"reason":%q,"code":%d}`
	fail := func(code int, header, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if header != "" {
				w.Header().Set("Retry-After", header)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	reset := func(after string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(conn, after)
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}
	}
	for _, tt := range []struct {
		name      string
		answer    http.HandlerFunc
		permanent bool
		delay     time.Duration
		text      string
	}{
		{"422", fail(422, "", fmt.Sprintf(status, "Invalid", 422)), true, 0,
			`the API server answered 422 Invalid: "no"`},
		{"403", fail(403, "", fmt.Sprintf(status, "Forbidden", 403)), true, 0,
			`the API server answered 403 Forbidden: "no"`},
		{"429 with a header", fail(429, "7", ""), false, 7 * time.Second,
			"the API server answered 429 TooManyRequests"},
		{"429 with a status", fail(429, "7", fmt.Sprintf(status, "TooManyRequests", 429)), false,
			7 * time.Second, `the API server answered 429 TooManyRequests: "no"`},
		{"an hour", fail(503, "3600", ""), false, backoff.MaxRetryAfter,
			"the API server answered 503 ServiceUnavailable"},
		{"502 of a proxy", fail(502, "", "<html>"), false, 0, "the API server answered 502"},
		{"301", fail(301, "", ""), false, 0, "the API server answered 301"},
		{"reset before", reset(""), false, 0, "the API server did not answer"},
		{"reset in the answer", reset("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), false, 0,
			"the API server did not answer"},
		{"nonsense", reset("hello\r\n\r\n"), false, 0, "the API server did not answer"},
		{"too large", func(w http.ResponseWriter, _ *http.Request) {
			for range maxAnswer>>16 + 1 {
				w.Write(make([]byte, 1<<16))
			}
		}, false, 0, "the API server did not answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked atomic.Int32
			w := newWriter(t, func(rw http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				tt.answer(rw, r)
			})
			_, err := sink.CallKube(t.Context(), w, 20*time.Second, ofPod)
			if err == nil || sink.IsPermanent(err) != tt.permanent ||
				backoff.RetryAfter(err) != tt.delay || !strings.HasPrefix(err.Error(), tt.text) ||
				strings.Contains(err.Error(), "secret") {
				t.Errorf("permanent %t, delay %v: %v", sink.IsPermanent(err),
					backoff.RetryAfter(err), err)
			}
			if n := asked.Load(); n != 1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func TestWriterEndsWithItsContext(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	w := newWriter(t, func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	})
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := w.Do(ctx, ofPod); err == nil || ctx.Err() == nil {
		t.Errorf("got %v", err)
	}
}
