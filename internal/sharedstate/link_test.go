package sharedstate

import (
	"net"
	"sync"
	"testing"
)

// link is a way to a server that can be cut off: then nothing comes through, and no end
// of a connection either.
type link struct {
	listener net.Listener
	to       string
	running  sync.WaitGroup

	mu    sync.Mutex
	whole chan struct{} // closed while the link is whole
	conns map[net.Conn]struct{}
}

func newLink(t testing.TB, to string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{listener: listener, to: to, whole: make(chan struct{}),
		conns: map[net.Conn]struct{}{}}
	close(l.whole)
	l.running.Go(l.accept)
	t.Cleanup(func() {
		l.mend()
		_ = listener.Close()
		l.drop()
		l.running.Wait()
	})
	return l
}

func (l *link) address() string { return l.listener.Addr().String() }

func (l *link) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", l.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		l.mu.Lock()
		l.conns[near], l.conns[far] = struct{}{}, struct{}{}
		l.mu.Unlock()
		l.running.Go(func() { l.copy(far, near) })
		l.running.Go(func() { l.copy(near, far) })
	}
}

func (l *link) copy(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		l.await()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	l.mu.Lock()
	delete(l.conns, from)
	l.mu.Unlock()
}

func (l *link) await() {
	l.mu.Lock()
	whole := l.whole
	l.mu.Unlock()
	<-whole
}

// cut lets nothing through, and mend lets through what was held up.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.whole = make(chan struct{})
}

func (l *link) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.whole:
	default:
		close(l.whole)
	}
}

// drop closes all connections.
func (l *link) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Close()
	}
}
