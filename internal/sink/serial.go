package sink

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// SerialConfig is how a Serial writes.
type SerialConfig struct {
	Sink string // what errors begin with, such as "stdout"
	Busy string // why a write does not end, such as "the reader takes nothing"
	// Batch is how many messages callers should pass at once, see Pace.
	Batch int
	// Jobs is how many jobs are carried out together at most; 0 means 1.
	Jobs int
	// Do carries out jobs: it calls Fail for each message that was not written.
	Do func([]*Job)
	// End is called when the last jobs are done, once; nil is nothing. Its error is that of Close.
	End func() error
}

// Serial is the goroutine of a sink whose writes cannot be interrupted. Make one with NewSerial, and Close it.
type Serial struct {
	config  SerialConfig
	jobs    chan *Job
	stop    chan struct{} // closed by Close
	stopped chan struct{} // closed when run has returned
	endErr  error         // of End; written before stopped is closed
	once    sync.Once     // guards closing stop
	spare   sync.Pool     // of Jobs that have ended, for the memory of their messages
}

// Job is the messages of one call of Write.
type Job struct {
	Messages []Message

	writer *Serial
	ctx    context.Context
	errs   []error
	result chan []error // has room for the result, so that run never waits for a caller
	done   atomic.Int64 // the first messages that are written for good
}

// NewSerial starts the goroutine.
func NewSerial(config SerialConfig) *Serial {
	config.Jobs = max(config.Jobs, 1)
	w := &Serial{config: config, jobs: make(chan *Job), stop: make(chan struct{}),
		stopped: make(chan struct{})}
	go w.run()
	return w
}

// Write is Write of a sink.
func (w *Serial) Write(ctx context.Context, messages []Message) []error {
	if len(messages) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return w.failed(messages, err)
	}
	// The goroutine may still read the messages when the caller has its slice back.
	j := w.job(ctx, messages)
	select {
	case w.jobs <- j:
	case <-w.stop:
		return w.failed(messages, ErrClosed)
	case <-ctx.Done():
		return w.failed(messages, errWaiting(ctx))
	}
	select {
	case errs := <-j.result:
		w.ended(j)
		return errs
	case <-ctx.Done():
		errs := w.failed(messages, fmt.Errorf("%s; the line may still get out: %w", w.config.Busy,
			ctx.Err()))
		clear(errs[:j.done.Load()])
		return errs
	}
}

// job returns a job with a copy of the messages.
func (w *Serial) job(ctx context.Context, messages []Message) *Job {
	j, ok := w.spare.Get().(*Job)
	if !ok {
		j = &Job{writer: w, result: make(chan []error, 1)}
	}
	j.ctx, j.Messages = ctx, append(j.Messages, messages...)
	return j
}

// ended keeps a job that the goroutine has done with.
func (w *Serial) ended(j *Job) {
	clear(j.Messages)
	j.ctx, j.Messages, j.errs = nil, j.Messages[:0], nil
	j.done.Store(0)
	w.spare.Put(j)
}

// Pace is Pace of a sink.
func (w *Serial) Pace() Pace { return Pace{Batch: w.config.Batch} }

// Close is Close of a sink.
func (w *Serial) Close(ctx context.Context) error {
	w.once.Do(func() { close(w.stop) })
	select {
	case <-w.stopped:
		return w.endErr
	case <-ctx.Done():
		return fmt.Errorf("%s: close: %s, and a line is still being written: %w", w.config.Sink,
			w.config.Busy, ctx.Err())
	}
}

// run carries out jobs until Close.
func (w *Serial) run() {
	defer close(w.stopped)
	var jobs []*Job
	for {
		select {
		case j := <-w.jobs:
			jobs = w.more(append(jobs[:0], j))
			w.config.Do(jobs)
			for _, j := range jobs {
				j.result <- j.errs // and the job is the caller's
			}
			clear(jobs)
		case <-w.stop:
			if w.config.End != nil {
				w.endErr = w.config.End()
			}
			return
		}
	}
}

// more adds the jobs that wait to those that are carried out.
func (w *Serial) more(jobs []*Job) []*Job {
	for len(jobs) < w.config.Jobs {
		select {
		case j := <-w.jobs:
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}

// Ended returns why no further message of the job should be written, nil if there is no reason: its
// ctx is done, or the writer is closed.
func (j *Job) Ended() error {
	select {
	case <-j.ctx.Done():
		return errWaiting(j.ctx)
	case <-j.writer.stop:
		return ErrClosed
	default:
		return nil
	}
}

// Canceled returns an error if the job's ctx is done, so that it must not begin.
func (j *Job) Canceled() error {
	if j.ctx.Err() != nil {
		return errWaiting(j.ctx)
	}
	return nil
}

// Fail makes err the result of the i-th message.
func (j *Job) Fail(i int, err error) {
	if j.errs == nil {
		j.errs = make([]error, len(j.Messages))
	}
	j.errs[i] = j.writer.failure(&j.Messages[i], err)
}

// Written says that the first n messages were written for good, which is then their result even if
// ctx ends before the job does.
func (j *Job) Written(n int) { j.done.Store(int64(n)) }

// failed returns the result of messages of which none is known to be written.
func (w *Serial) failed(messages []Message, err error) []error {
	errs := make([]error, len(messages))
	for i := range errs {
		errs[i] = w.failure(&messages[i], err)
	}
	return errs
}

func (w *Serial) failure(m *Message, err error) error {
	return fmt.Errorf("%s: write %.256q: %w", w.config.Sink, m.Subject, err)
}

func errWaiting(ctx context.Context) error {
	return fmt.Errorf("waiting for the lines before it: %w", ctx.Err())
}
