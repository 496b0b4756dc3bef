package nats

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

// Sink is the output. Make one with New, and Close it. It is safe for concurrent use.
type Sink struct {
	config Config
	tls    *secret.TLS // nil if not configured
	gate   sink.Gate
	// published is set once a message is published. Until then the connection need not pass the
	// fence, so that it is there when it is needed.
	published atomic.Bool

	turn    chan struct{} // has room for the one that publishes
	stop    chan struct{} // closed by Close
	once    sync.Once     // guards closing stop
	stopped chan struct{} // closed when run has returned

	tried chan struct{} // closed after the first attempt to connect
	mu    sync.Mutex    // guards the fields below
	conn  *connection
	err   error // why conn is nil
}

// New starts to connect, and returns without waiting for it.
func New(config Config) (*Sink, error) {
	config.Timeout = cmp.Or(config.Timeout, DefaultTimeout)
	s := &Sink{config: config, turn: make(chan struct{}, 1), stop: make(chan struct{}),
		stopped: make(chan struct{}), tried: make(chan struct{})}
	var err error
	if s.tls, err = secret.OpenTLS(config.TLS); err != nil {
		return nil, fmt.Errorf("nats: %w", err)
	}
	go s.run()
	return s, nil
}

// Pace implements sink.Sink. With a stream, several Writes hide how long it takes to confirm.
func (s *Sink) Pace() sink.Pace {
	if s.config.Stream == "" {
		return sink.Pace{Batch: 512}
	}
	return sink.Pace{Batch: 512, Writes: 4}
}

// Write implements sink.Sink.
func (s *Sink) Write(ctx context.Context, messages []sink.Message) []error {
	if len(messages) == 0 {
		return nil
	}
	if err := s.gate.Enter(ctx); err != nil {
		return sink.AllFailed(len(messages), fmt.Errorf("nats: %w", err))
	}
	defer s.gate.Leave()
	within, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	b := s.newBatch(messages)
	b.fail(s.publish(within, b))
	b.release()
	for i, err := range b.errs {
		if err != nil {
			b.errs[i] = fmt.Errorf("nats: publish %.200q: %w", messages[i].Subject,
				s.explained(ctx, err))
		}
	}
	return sink.Results(b.errs)
}

// connection returns the connection, once there was an attempt to make one.
func (s *Sink) connection(ctx context.Context) (*connection, error) {
	select {
	case <-s.tried:
	case <-ctx.Done():
		return nil, errNotSent
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn, s.err
}

// set sets what connection returns.
func (s *Sink) set(c *connection, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil && s.err == nil {
		close(s.tried)
	}
	s.conn, s.err = c, err
}

// Close implements sink.Sink. When ctx is done it closes the connection as well, so that Writes
// under way end soon.
func (s *Sink) Close(ctx context.Context) error {
	err := s.gate.Close(ctx)
	s.once.Do(func() { close(s.stop) })
	if err != nil {
		return fmt.Errorf("nats: %w", err)
	}
	select {
	case <-s.stopped:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("nats: close: the client is still connecting: %w", ctx.Err())
	}
}
