package httpsink

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/secret/tlstest"
	"github.com/informerd/informerd/internal/sink"
)

// barred is a fence that a test closes.
type barred struct {
	*sink.Fence
	closed atomic.Bool
}

var errOther = errors.New("another one leads")

func newBarred() *barred {
	b := &barred{}
	b.Fence = sink.NewFence(func() error {
		if b.closed.Load() {
			return errOther
		}
		return nil
	})
	return b
}

func expectRefused(t *testing.T, at string, err error) {
	t.Helper()
	u, wrong := url.Parse(at)
	if wrong != nil {
		t.Fatal(wrong)
	}
	if !errors.Is(err, errOther) || !errors.Is(err, sink.ErrFenced) || sink.IsPermanent(err) ||
		err.Error() != u.Host+": nothing may be sent now: another one leads" {
		t.Errorf("got %v", err)
	}
}

// overTLS serves requests with HTTP/2, or without, and returns a client.
func overTLS(t *testing.T, http2 bool, f *sink.Fence, hello func(), answer http.HandlerFunc) (
	url string, c *Client) {
	t.Helper()
	i := tlstest.New(t, "one")
	s := httptest.NewUnstartedServer(answer)
	s.Config.ErrorLog, s.EnableHTTP2 = quiet, http2
	s.TLS = &tls.Config{Certificates: []tls.Certificate{i.Pair},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			hello()
			return nil, nil
		}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, newClient(t, Config{URL: secret.Literal(s.URL), Fence: f,
		TLS: &secret.TLSFiles{CAFile: tlstest.NewFolder(t, i).Path("ca")}})
}

// What connects for long may not send any more when that is done.
func TestFenceWhileConnecting(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		b := newBarred()
		url, c := overTLS(t, http2, b.Fence, func() { b.closed.Store(true) },
			func(http.ResponseWriter, *http.Request) { t.Error("a request has come") })
		_, err := post(t.Context(), c)
		expectRefused(t, url, err)
	}
}

// A request whose body takes long is not completed.
func TestFenceInABody(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		b := newBarred()
		read := make(chan error, 1)
		url, c := overTLS(t, http2, b.Fence, func() {},
			func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadFull(r.Body, make([]byte, 100))
				b.closed.Store(true)
				_, err := io.Copy(io.Discard, r.Body)
				read <- err
			})
		_, err := c.Post(t.Context(), Request{Header: http.Header{}, Body: make([]byte, 32<<20)})
		expectRefused(t, url, err)
		if <-read == nil {
			t.Errorf("HTTP/2 %t: the body was read to its end", http2)
		}
	}
}

// The transport does not send again what it may not send any more.
func TestFenceBeforeASecondAttempt(t *testing.T) {
	b := newBarred()
	var requests atomic.Int64
	url := rawServer{t: t, early: true, answer: func(c net.Conn, _ <-chan struct{}) {
		from := bufio.NewReader(c)
		for {
			r, err := http.ReadRequest(from)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			if requests.Add(1) == 2 {
				b.closed.Store(true)
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	}}.start()
	c := newClient(t, Config{URL: secret.Literal(url), Fence: b.Fence})
	if _, err := post(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	_, err := post(t.Context(), c)
	expectRefused(t, url, err)
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests have come", n)
	}
}

// A request that nobody answers ends as soon as the fence is cut.
func TestCutEndsRequests(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		b := newBarred()
		ended := make(chan struct{})
		url, c := overTLS(t, http2, b.Fence, func() {},
			func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				b.closed.Store(true)
				b.Cut()
				<-r.Context().Done()
				close(ended)
			})
		_, err := post(t.Context(), c)
		expectRefused(t, url, err)
		<-ended
	}
}
