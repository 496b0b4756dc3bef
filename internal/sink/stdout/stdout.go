package stdout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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
// should pass several messages.
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
	written  atomic.Int64 // the first lines that are out
	errs     chan []error // has room for the answer, so that run never waits for a caller
}

// maxBatch is how many messages a caller should pass at once. More would save little.
const maxBatch = 32

// New starts writing to w.
func New(w io.Writer) *Sink {
	s := &Sink{jobs: make(chan *job), stop: make(chan struct{}), stopped: make(chan struct{})}
	go s.run(w)
	return s
}

// Pace implements sink.Sink.
func (s *Sink) Pace() sink.Pace { return sink.Pace{Batch: maxBatch} }

// Write implements sink.Sink.
func (s *Sink) Write(ctx context.Context, messages []sink.Message) []error {
	if err := ctx.Err(); err != nil {
		return failed(messages, err)
	}
	// The goroutine may still read the messages when the caller has its slice back.
	j := &job{ctx: ctx, messages: slices.Clone(messages), errs: make(chan []error, 1)}
	select {
	case s.jobs <- j:
	case <-s.stop:
		return failed(messages, sink.ErrClosed)
	case <-ctx.Done():
		return failed(messages, errWaiting(ctx))
	}
	select {
	case errs := <-j.errs:
		return errs
	case <-ctx.Done():
		errs := failed(messages,
			fmt.Errorf("the reader takes nothing; the line may still get out: %w", ctx.Err()))
		clear(errs[:j.written.Load()])
		return errs
	}
}

// failed returns the result of messages of which none is known to be written.
func failed(messages []sink.Message, err error) []error {
	errs := make([]error, len(messages))
	for i := range errs {
		errs[i] = failure(&messages[i], err)
	}
	return errs
}

func failure(m *sink.Message, err error) error {
	return fmt.Errorf("stdout: write %q: %w", m.Subject, err)
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
			j.errs <- s.do(&out, j)
		case <-s.stop:
			return
		}
	}
}

// do writes the lines of a job. When its ctx is done, or the sink is closed, no further one begins.
func (s *Sink) do(out *writer, j *job) (errs []error) {
	for i := range j.messages {
		err := s.ended(j.ctx, i)
		if err == nil {
			err = out.write(&j.messages[i])
		}
		if err == nil {
			if errs == nil {
				j.written.Add(1)
			}
			continue
		}
		if errs == nil {
			errs = make([]error, len(j.messages))
		}
		errs[i] = failure(&j.messages[i], err)
	}
	return errs
}

// ended returns why the i-th line of a job does not begin, nil if it does. A job that was taken
// writes its first line.
func (s *Sink) ended(ctx context.Context, i int) error {
	if i == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return errWaiting(ctx)
	case <-s.stop:
		return sink.ErrClosed
	default:
		return nil
	}
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
