package httpsink

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/secret/tlstest"
)

// impatient is a server whose connections end after some requests: the next one is read in part,
// and has no answer, as when a server's keep-alive time is over at that moment.
type impatient struct{ opened, read, keyed atomic.Int32 }

// start returns the URL. A connection has so many answers.
func (s *impatient) start(t *testing.T, answers int) string {
	return rawServer{t: t, early: true, answer: func(c net.Conn, _ <-chan struct{}) {
		s.opened.Add(1)
		in := bufio.NewReader(c)
		for range answers {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			s.read.Add(1)
			if _, keyed := r.Header["Idempotency-Key"]; keyed {
				s.keyed.Add(1)
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
		_, _ = in.ReadByte()
	}}.start()
}

// A connection that the server closes between two requests is no failure of the second one.
func TestConnectionThatEndsWhileIdle(t *testing.T) {
	var s impatient
	c := to(t, s.start(t, 2))
	for i := range 7 {
		if _, err := post(t.Context(), c); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
	if opened, read := s.opened.Load(), s.read.Load(); opened != 4 || read != 7 {
		t.Errorf("%d connections, %d requests; want 4 and 7", opened, read)
	}
	if n := s.keyed.Load(); n != 0 {
		t.Errorf("%d requests had a header that nobody has configured", n)
	}
}

// One that ends at its first request is a failure, as it would be the next time.
func TestConnectionThatEndsAtOnce(t *testing.T) {
	var s impatient
	_, err := post(t.Context(), to(t, s.start(t, 0)))
	expectTransient(t, err, "EOF")
	if opened := s.opened.Load(); opened != 1 {
		t.Errorf("%d connections", opened)
	}
}

// The proxies of the environment get nothing.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	url := serve(t, func(http.ResponseWriter, *http.Request) {})
	if _, err := post(t.Context(), to(t, url)); err != nil {
		t.Error(err)
	}
}

// A server that sends its clients away, as one does before it is replaced, fails no request.
func TestGoAway(t *testing.T) {
	i := tlstest.New(t, "one")
	f := tlstest.NewFolder(t, i)
	var opened atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}))
	s.EnableHTTP2 = true
	s.TLS = &tls.Config{Certificates: []tls.Certificate{i.Pair}}
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Config.SetKeepAlivesEnabled(false) // a GOAWAY with each answer
	s.StartTLS()
	t.Cleanup(s.Close)
	c := newClient(t, Config{URL: secret.Literal(s.URL), TLS: &secret.TLSFiles{CAFile: f.Path("ca")}})
	for range 10 {
		if answer, err := post(t.Context(), c); err != nil || string(answer.Body) != "HTTP/2.0" {
			t.Errorf("got %s, %v", answer.Body, err)
		}
	}
	if opened.Load() < 2 {
		t.Error("the server has sent nobody away: the test shows nothing")
	}
}
