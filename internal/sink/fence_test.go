package sink

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
)

var errNot = errors.New("somebody else leads")

// allow returns a fence that refuses after a number of questions.
func allow(n int64) *Fence {
	var left atomic.Int64
	left.Store(n)
	return NewFence(func() error {
		if left.Add(-1) < 0 {
			return errNot
		}
		return nil
	})
}

// connect returns both ends of a connection through a fence.
func connect(t *testing.T, f *Fence) (near, far net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var dialer net.Dialer
	near, err = f.Dial(dialer.DialContext)(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close() })
	if far, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	return near, far
}

// A long write stops at the question that is refused, and nothing follows.
func TestWriteInParts(t *testing.T) {
	for _, tt := range []struct {
		allowed     int64
		length, got int
	}{
		{0, 1, 0}, {1, 1, 1}, {1, maxPart, maxPart}, {1, maxPart + 1, maxPart},
		{2, maxPart + 1, maxPart + 1}, {3, 10 * maxPart, 3 * maxPart}, {1, 0, 0},
	} {
		near, far := connect(t, allow(tt.allowed))
		text := bytes.Repeat([]byte("x"), tt.length)
		received := make(chan int)
		go func() {
			all, _ := io.ReadAll(far)
			received <- len(all)
		}()
		n, err := near.Write(text)
		if n != tt.got || (err == nil) != (tt.got == tt.length) ||
			err != nil && (!errors.Is(err, errNot) || !errors.Is(err, ErrFenced)) {
			t.Errorf("%+v: %d bytes were written, %v", tt, n, err)
		}
		near.Close()
		if got := <-received; got != tt.got {
			t.Errorf("%+v: %d bytes were received", tt, got)
		}
	}
}

// A failed dial and a failed write are as without a fence.
func TestConnectionsThatFail(t *testing.T) {
	broken := errors.New("broken")
	dial := allow(0).Dial(func(context.Context, string, string) (net.Conn, error) {
		return nil, broken
	})
	if c, err := dial(t.Context(), "tcp", "nowhere"); c != nil || err != broken {
		t.Errorf("%v, %v", c, err)
	}
	near, far := connect(t, allow(1000))
	far.(*net.TCPConn).SetLinger(0)
	far.Close()
	for err := error(nil); err == nil; {
		if _, err = near.Write([]byte("x")); err != nil && errors.Is(err, ErrFenced) {
			t.Error(err)
		}
	}
}

// Cut ends what waits, also for a receiver that reads nothing, and drops what the kernel has.
func TestCut(t *testing.T) {
	f := allow(1 << 40)
	reading, _ := connect(t, f)
	writing, stuck := connect(t, f)
	closed, _ := connect(t, f)
	closed.Close()
	ended := make(chan error, 2)
	go func() {
		_, err := reading.Read(make([]byte, 1))
		ended <- err
	}()
	began := make(chan struct{})
	go func() {
		text := make([]byte, maxPart)
		_, err := writing.Write(text)
		close(began)
		for err == nil {
			_, err = writing.Write(text)
		}
		ended <- err
	}()
	<-began
	f.Cut()
	for range 2 {
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("it has ended with %v", err)
		}
	}
	if _, err := io.Copy(io.Discard, stuck); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the receiver got all that was written: %v", err)
	}
	if len(f.lines.open) > 0 {
		t.Errorf("%d connections are kept", len(f.lines.open))
	}
	f.Cut()
}

// A client may connect before it has something to send.
func TestAfter(t *testing.T) {
	var begun atomic.Bool
	f := allow(0)
	after := f.After(begun.Load)
	near, far := connect(t, after)
	if _, err := near.Write([]byte("hello")); err != nil || after.Check() != nil {
		t.Error(err)
	}
	begun.Store(true)
	if n, err := near.Write([]byte("x")); n != 0 || !errors.Is(err, errNot) ||
		!errors.Is(after.Check(), errNot) {
		t.Errorf("%d, %v", n, err)
	}
	f.Cut()
	if _, err := io.Copy(io.Discard, far); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
	if _, err := near.Write(nil); err == nil {
		t.Error("the connection is not one of the fence's")
	}
}

func TestWriter(t *testing.T) {
	var to bytes.Buffer
	w := allow(1).Writer(&to)
	long := bytes.Repeat([]byte("x"), 3*maxPart)
	if n, err := w.Write(long); n != len(long) || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := w.Write(long); n != 0 || !errors.Is(err, errNot) || to.Len() != len(long) {
		t.Errorf("%d, %v; %d bytes were written", n, err, to.Len())
	}
}

func TestExplain(t *testing.T) {
	other := errors.New("the connection was closed")
	f := allow(1)
	if err := f.Explain(nil); err != nil {
		t.Error(err)
	}
	if err := f.Explain(other); err != other {
		t.Error(err)
	}
	if err := f.Explain(other); !errors.Is(err, errNot) || err.Error() !=
		"nothing may be sent now: somebody else leads" {
		t.Error(err)
	}
}

func TestNoFence(t *testing.T) {
	var f *Fence
	f.Cut()
	var to bytes.Buffer
	if f.Check() != nil || f.After(nil) != nil || f.Writer(&to) != io.Writer(&to) {
		t.Error("it does something")
	}
	if near, _ := connect(t, f); near.(*net.TCPConn) == nil {
		t.Error("a connection is another one")
	}
}
