package delivery

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/sink"
)

// FailuresBeforePause is how many writes in a row, of all listeners, may fail before an output is
// paused.
const FailuresBeforePause = 5

// pauses is the range of the pauses of an output. They have jitter.
var pauses = backoff.Backoff{Min: time.Second, Max: time.Minute}

// Output is a sink as all its listeners share it, or those in one cluster, see In. Make one with
// NewOutput.
type Output struct {
	Name string
	Sink sink.Sink

	pace    sink.Pace // of Sink, with no zero in it
	breaker backoff.Breaker
	lost    backoff.Failures // messages that became dead letters
	log     *slog.Logger
	use     *use
	earlier atomic.Uint64 // pauses of outputs that it has taken the place of

	mu sync.Mutex         // guards what follows
	in map[string]*Output // what In has returned, by clusters
}

// NewOutput returns an output. The sink stays the caller's to close.
func NewOutput(name string, s sink.Sink, log *slog.Logger) *Output {
	p := s.Pace()
	p.Batch, p.Writes = max(p.Batch, 1), max(p.Writes, 1)
	return &Output{Name: name, Sink: s, pace: p, log: log, use: &use{}, in: map[string]*Output{},
		breaker: backoff.Breaker{After: FailuresBeforePause, Pauses: pauses, Jitter: true}}
}

// In returns the output as its listeners in a cluster share it. It has pauses and troubles of its own
// if the receiver is the cluster's API server.
func (o *Output) In(cluster string) *Output {
	if !o.pace.ByCluster {
		return o
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	in := o.in[cluster]
	if in == nil {
		in = NewOutput(o.Name, o.Sink, o.log.With("cluster", cluster))
		in.pace.ByCluster, in.use = false, o.use
		o.in[cluster] = in
	}
	return in
}

// Room returns how many entries an outbox needs so that each write finds a full batch: as many as
// all writes take, twice. With half of it those to Kafka are half as large (bench/brokers).
func (o *Output) Room() int { return 2 * o.pace.Batch * o.pace.Writes }

// Retire has no write begin any more, and waits for those under way, or until ctx is done, which is
// then its error. What is not written goes back to its outbox, and has not failed.
func (o *Output) Retire(ctx context.Context) error { return o.use.end(ctx) }

// isClosed reports whether an error says that the sink was closed, after Retire.
func (o *Output) isClosed(err error) bool {
	return errors.Is(err, sink.ErrClosed) && o.use.writes.Load() < 0
}

// Pause returns the pause that there is now, the zero Pause if there is none, and how many there
// were, those of the outputs before included.
func (o *Output) Pause() (p backoff.Pause, pauses uint64) {
	p, pauses = o.breaker.State()
	return p, pauses + o.earlier.Load()
}

// Trouble returns why messages wait for the output, or become dead letters; nil if they do not.
func (o *Output) Trouble() error {
	return cmp.Or(o.breaker.Cause(), o.lost.Err("dead letters"))
}

// Replaces notes that the output takes the place of another one. It goes on counting from there.
func (o *Output) Replaces(before *Output) {
	_, pauses := before.Pause()
	o.earlier.Store(pauses)
	before.mu.Lock()
	defer before.mu.Unlock()
	for cluster, in := range before.in {
		o.In(cluster).Replaces(in)
	}
}

// answered notes that the receiver has taken or refused a message.
func (o *Output) answered(trial bool) {
	if p, recovered := o.breaker.Worked(trial); recovered {
		o.log.Info("the output works again", "output", o.Name, "failures", p.Failures, "after",
			time.Since(p.Since).Round(time.Millisecond))
	}
}

// failed notes that of a write nothing was taken, and nothing refused.
func (o *Output) failed(trial bool, err error) {
	p, begins := o.breaker.Failed(trial, err, backoff.RetryAfter(err))
	if begins {
		o.log.Warn("the output is paused, and its listeners wait", "output", o.Name, "failures",
			p.Failures, "for", p.Length().Round(time.Millisecond), "error", p.Cause)
	}
}

// use counts the writes under way to an output, of all its listeners. The zero value is ready.
type use struct {
	// writes is less than 0 once no more may begin: over more than there are.
	writes atomic.Int64
	over   atomic.Pointer[chan struct{}] // has room for one
}

// over is what is added to the writes when no more may begin.
const over = math.MinInt64

// enter notes that a write begins, and reports whether it may. If so, call leave.
func (u *use) enter() bool {
	if u.writes.Add(1) > 0 {
		return true
	}
	u.leave()
	return false
}

func (u *use) leave() {
	if u.writes.Add(-1) == over {
		select {
		case *u.over.Load() <- struct{}{}:
		default:
		}
	}
}

// end has no more writes begin, and waits until the last one has ended, or ctx is done. It is
// called once.
func (u *use) end(ctx context.Context) error {
	ended := make(chan struct{}, 1)
	u.over.Store(&ended)
	if u.writes.Add(over) == over {
		return nil
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
