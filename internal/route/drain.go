package route

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrLate is the error of Drain if all that still waits is due after the deadline.
var ErrLate = errors.New("all that still waits is due after the deadline")

// Drain stops the subscription and waits until Run has delivered what is in it and in the outboxes.
// Once ctx is done, Run ends at the next opportunity, and the events that its workers have go back;
// Drain then returns ctx's error. If nothing that waits is due before ctx's deadline, that happens
// at once, and the error is ErrLate. The same holds for a Run that begins after Drain.
func (r *Route) Drain(ctx context.Context) error {
	r.draining.Store(true)
	r.subscription.Stop()
	context.AfterFunc(ctx, r.runs.cut)
	ended := r.runs.ended()
	until, bounded := ctx.Deadline()
	if !bounded {
		<-ended
		return ctx.Err()
	}
	look := time.NewTicker(drainLook)
	defer look.Stop()
	for times := 0; ; {
		select {
		case <-ended:
			return ctx.Err()
		case <-look.C:
		}
		if times++; !r.late(until) {
			times = 0
		}
		if times == drainLooks && ctx.Err() == nil && r.leaving.Load() && !r.gaveUp.Load() {
			r.giveUp()
			times = 0
		}
		if times == drainLooks && ctx.Err() == nil {
			r.runs.cut()
			<-ended
			return ErrLate
		}
	}
}

// Leave is Drain for a route whose listener is removed: what is not delivered after a time, or due
// after it, becomes dead letters. These have a little more time.
func (r *Route) Leave(ctx context.Context, grace time.Duration) error {
	r.leaving.Store(true)
	over := time.AfterFunc(grace, r.giveUp)
	defer over.Stop()
	ctx, cancel := context.WithTimeout(ctx, grace+lettersGrace)
	defer cancel()
	if r.pipeline.Load() != nil { // so Run has begun, or is about to
		select {
		case <-r.runs.first():
		case <-ctx.Done():
		}
	}
	return r.Drain(ctx)
}

// lettersGrace is how long dead letters may take to be stored.
const lettersGrace = 5 * time.Second

// giveUp makes dead letters of what waits, and of what is still to come.
func (r *Route) giveUp() {
	r.gaveUp.Store(true)
	for _, w := range r.outboxes.present() {
		w.GiveUp()
	}
}

const (
	// drainLook is how often Drain looks whether it waits for nothing.
	drainLook = 50 * time.Millisecond
	// drainLooks is how often in a row that has to be so: a worker or a sender may be about to do
	// something.
	drainLooks = 3
)

// late reports whether nothing that waits is due before a time.
func (r *Route) late(until time.Time) bool {
	if r.busy.working.Load() > 0 || !r.outboxes.late(until) {
		return false
	}
	source, ok := r.subscription.(interface {
		Ready() int
		RetriesBefore(time.Time) bool
	})
	switch {
	case !ok:
		return false
	case source.Ready() > 0: // nobody takes it if the outboxes are full
		return r.busy.waiting.Load() > 0
	}
	return !source.RetriesBefore(until)
}

// runs lets Drain wait for Run, and end it. The zero value is ready.
type runs struct {
	mu     sync.Mutex
	isCut  bool
	cancel context.CancelFunc // nil while there is no Run
	end    chan struct{}      // closed when the Run has returned
	begun  chan struct{}      // closed when the first one has begun; nil until somebody asks
}

// first returns a channel that is closed when there is, or was, a Run.
func (s *runs) first() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun == nil {
		if s.begun = make(chan struct{}); s.end != nil {
			close(s.begun)
		}
	}
	return s.begun
}

// begin notes that a Run has begun, and returns the function that notes its end.
func (s *runs) begin(cancel context.CancelFunc) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isCut {
		cancel()
	}
	if s.begun != nil && s.end == nil {
		close(s.begun)
	}
	ended := make(chan struct{})
	s.cancel, s.end = cancel, ended
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cancel = nil
		close(ended)
	}
}

// ended returns a channel that is closed when there is no Run.
func (s *runs) ended() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil {
		return s.end
	}
	never := make(chan struct{})
	close(never)
	return never
}

// cut cancels the Run that there is, and those to come.
func (s *runs) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isCut = true
	if s.cancel != nil {
		s.cancel()
	}
}

// busy counts the workers that have something to do. The zero value is ready.
type busy struct {
	working atomic.Int32 // on events
	waiting atomic.Int32 // for room in an outbox

	mu      sync.Mutex // guards what follows
	workers map[*worker]struct{}
}

func (b *busy) add(w *worker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.workers == nil {
		b.workers = map[*worker]struct{}{}
	}
	b.workers[w] = struct{}{}
}

func (b *busy) remove(w *worker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.workers, w)
}

// longest returns when the step began that has been under way for longest, zero if none is.
func (b *busy) longest() (began time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for w := range b.workers {
		if ns := w.step.Load(); ns != 0 && (began.IsZero() || ns < began.UnixNano()) {
			began = time.Unix(0, ns)
		}
	}
	return began
}

func (b *busy) wait() {
	b.waiting.Add(1)
	b.working.Add(-1)
}

func (b *busy) goOn() {
	b.working.Add(1)
	b.waiting.Add(-1)
}
