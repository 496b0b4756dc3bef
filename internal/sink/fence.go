package sink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// ErrFenced is wrapped in the errors of what a fence has refused. It is worth a retry.
var ErrFenced = errors.New("nothing may be sent now")

// Fence refuses what must not be sent any more. Nil refuses nothing. It is safe for concurrent use.
// Make one with NewFence.
type Fence struct {
	may   func() error
	lines *lines
}

// lines are the connections that are open.
type lines struct {
	mu   sync.Mutex
	open map[*line]struct{}
}

// NewFence returns a fence that refuses what may returns an error for. It asks may often, and
// concurrently.
func NewFence(may func() error) *Fence {
	return &Fence{may, &lines{open: map[*line]struct{}{}}}
}

// After returns a fence that refuses nothing until begun reports true, and then what f refuses. It
// is for a client that keeps a connection before there is anything to send.
func (f *Fence) After(begun func() bool) *Fence {
	if f == nil {
		return nil
	}
	return &Fence{func() error {
		if !begun() {
			return nil
		}
		return f.may()
	}, f.lines}
}

// Check returns why nothing may be sent at this moment, nil if it may.
func (f *Fence) Check() error {
	if f == nil {
		return nil
	}
	if err := f.may(); err != nil {
		return fmt.Errorf("%w: %w", ErrFenced, err)
	}
	return nil
}

// Explain returns why a request without an answer has failed with err: that the fence refuses, if
// it does, since clients say about a write that was refused what they like. It returns nil for nil.
func (f *Fence) Explain(err error) error {
	if err == nil {
		return nil
	}
	if refused := f.Check(); refused != nil {
		return refused
	}
	return err
}

// Cut ends all connections, at once.
func (f *Fence) Cut() {
	if f == nil {
		return
	}
	f.lines.mu.Lock()
	defer f.lines.mu.Unlock()
	for l := range f.lines.open {
		l.cut()
	}
	clear(f.lines.open)
}

// dialFunc connects to an address.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// Dial returns a function that connects as dial does. What is written to its connections passes the
// fence.
func (f *Fence) Dial(dial dialFunc) dialFunc {
	if f == nil {
		return dial
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		l := &line{c, f}
		f.lines.mu.Lock()
		defer f.lines.mu.Unlock()
		f.lines.open[l] = struct{}{}
		return l, nil
	}
}

// line is a connection behind a fence.
type line struct {
	net.Conn
	fence *Fence
}

// maxPart is how many bytes of a connection are written at once.
const maxPart = 16 << 10

// Write implements net.Conn.
func (l *line) Write(p []byte) (n int, err error) {
	for more := true; more; more = n < len(p) {
		if err := l.fence.Check(); err != nil {
			return n, err
		}
		m, err := l.Conn.Write(p[n:min(n+maxPart, len(p))])
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Close implements net.Conn.
func (l *line) Close() error {
	l.fence.lines.mu.Lock()
	delete(l.fence.lines.open, l)
	l.fence.lines.mu.Unlock()
	return l.Conn.Close()
}

// cut closes the connection without sending what waits in the kernel.
func (l *line) cut() {
	if c, ok := l.Conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = c.SetLinger(0) // it may be closed already
	}
	_ = l.Conn.Close()
}

// Writer returns a writer whose Write passes the fence, as a whole.
func (f *Fence) Writer(w io.Writer) io.Writer {
	if f == nil {
		return w
	}
	return fencedWriter{w, f}
}

type fencedWriter struct {
	io.Writer
	fence *Fence
}

// Write implements io.Writer.
func (w fencedWriter) Write(p []byte) (int, error) {
	if err := w.fence.Check(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}
