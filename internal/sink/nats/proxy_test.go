package nats_test

import (
	"net"
	"runtime"
	"sync"
	"testing"

	"github.com/informerd/informerd/internal/sink/sinktest"
)

// proxy is between a sink and a server.
type proxy struct {
	listener net.Listener
	server   string
	hung     chan struct{}
	wg       sync.WaitGroup

	mu        sync.Mutex // guards the fields below
	behaviour sinktest.Behaviour
	changed   chan struct{}
	hanging   int // pipes that do
	conns     map[net.Conn]bool
	clients   map[net.Conn]bool // of conns
}

// newProxy starts a proxy that ends with the test.
func newProxy(t testing.TB, server string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, server: server, hung: make(chan struct{}, 1000),
		changed: make(chan struct{}), conns: map[net.Conn]bool{},
		clients: map[net.Conn]bool{}}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close() // it ends accept
		p.set(sinktest.Fail)
		p.breakAll()
		p.wg.Wait()
	})
	return p
}

// heal makes the proxy healthy. What hangs meanwhile is lost, as are its connections.
func (p *proxy) heal() {
	p.set(sinktest.Fail)
	p.breakAll()
	for {
		p.mu.Lock()
		hanging := p.hanging
		p.mu.Unlock()
		if hanging == 0 {
			break
		}
		runtime.Gosched()
	}
	p.set(sinktest.Healthy)
}

func (p *proxy) url() string { return "nats://" + p.listener.Addr().String() }

func (p *proxy) set(b sinktest.Behaviour) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.behaviour = b
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *proxy) hang(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hanging += n
}

func (p *proxy) get() (sinktest.Behaviour, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.behaviour, p.changed
}

// breakAll breaks all connections.
func (p *proxy) breakAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close() // it may be closed
	}
}

// inject sends a text to the sinks.
func (p *proxy) inject(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.clients {
		_, _ = c.Write([]byte(text)) // it may be closed
	}
}

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = in.Close() // the server is away
			continue
		}
		p.mu.Lock()
		p.conns[in], p.conns[out], p.clients[in] = true, true, true
		p.mu.Unlock()
		p.wg.Go(func() { p.pipe(in, out, true) })
		p.wg.Go(func() { p.pipe(out, in, false) })
	}
}

// pipe passes bytes on, and ends both sides when one ends.
func (p *proxy) pipe(from, to net.Conn, requests bool) {
	defer func() {
		_ = from.Close() // both may be closed
		_ = to.Close()
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		b, changed := p.get()
		for requests && b == sinktest.Hang {
			p.hang(1)
			select {
			case p.hung <- struct{}{}:
			default:
			}
			<-changed
			b, changed = p.get()
			p.hang(-1)
		}
		switch {
		case b == sinktest.Fail, b == sinktest.Break && !requests:
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
