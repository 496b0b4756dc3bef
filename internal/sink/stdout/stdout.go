package stdout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/serial"
)

// Sink is the output. Make one with New, and Close it.
//
// A goroutine makes and writes the lines, not the callers under a lock: a blocked call of the
// stream's Write cannot be ended, and with the goroutine it holds up no caller longer than the
// caller's ctx. Waking the goroutine and then the caller costs more than writing a line, so callers
// should pass several messages.
type Sink struct{ writer *serial.Writer }

// maxBatch is how many messages a caller should pass at once. More would save little.
const maxBatch = 32

// New starts writing to w.
func New(w io.Writer) *Sink {
	out := &writer{w: w}
	return &Sink{serial.New(serial.Config{
		Texts: serial.Texts{Sink: "stdout", Busy: "the reader takes nothing"},
		Do:    out.do,
	})}
}

// Pace implements sink.Sink.
func (s *Sink) Pace() sink.Pace { return sink.Pace{Batch: maxBatch} }

// Write implements sink.Sink.
func (s *Sink) Write(ctx context.Context, messages []sink.Message) []error {
	return s.writer.Write(ctx, messages)
}

// Close implements sink.Sink.
func (s *Sink) Close(ctx context.Context) error { return s.writer.Close(ctx) }

// writer turns messages into lines.
type writer struct {
	w       io.Writer
	buf     []byte // of the last line, used again
	partial bool   // the stream ends in the middle of a line
}

// keepBuf is the capacity above which a buffer is released. Objects can have several MB, but rarely
// do.
const keepBuf = 1 << 20

// do writes the lines of jobs. When a job's ctx is done, or the sink is closed, no further one
// begins; a job that was taken writes its first line.
func (w *writer) do(jobs []*serial.Job) {
	for _, j := range jobs {
		failed := false
		for i := range j.Messages {
			var err error
			if i > 0 {
				err = j.Ended()
			}
			if err == nil {
				err = w.write(&j.Messages[i])
			}
			if err != nil {
				j.Fail(i, err)
				failed = true
			} else if !failed {
				j.Written(i + 1)
			}
		}
	}
}

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
