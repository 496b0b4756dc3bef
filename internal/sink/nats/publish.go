package nats

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/informerd/informerd/internal/sink"
)

// publish publishes a batch and settles its items. An error is about all that it has not settled.
func (s *Sink) publish(ctx context.Context, b *batch) error {
	if len(b.items) == 0 {
		return nil
	}
	if err := s.config.Fence.Check(); err != nil { // and there may be no connection to wait for
		return err
	}
	c, err := s.connection(ctx)
	if err != nil {
		return err
	}
	up := s.await(ctx, c)
	// One batch after the other: what a Write that has ended still had to publish never comes
	// after what a later Write publishes.
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return errNotSent
	}
	if s.config.Stream == "" {
		return s.toServer(ctx, c, b, up)
	}
	return s.toStream(ctx, c, b, up)
}

// sent is what came of publishing items.
type sent struct {
	acks []jetstream.PubAckFuture // of the first items, nil where errs has an error
	errs []error                  // of the first items
	err  error                    // of the others, or of all
}

// publishing calls send once there is a connection, with the turn, and waits for it or ctx. Calls
// of the client block while it connects or the server takes nothing, and nothing ends them.
func (s *Sink) publishing(ctx context.Context, c *connection, up bool, send func() sent) sent {
	done := make(chan sent, 1)
	var began atomic.Bool
	go func() {
		defer func() { <-s.turn }()
		err := s.connected(ctx, c, up)
		if err == nil && ctx.Err() != nil {
			err = errNotSent
		}
		if err != nil {
			done <- sent{err: err}
			return
		}
		began.Store(true)
		done <- send()
	}()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
	}
	if !began.Load() {
		return sent{err: errNotSent} // send also looks at ctx before each message
	}
	return sent{err: ctx.Err()}
}

// mayPublish returns nil if a message may be published at this moment. From the first one on, all
// that the connection sends has to pass the fence.
func (s *Sink) mayPublish(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.published.Store(true)
	return s.config.Fence.Check()
}

// toStream publishes to JetStream and waits for the acknowledgements.
func (s *Sink) toStream(ctx context.Context, c *connection, b *batch, up bool) error {
	items := b.items
	r := s.publishing(ctx, c, up, func() (r sent) {
		r.acks = make([]jetstream.PubAckFuture, len(items))
		r.errs = make([]error, len(items))
		for i := range items {
			if r.errs[i] = s.mayPublish(ctx); r.errs[i] == nil {
				r.acks[i], r.errs[i] = c.stream.PublishMsgAsync(&items[i].message,
					jetstream.WithRetryAttempts(0))
			}
		}
		return r
	})
	if r.acks == nil {
		b.text = nil // perhaps they are still being published
		return r.err
	}
	for i := range items {
		err := r.errs[i]
		if err == nil {
			err = s.acknowledged(ctx, c, r.acks[i])
		}
		// The server does not answer what it denies.
		if isContext(err) && c.denied.has(items[i].message.Subject) {
			err = errDenied
		}
		b.settle(&items[i], err)
	}
	return nil
}

// acknowledged waits for one acknowledgement.
func (s *Sink) acknowledged(ctx context.Context, c *connection, ack jetstream.PubAckFuture) error {
	select {
	case <-ack.Ok():
		return nil
	case err := <-ack.Err():
		return err
	default:
	}
	select {
	case <-ack.Ok():
		return nil
	case err := <-ack.Err():
		return err
	case <-c.closed:
		return natsgo.ErrDisconnected
	case <-ctx.Done():
		return ctx.Err()
	}
}

// toServer publishes without a stream, and asks the server whether it has all.
func (s *Sink) toServer(ctx context.Context, c *connection, b *batch, up bool) error {
	items := b.items
	r := s.publishing(ctx, c, up, func() (r sent) {
		c.denied.forget()
		connects := c.client.Stats().Reconnects
		r.errs = make([]error, len(items))
		for i := range items {
			if r.errs[i] = s.mayPublish(ctx); r.errs[i] == nil {
				r.errs[i] = c.client.PublishMsg(&items[i].message)
			}
		}
		if r.err = s.mayPublish(ctx); r.err == nil {
			r.err = c.client.FlushWithContext(ctx)
		}
		if r.err == nil && c.client.Stats().Reconnects != connects {
			r.err = natsgo.ErrDisconnected // another connection has answered
		}
		if r.err == nil {
			r.err = c.denied.await(ctx, c.client)
		}
		return r
	})
	if r.errs == nil {
		b.text = nil // perhaps they are still being published
		return r.err
	}
	for i := range items {
		err := r.errs[i]
		switch {
		case err != nil:
		case r.err != nil:
			err = r.err
		case c.denied.has(items[i].message.Subject):
			err = errDenied
		}
		b.settle(&items[i], err)
	}
	return nil
}

// explained returns the error of a message that was not taken.
func (s *Sink) explained(ctx context.Context, err error) error {
	if ctx.Err() == nil && !isAnswer(err) {
		err = s.config.Fence.Explain(err)
	}
	switch {
	case err == nil, sink.IsPermanent(err), errors.Is(err, errNotConnected), err == errDenied,
		errors.Is(err, sink.ErrFenced):
		return err
	case err == errNotSent && ctx.Err() != nil:
		return fmt.Errorf("%w: %w", err, ctx.Err())
	case err == errNotSent:
		return fmt.Errorf("%w within %v", err, s.config.Timeout)
	case !isContext(err):
		return refusal(err)
	case ctx.Err() != nil:
		return fmt.Errorf("it may still be published: %w", ctx.Err())
	}
	return fmt.Errorf("it was not confirmed within %v, and may still be published",
		s.config.Timeout)
}

// isAnswer reports whether an error is what the stream or the server has answered.
func isAnswer(err error) bool {
	return errors.As(err, new(*jetstream.APIError)) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		err == errDenied || sink.IsPermanent(err)
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, jetstream.ErrAsyncPublishTimeout)
}
