package endpoints

import (
	"cmp"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// crowd closes a connection for each one that is too many, of the address that has most of them: the
// one that has waited longest for a request or, if all have one, the one whose request has taken
// longest, since its body may never come. So who opens many keeps nobody else from being answered. It
// is safe for concurrent use.
type crowd struct {
	most int

	mu    sync.Mutex // guards what follows
	conns map[net.Conn]*visitor
	of    map[string]int // connections, by address
}

// visitor is a connection.
type visitor struct {
	address string
	active  int // 1 while it has a request, else 0
	since   time.Time
}

// note implements http.Server.ConnState.
func (c *crowd) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state == http.StateNew {
		if len(c.conns) >= c.most {
			c.closeOne()
		}
		if c.conns == nil {
			c.conns, c.of = map[net.Conn]*visitor{}, map[string]int{}
		}
		address, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
		c.conns[conn] = &visitor{address: address, since: time.Now()}
		c.of[address]++
		return
	}
	v := c.conns[conn]
	switch {
	case v == nil: // it was closed
	case state == http.StateActive:
		v.active, v.since = 1, time.Now()
	case state == http.StateIdle:
		v.active, v.since = 0, time.Now()
	default:
		c.forget(conn, v)
	}
}

// closeOne closes a connection. The caller holds mu.
func (c *crowd) closeOne() {
	var first net.Conn
	for conn, v := range c.conns {
		if first == nil || c.before(v, c.conns[first]) {
			first = conn
		}
	}
	c.forget(first, c.conns[first])
	closeNow(first)
}

// before reports whether one connection is closed rather than another.
func (c *crowd) before(a, b *visitor) bool {
	return cmp.Or(c.of[b.address]-c.of[a.address], a.active-b.active, a.since.Compare(b.since)) < 0
}

func (c *crowd) forget(conn net.Conn, v *visitor) {
	delete(c.conns, conn)
	if c.of[v.address]--; c.of[v.address] == 0 {
		delete(c.of, v.address)
	}
}

// closeNow closes a connection without the farewell of TLS, for which a client may have it wait.
func closeNow(conn net.Conn) {
	if encrypted, is := conn.(*tls.Conn); is {
		conn = encrypted.NetConn()
	}
	_ = conn.Close() // who serves it learns of that
}
