package route

import (
	"context"
	"sync"
)

// Drain stops the subscription and waits until Run has delivered what is in it and in the outboxes.
// Once ctx is done, Run ends at the next opportunity, and the events that its workers have go back;
// Drain then returns ctx's error. The same holds for a Run that begins after Drain.
func (r *Route) Drain(ctx context.Context) error {
	r.draining.Store(true)
	r.subscription.Stop()
	context.AfterFunc(ctx, r.runs.cut)
	<-r.runs.ended()
	return ctx.Err()
}

// runs lets Drain wait for Run, and end it. The zero value is ready.
type runs struct {
	mu     sync.Mutex
	isCut  bool
	cancel context.CancelFunc // nil while there is no Run
	end    chan struct{}      // closed when the Run has returned
}

// begin notes that a Run has begun, and returns the function that notes its end.
func (s *runs) begin(cancel context.CancelFunc) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isCut {
		cancel()
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
