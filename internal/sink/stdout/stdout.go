package stdout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// Sink is the output. Make one with New, and Close it.
//
// A goroutine makes and writes the lines, not the callers under a lock: a blocked call of the
// stream's Write cannot be ended, and with the goroutine it holds up no caller longer than the
// caller's ctx. Waking the goroutine and then the caller costs more than writing a line, so callers
// that have several messages use WriteAll.
type Sink struct {
	jobs    chan *job
	stop    chan struct{} // closed by Close
	stopped chan struct{} // closed when run has returned
	once    sync.Once     // guards closing stop
}

// job is the messages of one call.
type job struct {
	ctx      context.Context
	messages []sink.Message
	written  atomic.Int64
	result   chan error // has room for the answer, so that run never waits for a caller
}

// New starts writing to w.
func New(w io.Writer) *Sink {
	s := &Sink{jobs: make(chan *job), stop: make(chan struct{}), stopped: make(chan struct{})}
	go s.run(w)
	return s
}

// Write implements sink.Sink.
func (s *Sink) Write(ctx context.Context, m sink.Message) error {
	_, err := s.WriteAll(ctx, []sink.Message{m})
	return err
}

// WriteAll implements sink.Batcher.
func (s *Sink) WriteAll(ctx context.Context, messages []sink.Message) (n int, err error) {
	n, err = s.write(ctx, messages)
	if n == len(messages) {
		return n, nil
	}
	return n, fmt.Errorf("stdout: write %q: %w", messages[n].Subject, err)
}

func (s *Sink) write(ctx context.Context, messages []sink.Message) (n int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	j := &job{ctx: ctx, messages: messages, result: make(chan error, 1)}
	select {
	case s.jobs <- j:
	case <-s.stop:
		return 0, sink.ErrClosed
	case <-ctx.Done():
		return 0, errWaiting(ctx)
	}
	select {
	case err = <-j.result:
	case <-ctx.Done():
		err = fmt.Errorf("the reader takes nothing; the line may still get out: %w", ctx.Err())
	}
	return int(j.written.Load()), err
}

func errWaiting(ctx context.Context) error {
	return fmt.Errorf("waiting for the lines before it: %w", ctx.Err())
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
		case j := <-s.jobs:
			j.result <- s.do(&out, j)
		case <-s.stop:
			return
		}
	}
}

// do writes the lines of a job. When its ctx is done, or the sink is closed, no further one begins.
func (s *Sink) do(out *writer, j *job) error {
	for i := range j.messages {
		if i > 0 {
			select {
			case <-j.ctx.Done():
				return errWaiting(j.ctx)
			case <-s.stop:
				return sink.ErrClosed
			default:
			}
		}
		if err := out.write(&j.messages[i]); err != nil {
			return err
		}
		j.written.Add(1)
	}
	return nil
}

// writer turns messages into lines.
type writer struct {
	w       io.Writer
	buf     []byte // of the last line, used again
	partial bool   // the stream ends in the middle of a line
}

// keepBuf is the capacity above which a buffer is released. Objects can have several MB, but rarely
// do.
const keepBuf = 1 << 20

func (w *writer) write(m *sink.Message) error {
	buf := w.buf[:0]
	if w.partial {
		buf = append(buf, '\n')
	}
	buf = cloudevent.Append(buf, *m)
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
