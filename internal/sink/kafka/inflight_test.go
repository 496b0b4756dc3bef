package kafka_test

import (
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A broker has one produce request at a time, however much waits.
func TestOneRequestAtATime(t *testing.T) {
	const callers, objects, versions = 4, 50, 20
	var seen requests
	c := start(t, kfake.ListenFn(seen.listen))
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		<-time.After(time.Millisecond) // so that more comes meanwhile
		return nil, nil, false
	})
	out := open(t, c, nil)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for version := 1; version <= versions; version++ {
				var names []string
				for j := range objects {
					names = append(names, fmt.Sprintf("pod-%d-%d", i, j))
				}
				retry(t, out, messages(t, version, names...)...)
			}
		})
	}
	all.Wait()
	wantVersions(t, c, callers*objects, versions)
	if n := seen.most(); n != 1 {
		t.Errorf("there are up to %d produce requests on a connection, want 1", n)
	}
}

// requests counts the produce requests of connections that have no answer yet.
type requests struct {
	mu  sync.Mutex
	max int
}

func (r *requests) most() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.max
}

func (r *requests) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	return listener{l, r}, err
}

type listener struct {
	net.Listener
	seen *requests
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &conn{Conn: c, seen: l.seen}, err
}

// conn reads along. The brokers read a request before they answer the last one.
type conn struct {
	net.Conn
	seen *requests

	data     []byte // of a request that is not complete
	mu       sync.Mutex
	open     int
	produces bool
}

func (c *conn) Read(p []byte) (n int, err error) {
	n, err = c.Conn.Read(p)
	c.data = append(c.data, p[:n]...)
	for len(c.data) >= 6 {
		end := 4 + int(binary.BigEndian.Uint32(c.data))
		if len(c.data) < end {
			break
		}
		c.came(int16(binary.BigEndian.Uint16(c.data[4:])))
		c.data = c.data[end:]
	}
	return n, err
}

// came takes note of a request. A connection that has produce requests has few others, one by one.
func (c *conn) came(key int16) {
	c.mu.Lock()
	c.open++
	c.produces = c.produces || key == int16(kmsg.Produce)
	n, produces := c.open, c.produces
	c.mu.Unlock()
	if produces {
		c.seen.mu.Lock()
		c.seen.max = max(c.seen.max, n)
		c.seen.mu.Unlock()
	}
}

// Write is called once for an answer.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.open--
	c.mu.Unlock()
	return c.Conn.Write(p)
}
