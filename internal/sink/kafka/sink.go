package kafka

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

// Sink is the output. Make one with New, and Close it. It is safe for concurrent use.
type Sink struct {
	config   Config
	tls      *secret.TLS // nil if not configured
	connects connects
	gate     sink.Gate
	client   *kgo.Client
	// single sends one record at a time, so that an answer is about that one, and large ones.
	single *kgo.Client
	turn   chan struct{} // has room for the one that uses single

	mu    sync.Mutex // guards the field below, and those of deliveries
	fates map[subject]*fate

	once    sync.Once     // guards closing the clients
	stopped chan struct{} // closed when the clients are
}

// New makes a sink, which connects when it is used.
func New(config Config) (*Sink, error) {
	config.Timeout = cmp.Or(config.Timeout, DefaultTimeout)
	s := &Sink{config: config, turn: make(chan struct{}, 1), fates: map[subject]*fate{},
		stopped: make(chan struct{})}
	var err error
	if s.tls, err = secret.OpenTLS(config.TLS); err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	if s.client, err = s.newClient(maxRecords, batchBytes); err != nil {
		return nil, err
	}
	if s.single, err = s.newClient(1, singleBytes); err != nil {
		s.client.Close()
		return nil, err
	}
	return s, nil
}

// Pace implements sink.Sink. Several Writes hide how long it takes to confirm one.
func (s *Sink) Pace() sink.Pace { return sink.Pace{Batch: 512, Writes: 4} }

// Write implements sink.Sink.
func (s *Sink) Write(ctx context.Context, messages []sink.Message) []error {
	if len(messages) == 0 {
		return nil
	}
	if err := s.gate.Enter(ctx); err != nil {
		return sink.AllFailed(len(messages), fmt.Errorf("kafka: %w", err))
	}
	defer s.gate.Leave()
	within, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()

	text := texts.Get().(*[]byte)
	deliveries := s.config.newDeliveries(messages, text)
	errs := s.deliver(within, deliveries)
	s.isolate(within, deliveries, errs)
	release(text, errs)
	for i, err := range errs {
		if err != nil {
			errs[i] = fmt.Errorf("kafka: produce %.200q: %w", messages[i].Subject,
				s.explain(ctx, err))
		}
	}
	return sink.Results(errs)
}

// Close implements sink.Sink. It also waits for messages whose fate is unknown, for the timeout at
// most.
func (s *Sink) Close(ctx context.Context) error {
	err := s.gate.Close(ctx)
	if err == nil {
		s.awaitUnknown(ctx)
	}
	s.once.Do(func() {
		go func() {
			defer close(s.stopped)
			s.client.Close()
			s.single.Close()
		}()
	})
	if err != nil {
		return fmt.Errorf("kafka: %w", err)
	}
	select {
	case <-s.stopped:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("kafka: close: the client still closes its connections: %w", ctx.Err())
	}
}

// awaitUnknown waits until the fate of all messages is known, or ctx or the timeout ends.
func (s *Sink) awaitUnknown(ctx context.Context) {
	timeout := time.NewTimer(s.config.Timeout)
	defer timeout.Stop()
	for {
		one := s.anyUnknown()
		if one == nil {
			return
		}
		select {
		case <-one.known:
		case <-timeout.C:
			return
		case <-ctx.Done():
			return
		case <-s.stopped:
			return
		}
	}
}

// anyUnknown returns a fate that is not known, nil if there is none.
func (s *Sink) anyUnknown() *fate {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.fates {
		if !f.isKnown() {
			return f
		}
	}
	return nil
}
