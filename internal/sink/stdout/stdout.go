package stdout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// Sink is the output. Make one with New, and Close it.
//
// A goroutine of its own makes the lines and writes them, not the callers under a lock: a blocked call of the stream's
// Write cannot be ended, and with the goroutine it holds up no caller longer than the caller's ctx.
type Sink struct {
	lines   chan line
	stop    chan struct{} // closed by Close
	stopped chan struct{} // closed when run has returned
	once    sync.Once     // guards closing stop
}

// line is a message that waits to be written. Result has room for the answer, so that run never waits for a caller.
type line struct {
	m      sink.Message
	result chan error
}

// New starts writing to w.
func New(w io.Writer) *Sink {
	s := &Sink{lines: make(chan line), stop: make(chan struct{}), stopped: make(chan struct{})}
	go s.run(w)
	return s
}

// Write implements sink.Sink.
func (s *Sink) Write(ctx context.Context, m sink.Message) error {
	err := s.write(ctx, m)
	if err != nil {
		return fmt.Errorf("stdout: write %q: %w", m.Subject, err)
	}
	return nil
}

func (s *Sink) write(ctx context.Context, m sink.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := line{m: m, result: make(chan error, 1)}
	select {
	case s.lines <- l:
	case <-s.stop:
		return sink.ErrClosed
	case <-ctx.Done():
		return fmt.Errorf("waiting for the lines before it: %w", ctx.Err())
	}
	select {
	case err := <-l.result:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the reader takes nothing; the line may still get out: %w", ctx.Err())
	}
}

// Close implements sink.Sink.
func (s *Sink) Close(ctx context.Context) error {
	s.once.Do(func() { close(s.stop) })
	select {
	case <-s.stopped:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stdout: close: the reader takes nothing, and a line is still being written: %w", ctx.Err())
	}
}

// run owns the stream until Close.
func (s *Sink) run(w io.Writer) {
	defer close(s.stopped)
	out := writer{w: w}
	for {
		select {
		case l := <-s.lines:
			l.result <- out.write(l.m)
		case <-s.stop:
			return
		}
	}
}

// writer turns messages into lines.
type writer struct {
	w       io.Writer
	buf     []byte // of the last line, used again
	partial bool   // the stream ends in the middle of a line
}

// keepBuf is how large a buffer may be to be kept. Objects can have some MB, and are rarely that large.
const keepBuf = 1 << 20

func (w *writer) write(m sink.Message) error {
	buf := w.buf[:0]
	if w.partial {
		buf = append(buf, '\n')
	}
	buf = cloudevent.Append(buf, m)
	buf = append(buf, '\n')
	if cap(buf) <= keepBuf {
		w.buf = buf
	}
	n, err := w.w.Write(buf)
	if n < len(buf) && err == nil {
		err = io.ErrShortWrite
	}
	if err == nil {
		w.partial = false
		return nil
	}
	if n > 0 {
		w.partial = n < len(buf)
		err = fmt.Errorf("only %d of %d bytes were taken: %w", n, len(buf), err)
	}
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return sink.Permanent(fmt.Errorf("nobody reads informerd's output any more: %w", err))
	}
	return err
}
