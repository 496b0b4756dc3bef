package conformance

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
)

// network connects a client and a server by pipes, on which synctest can see that both rest. It is
// a net.Listener.
type network struct {
	accepted chan net.Conn
	closed   chan struct{}

	mu     sync.Mutex
	refuse int // how many of the next connections are refused

	count func(fault string)
}

func newNetwork(count func(fault string)) *network {
	return &network{accepted: make(chan net.Conn), closed: make(chan struct{}), count: count}
}

// transport dials again for each request, so that a connection's end is that of one request.
func (n *network) transport() *http.Transport {
	return &http.Transport{DisableKeepAlives: true, DialContext: n.dial}
}

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	n.mu.Lock()
	refused := n.refuse > 0
	if refused {
		n.refuse--
	}
	n.mu.Unlock()
	if refused {
		n.count("refused")
		return nil, &net.OpError{Op: "dial", Net: "tcp",
			Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	client, server := net.Pipe()
	select {
	case n.accepted <- &breakable{Conn: server, left: -1}:
		return client, nil
	case <-n.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (n *network) refuseNext(count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refuse = count
}

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.accepted:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error {
	close(n.closed)
	return nil
}

func (n *network) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// breakable is the server's end of a connection, which breaks after so many bytes.
type breakable struct {
	net.Conn

	mu   sync.Mutex
	left int // -1: it never breaks
}

var errBroken = errors.New("the script has broken the connection")

func (c *breakable) breakAfter(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = bytes
}

func (c *breakable) Write(p []byte) (int, error) {
	c.mu.Lock()
	left := c.left
	if left >= len(p) {
		c.left -= len(p)
	}
	c.mu.Unlock()
	if left < 0 || left >= len(p) {
		return c.Conn.Write(p)
	}
	n, _ := c.Conn.Write(p[:left]) // the connection is broken in any case
	_ = c.Conn.Close()
	return n, errBroken
}

// breaks reports whether the connection will not carry a body of so many bytes, headers not
// counted.
func (c *breakable) breaks(bytes int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left >= 0 && c.left < bytes
}
