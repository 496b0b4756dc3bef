package informer

import (
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// protocols are what a Client speaks to an API server. HTTP2 is over TLS, too.
var protocols = []string{"HTTP1", "HTTP1-TLS", "HTTP2"}

// start starts a server of the protocol and gives what a client needs to know of it.
func start(s *httptest.Server, protocol string) *rest.Config {
	s.EnableHTTP2 = protocol == "HTTP2"
	if protocol == "HTTP1" {
		s.Start()
		return &rest.Config{Host: s.URL}
	}
	s.StartTLS()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
}

// pipes is a network on which synctest can see that both ends rest. It is a net.Listener; the zero
// value is not ready.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
	dead     atomic.Bool // what the server writes is lost
}

func newPipes() *pipes { return &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accepted <- &mortal{server, &p.dead}:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

// mortal is a connection whose other end can vanish without a word.
type mortal struct {
	net.Conn
	dead *atomic.Bool
}

func (c *mortal) Write(p []byte) (int, error) {
	if c.dead.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// serve starts a server of the protocol inside a bubble. stop ends it and the client's idle
// connections.
func serve(t *testing.T, protocol string, h http.Handler, change func(*rest.Config)) (
	client *Client, net *pipes, stop func()) {
	t.Helper()
	net = newPipes()
	server := &httptest.Server{Listener: net, Config: &http.Server{Handler: h}}
	cfg := start(server, protocol)
	cfg.Dial = net.dial
	if change != nil {
		change(cfg)
	}
	client, err := NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client, net, func() {
		client.CloseIdleConnections()
		server.Close()
	}
}

const noPods = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`

// listNoPods is a whole API server for those who look at the request.
func listNoPods(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, noPods)
}

// list asks for all pods and reads the answer.
func list(ctx context.Context, c *Client) (string, error) {
	body, err := c.ListWatcher(pods, Scope{}).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	return string(text), err
}

// keyPair is a certificate of its own, with its key, as PEM.
type keyPair struct{ cert, key []byte }

func newKeyPair(t *testing.T, name string) keyPair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return keyPair{
		cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
	}
}

// gzipServer is a fakeServer's HTTP side. It compresses its answers, to those who accept that,
// watches included.
type gzipServer struct {
	*fakeServer
	// badList and badWatch, unless empty, are what is wrong with the next answer, once: half (of it
	// is missing), truncated (nothing is missing but the end of the gzip stream), checksum.
	badList, badWatch string

	mu       sync.Mutex
	accepted map[string]bool // values of Accept-Encoding
}

func (s *gzipServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	query := r.URL.Query()
	opts := metav1.ListOptions{ResourceVersion: query.Get("resourceVersion"),
		Continue: query.Get("continue")}
	open, bad := s.List, &s.badList
	if query.Has("watch") {
		open, bad = s.Watch, &s.badWatch
	}
	if query.Has("sendInitialEvents") {
		opts.SendInitialEvents = new(bool)
	}
	body, err := open(r.Context(), opts)
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		w.WriteHeader(int(status.Status().Code))
		_ = json.NewEncoder(w).Encode(status.Status())
		return
	}
	defer body.Close()
	encoding := r.Header.Get("Accept-Encoding")
	s.mu.Lock()
	if s.accepted == nil {
		s.accepted = map[string]bool{}
	}
	s.accepted[encoding] = true
	end := *bad
	*bad = ""
	s.mu.Unlock()
	if encoding != "gzip" {
		_, _ = io.Copy(flushing{w, func() error { return nil }, w.(http.Flusher)}, body)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	out := &badChecksum{Writer: w}
	z := gzip.NewWriter(out)
	if end == "half" {
		_, _ = io.CopyN(z, body, 100)
		_ = z.Flush()
		return
	}
	_, _ = io.Copy(flushing{z, z.Flush, w.(http.Flusher)}, body)
	if out.on = end == "checksum"; end != "truncated" {
		_ = z.Close()
	}
}

// flushing passes on all that is written at once.
type flushing struct {
	io.Writer
	inner func() error
	outer http.Flusher
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if err == nil {
		err = f.inner()
	}
	f.outer.Flush()
	return n, err
}

// badChecksum spoils what a gzip.Writer writes last: 8 bytes, which begin with the checksum.
type badChecksum struct {
	io.Writer
	on bool
}

func (b *badChecksum) Write(p []byte) (int, error) {
	if b.on && len(p) == 8 {
		p = append([]byte{^p[0]}, p[1:]...)
	}
	return b.Writer.Write(p)
}
