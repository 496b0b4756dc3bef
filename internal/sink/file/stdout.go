package file

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// maxLines is how many messages a caller should pass at once. More would save little.
const maxLines = 32

// NewStdout starts the output that writes CloudEvents to a stream, which is the process's standard
// output outside of tests: structured JSON, one event a line, and nothing else.
//
// In addition to what every [sink.Sink] promises:
//   - Lines are passed to the stream's Write whole, with their line breaks: several of them
//     together up to 4 KiB, which a pipe takes as a whole, and a longer one alone. Nothing is
//     buffered, so a line is out when Write returns.
//   - A stream that takes nothing, such as a pipe whose reader stopped reading, holds up all
//     writers, each until its ctx is done. Nobody's lines are dropped.
//   - A line of which the stream took only a part is an error worth trying again. The next line
//     then begins with a line break of its own, so that the part spoils no other line.
//   - A broken pipe is a permanent error: nobody will ever read the line. (If the stream is file
//     descriptor 1, the runtime ends the process before, by SIGPIPE, unless the program has asked
//     for that signal.)
//   - The stream is the caller's: Close does not close it. If it takes nothing, a Close whose ctx
//     is done returns and leaves the one call of the stream's Write behind, since nothing can end
//     that.
//
// A goroutine makes and writes the lines, not the callers under a lock: a blocked call of the
// stream's Write cannot be ended, and with the goroutine it holds up no caller longer than the
// caller's ctx. Waking the goroutine and then the caller costs more than writing a line, so callers
// should pass several messages.
func NewStdout(w io.Writer) *sink.Serial {
	return sink.NewSerial(sink.SerialConfig{
		Sink: "stdout", Busy: "the reader takes nothing",
		Batch: maxLines,
		Do:    (&writer{w: w}).do,
	})
}

// writer turns messages into lines.
type writer struct {
	w       io.Writer
	buf     []byte // lines that are not written yet
	ends    []int  // where they end in buf
	partial bool   // the stream ends in the middle of a line
}

// maxPipe is how long several lines together may be. A pipe takes that much as a whole
// (PIPE_BUF), so that what others write to it, such as informerd's log, is between lines. With more
// of it, writing is hardly faster.
const maxPipe = 4096

// keepBuf is the capacity above which a buffer is released. Objects can have several MB, but rarely
// do.
const keepBuf = 1 << 20

// do writes the lines of jobs. When a job's ctx is done, or the sink is closed, no further ones
// begin; a job that was taken writes its first ones.
func (w *writer) do(jobs []*sink.Job) {
	for _, j := range jobs {
		p := pass{writer: w, job: j}
		for i := range j.Messages {
			before := len(w.buf)
			w.buf = append(cloudevent.Append(w.buf, j.Messages[i]), '\n')
			if before > 0 && len(w.buf) > maxPipe {
				p.flush(w.buf[:before])
				w.buf = append(w.buf[:0], w.buf[before:]...)
			}
			w.ends = append(w.ends, len(w.buf))
		}
		p.flush(w.buf)
		if w.buf = w.buf[:0]; cap(w.buf) > keepBuf {
			w.buf = nil
		}
	}
}

// pass is one job being written.
type pass struct {
	*writer
	job    *sink.Job
	from   int // the first message without a result
	failed bool
}

// flush writes the lines that have an end, which are text. A line that fails fails alone.
func (p *pass) flush(text []byte) {
	ends := p.ends
	for begin := 0; len(ends) > 0; {
		var err error
		if p.from > 0 {
			err = p.job.Ended()
		}
		taken := begin
		if err == nil {
			taken, err = p.write(text[begin:])
			taken += begin
		}
		for len(ends) > 0 && ends[0] <= taken {
			p.result(nil)
			ends = ends[1:]
		}
		if len(ends) > 0 {
			p.result(err)
			begin, ends = ends[0], ends[1:]
		}
	}
	p.ends = p.ends[:0]
}

// result sets the result of the next message.
func (p *pass) result(err error) {
	if err != nil {
		p.job.Fail(p.from, err)
		p.failed = true
	} else if !p.failed {
		p.job.Written(p.from + 1)
	}
	p.from++
}

// write writes lines, and returns how many bytes of them the stream has taken.
func (w *writer) write(text []byte) (int, error) {
	ended := 0 // the bytes that end a part of a line
	if w.partial {
		text, ended = append([]byte{'\n'}, text...), 1
	}
	n, err := w.w.Write(text)
	if n < len(text) && err == nil {
		err = io.ErrShortWrite
	}
	if err == nil {
		w.partial = false
		return n - ended, nil
	}
	if n > 0 {
		w.partial = text[n-1] != '\n'
		err = fmt.Errorf("only %d of %d bytes were taken: %w", n, len(text), err)
	}
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		err = sink.Permanent(fmt.Errorf("nobody reads informerd's output any more: %w", err))
	}
	return n - ended, err
}
