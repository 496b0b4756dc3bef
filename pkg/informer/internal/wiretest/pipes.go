// Package wiretest has a network in one process, for tests of what speaks to an API server. Time
// can be synctest's. Only tests may import it.
package wiretest

import (
	"context"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/rest"
)

// Protocols are what a client speaks to an API server. HTTP2 is over TLS, too.
var Protocols = []string{"HTTP1", "HTTP1-TLS", "HTTP2"}

// Start starts a server of the protocol and returns what a client needs to know of it.
func Start(s *httptest.Server, protocol string) *rest.Config {
	s.EnableHTTP2 = protocol == "HTTP2"
	if protocol == "HTTP1" {
		s.Start()
		return &rest.Config{Host: s.URL}
	}
	s.StartTLS()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
}

// Pipes is a network on which synctest can see that both ends rest. It is a net.Listener.
type Pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
	dead     atomic.Bool // what the server writes is lost
}

// NewPipes returns a network.
func NewPipes() *Pipes { return &Pipes{accepted: make(chan net.Conn), closed: make(chan struct{})} }

// Dial returns the client's end of a new connection.
func (p *Pipes) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
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

// Accept returns the server's end of a new connection.
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the network, but not the connections there are.
func (p *Pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr returns an address that means nothing.
func (p *Pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

// Die has all that the server writes from now on vanish, as if its machine had gone.
func (p *Pipes) Die() { p.dead.Store(true) }

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

// Serve starts a server of the protocol on a network of its own, and returns what a client needs to
// know of it.
func Serve(protocol string, h http.Handler) (*rest.Config, *Pipes, *httptest.Server) {
	pipes := NewPipes()
	server := &httptest.Server{Listener: pipes, Config: &http.Server{Handler: h}}
	cfg := Start(server, protocol)
	cfg.Dial = pipes.Dial
	return cfg, pipes, server
}
