package httpsink

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/secret/tlstest"
)

// serveTLS answers with the name in the client's certificate and the version of HTTP.
func serveTLS(t testing.TB, i tlstest.Identity, clients *x509.CertPool) (url string) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) > 0 {
			_, _ = io.WriteString(w, r.TLS.PeerCertificates[0].Subject.CommonName+" ")
		}
		_, _ = io.WriteString(w, r.Proto)
	}))
	s.Config.ErrorLog = quiet
	s.EnableHTTP2 = true
	s.TLS = &tls.Config{Certificates: []tls.Certificate{i.Pair}}
	if clients != nil {
		s.TLS.ClientAuth, s.TLS.ClientCAs = tls.RequireAndVerifyClientCert, clients
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

func TestHTTP2(t *testing.T) {
	i := tlstest.New(t, "one")
	f := tlstest.NewFolder(t, i)
	c := newClient(t, Config{URL: secret.Literal(serveTLS(t, i, nil)),
		TLS: &secret.TLSFiles{CAFile: f.Path("ca")}})
	if answer, err := post(t.Context(), c); err != nil || string(answer.Body) != "HTTP/2.0" {
		t.Errorf("got %s, %v", answer.Body, err)
	}
}

func TestCertificatesThatAreWrong(t *testing.T) {
	for want, i := range map[string]tlstest.Identity{
		"certificate has expired":                          tlstest.Expired(t, "one"),
		"certificate is valid for 10.0.0.1, not 127.0.0.1": tlstest.Elsewhere(t, "one"),
		"certificate signed by unknown authority":          tlstest.New(t, "two"),
	} {
		trusted := i
		if want == "certificate signed by unknown authority" {
			trusted = tlstest.New(t, "one")
		}
		f := tlstest.NewFolder(t, trusted)
		c := newClient(t, Config{URL: secret.Literal(serveTLS(t, i, nil)),
			TLS: &secret.TLSFiles{CAFile: f.Path("ca")}})
		_, err := post(t.Context(), c)
		expectTransient(t, err, want)
	}
	// A server that does not speak TLS, and one that does.
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, err := post(t.Context(), to(t, "https"+plain[len("http"):]))
	expectTransient(t, err, "TLS handshake: ")
	i := tlstest.New(t, "one")
	_, err = post(t.Context(), to(t, "http"+serveTLS(t, i, nil)[len("https"):]))
	expectPermanent(t, err, "400 Bad Request")
}

// A client's certificate and the CAs of servers are replaced without a restart, also where a
// connection is open.
func TestClientCertificateIsReplaced(t *testing.T) {
	one, two := tlstest.New(t, "one"), tlstest.New(t, "two")
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(one.Cert)
	clients.AppendCertsFromPEM(two.Cert)
	f := tlstest.NewFolder(t, one)
	files := &secret.TLSFiles{CAFile: f.Path("ca"), CertFile: f.Path("cert"), KeyFile: f.Path("key")}
	c := newClient(t, Config{URL: secret.Literal(serveTLS(t, one, clients)), TLS: files})
	for _, want := range []string{"one HTTP/2.0", "two HTTP/2.0"} {
		if answer, err := post(t.Context(), c); err != nil || string(answer.Body) != want {
			t.Errorf("got %s, %v, want %s", answer.Body, err, want)
		}
		f.Write("cert", two.Cert)
		f.Write("key", two.Key)
		var err error
		if c.tls, err = secret.OpenTLS(files); err != nil { // looks at them a second earlier
			t.Fatal(err)
		}
	}
}

// Close ends a handshake that the server never answers.
func TestHandshakeThatHangs(t *testing.T) {
	gone := make(chan struct{})
	url := rawServer{t: t, early: true, answer: func(c net.Conn, _ <-chan struct{}) {
		_, _ = io.Copy(io.Discard, c)
		close(gone)
	}}.start()
	c := newClient(t, Config{URL: secret.Literal("https" + url[len("http"):]), Timeout: short})
	_, err := post(t.Context(), c)
	expectTransient(t, err, "no complete answer within 100ms")
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case <-gone:
	case <-time.After(5 * time.Second): // half of what a handshake may take
		t.Error("the connection is open")
	}
}
