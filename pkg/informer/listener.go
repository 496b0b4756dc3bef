package informer

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// DefaultCapacity is how many events a listener's buffer holds if nothing else is said.
const DefaultCapacity = 1024

// ListenerConfig says what a listener wants. The zero value gets all events and no resync.
type ListenerConfig struct {
	// Name stands in logs and errors.
	Name string
	// Capacity is how many events may wait, those being handled included; 0 means DefaultCapacity.
	Capacity int
	// Resync is the period after which the listener gets every stored object again, as event.Resync; 0 means never.
	// Periods below a second are raised to one second.
	Resync time.Duration
	// On are the operations the listener wants; empty means all. Others never enter its buffer.
	On event.OpSet
}

func (c ListenerConfig) withDefaults() ListenerConfig {
	c.Capacity = cmp.Or(c.Capacity, DefaultCapacity)
	if c.On == 0 {
		for _, op := range event.Ops {
			c.On = c.On.With(op)
		}
	}
	if c.Resync > 0 {
		c.Resync = max(c.Resync, time.Second)
	}
	return c
}

// Listener is one consumer of events with a bounded buffer of its own. Informers fill it and are never held up by it;
// workers, one or many, empty it with Next. It has no goroutine.
//
// If the buffer is full, the object is marked, and later delivered once in its then current state, with Missed set: no
// object's last state is ever lost (overflow "latest").
type Listener struct {
	cfg ListenerConfig

	mu      sync.Mutex
	buf     buffer
	stopped bool
	retries map[event.Key]*time.Timer
	stats   ListenerStats

	wake signal
}

// ListenerStats counts since the listener was made, but for Held and Marked, which are now.
type ListenerStats struct {
	Offered   uint64 // events that entered the buffer or a mark
	Done      uint64 // events a worker has finished
	Retried   uint64 // deliveries put back for a retry
	Coalesced uint64 // events merged into a later one of their object while the buffer was full
	Discarded uint64 // events given up by removal or Discard
	Held      int    // events in the buffer, those being handled included
	Marked    int    // objects with a mark behind the full buffer
}

// NewListener makes a listener. Factory.Listen makes informers fill it.
func NewListener(cfg ListenerConfig) (*Listener, error) {
	if cfg.Capacity < 0 || cfg.Resync < 0 {
		return nil, fmt.Errorf("listener %q: capacity and resync must not be negative", cfg.Name)
	}
	cfg = cfg.withDefaults()
	return &Listener{cfg: cfg, buf: buffer{capacity: cfg.Capacity}, wake: newSignal()}, nil
}

// Name is the name the listener was made with.
func (l *Listener) Name() string { return l.cfg.Name }

// offer is called by controllers. It never blocks.
func (l *Listener) offer(e entry) {
	l.mu.Lock()
	if l.stopped || e.from.removed {
		l.mu.Unlock()
		return
	}
	e.from.initials += e.initials
	l.buf.offer(e)
	l.stats.Offered++
	l.mu.Unlock()
	l.wake.set()
}

// Next waits for an event. It is safe for concurrent use: events of one object are never out at the same time, and come
// in order. It fails with ctx's error, or with ErrStopped once the listener was stopped and everything is done.
func (l *Listener) Next(ctx context.Context) (Delivery, error) {
	for ctx.Err() == nil {
		l.mu.Lock()
		e, ok := l.buf.take()
		more := l.buf.available()
		finished := l.stopped && l.buf.empty()
		l.mu.Unlock()
		if more || finished {
			l.wake.set() // for the next worker
		}
		if ok {
			return Delivery{Event: e.Event, Attempt: e.attempts + 1, ack: (*listenerAck)(l), entry: e}, nil
		}
		if finished {
			return Delivery{}, fmt.Errorf("listener %q: %w", l.cfg.Name, ErrStopped)
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
		}
	}
	return Delivery{}, ctx.Err()
}

// Stop ends the intake. Next still gives what is buffered, and then ErrStopped.
func (l *Listener) Stop() {
	l.mu.Lock()
	l.stopped = true
	l.mu.Unlock()
	l.wake.set()
}

// Discard stops the listener and gives up what is buffered, which it counts. Events at workers are not affected.
func (l *Listener) Discard() int {
	l.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, from := range l.buf.sources() {
		n += l.forget(from)
	}
	return n
}

// remove forgets what one registration has put into the buffer.
func (l *Listener) remove(from *registration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from.removed = true
	l.forget(from)
}

func (l *Listener) forget(from *registration) int {
	for key, timer := range l.retries {
		if l.buf.parkedFrom(key) == from {
			timer.Stop()
			delete(l.retries, key)
		}
	}
	n := l.buf.drop(from)
	l.stats.Discarded += uint64(n)
	return n
}

// Stats gives the counters.
func (l *Listener) Stats() ListenerStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Coalesced = l.buf.coalesced
	s.Held = l.buf.held
	s.Marked = len(l.buf.marks)
	return s
}

// Handler is what Run calls for each event.
type Handler interface {
	// HandleEvent takes an event. On an error, or a panic, the event is delivered again after a while. The event's
	// objects may be kept.
	HandleEvent(ctx context.Context, e event.Event) error
}

// HandlerFunc makes a function a Handler.
type HandlerFunc func(ctx context.Context, e event.Event) error

// HandleEvent calls f.
func (f HandlerFunc) HandleEvent(ctx context.Context, e event.Event) error { return f(ctx, e) }

// Run hands events to h, one at a time and in order, until ctx is done or the listener is stopped and empty. A failed
// event is retried with a delay that grows from 1 to 60 seconds, while events of other objects go on.
func (l *Listener) Run(ctx context.Context, h Handler) error {
	for {
		d, err := l.Next(ctx)
		if err != nil {
			return err
		}
		if err := handle(ctx, h, d.Event); err != nil {
			d.Retry(min(time.Second<<min(d.Attempt-1, 6), time.Minute))
			continue
		}
		d.Done()
	}
}

// handle turns a panic into an error: a handler never ends the process.
func handle(ctx context.Context, h Handler, e event.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("handler panicked: %v", p)
		}
	}()
	return h.HandleEvent(ctx, e)
}
