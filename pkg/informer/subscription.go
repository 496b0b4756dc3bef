package informer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

const (
	// DefaultCapacity is how many events a subscription's buffer holds if nothing else is said.
	DefaultCapacity = 1024
	// DefaultSpillBytes is how much a subscription with OverflowSpill may put on disk if nothing
	// else is said.
	DefaultSpillBytes = 256 << 20
)

// SubscriptionConfig says what a subscription wants. The zero value gets all events and no resync.
type SubscriptionConfig struct {
	// Name stands in logs and errors.
	Name string
	// Capacity is how many events may wait, those being handled included; 0 means DefaultCapacity.
	// Events that wait for a retry do not count: there may be one for each object, and behind them
	// as many events as Capacity again.
	Capacity int
	// Resync is the period after which the subscription gets every stored object again, as
	// event.Resync; 0 means never. Periods below a second are raised to one second.
	Resync time.Duration
	// Overflow says what happens to events for which the buffer has no room.
	Overflow Overflow
	// SpillDir is where OverflowSpill puts its file, "" for the system's folder for temporary
	// files. SpillBytes bounds it; 0 means DefaultSpillBytes.
	SpillDir   string
	SpillBytes int64
	// On are the operations the subscription wants; empty means all. Others never enter its buffer.
	On event.OpSet
	// Conditions must all hold for an event to enter the subscription's buffer. None means that
	// every event does.
	Conditions []condition.Condition
	// Transitions lets an update or a delete in, too, if the state before it fulfils the
	// conditions, as an object that is deleted, and an update if the object does, as one that is
	// added: for a subscription that wants to learn when an object stops fulfilling them. See
	// Delivery.Before and Delivery.Recalled.
	Transitions bool
}

func (c SubscriptionConfig) withDefaults() SubscriptionConfig {
	c.Capacity = cmp.Or(c.Capacity, DefaultCapacity)
	if c.On == 0 {
		for _, op := range event.Ops {
			c.On = c.On.With(op)
		}
	}
	c.SpillBytes = cmp.Or(c.SpillBytes, DefaultSpillBytes)
	if c.Resync > 0 {
		c.Resync = max(c.Resync, time.Second)
	}
	return c
}

// Subscription is one consumer of events with a bounded buffer of its own. Informers fill it, and
// are never held up by it unless it asks for that (OverflowBlock); workers, one or many, empty it
// with Next and More. It has no goroutine, but with OverflowSpill one while its file is written or
// read.
//
// If the buffer is full, the object is marked, and later delivered once in its then current state,
// with Missed set: no object's last state is ever lost (OverflowLatest, the default).
type Subscription struct {
	conditions conditions
	refused    atomic.Uint64 // events that On or Conditions refused, counted without the lock
	cfg        SubscriptionConfig

	mu      sync.Mutex
	buf     *buffer.Buffer
	stopped bool
	retries map[event.Key]*time.Timer
	recalls map[event.Key]*recall
	stats   SubscriptionStats
	resyncs []*resync // handed out when there is nothing else to do
	// resynced is how many objects were handed out by resyncs.
	resynced uint64
	judge    judge // of resyncs and recalls; made for the first one
	// closed when the goroutine that runs the disk's jobs ends; nil if there is none
	disk chan struct{}

	wake     signal // there is something to take
	room     signal // there may be room again
	stopping chan struct{}
}

// SubscriptionStats counts since the subscription was made, but for Held, Parked, Marked, Backlog,
// OnDisk and Resyncing, which are now.
type SubscriptionStats struct {
	Refused uint64 // events that On or Conditions refused, which came nowhere near the buffer
	Offered uint64 // events that entered the buffer or a mark, and objects handed out by resyncs
	Done    uint64 // events a worker has finished
	Retried uint64 // deliveries put back for a retry
	// deliveries that a worker had asked for with Again, in none of the other counts
	Recalled  uint64
	Coalesced uint64 // events merged into a later one of their object while the buffer was full
	Dropped   uint64 // events given up because the buffer was full (overflow "drop")
	Spilled   uint64 // events that went to the spill file (overflow "spill")
	Blocked   uint64 // events an informer had to wait with (overflow "block")
	Discarded uint64 // events given up by removal or Discard
	Held      int    // events that count against the capacity, those being handled included
	Parked    int    // events that wait for a retry, or behind one that does
	// objects with a mark behind the full buffer, or behind an event that waits for a retry
	Marked    int
	Backlog   int // stored objects that wait to be handed out as initial adds
	OnDisk    int // events in the spill file, or in memory on their way there or back
	Resyncing int // stored objects that the resync under way has not come to
	// ResyncsSkipped are those that came due while the one before was under way, which went on
	// instead.
	ResyncsSkipped uint64
	// Mistakes counts defects of this package that were noticed and survived. Each is worth a
	// report.
	Mistakes uint64
	// SpillError is why the spill file was given up, nil if it was not. What it held is delivered
	// all the same: as it was if the file cannot be written any more, as if marked if it cannot be
	// read. After Discard, it may be that the disk hangs.
	SpillError error
}

// NewSubscription makes a subscription. Factory.Subscribe makes informers fill it.
func NewSubscription(cfg SubscriptionConfig) (*Subscription, error) {
	if cfg.Capacity < 0 || cfg.Resync < 0 || cfg.SpillBytes < 0 {
		return nil, fmt.Errorf(
			"subscription %q: capacity, resync and spill bytes must not be negative",
			cfg.Name)
	}
	if cfg.Overflow > OverflowSpill {
		return nil, fmt.Errorf("subscription %q: there is no overflow policy %d", cfg.Name,
			cfg.Overflow)
	}
	cfg = cfg.withDefaults()
	allow, err := newConditions(cfg.On, cfg.Conditions, cfg.Transitions)
	if err != nil {
		return nil, fmt.Errorf("subscription %q: %w", cfg.Name, err)
	}
	s := &Subscription{
		conditions: allow, cfg: cfg, wake: newSignal(), room: newSignal(),
		stopping: make(chan struct{}),
		buf: buffer.New(buffer.Config{
			Capacity: cfg.Capacity, Overflow: cfg.Overflow, SpillDir: cfg.SpillDir,
			SpillBytes: cfg.SpillBytes,
		}),
	}
	return s, nil
}

// Name is the name the subscription was made with.
func (s *Subscription) Name() string { return s.cfg.Name }

// join takes the objects that are stored when the subscription comes, and those of the first list.
func (s *Subscription) join(from *registration, objects []*object.Object) {
	s.mu.Lock()
	defer s.wake.set()
	defer s.mu.Unlock()
	if s.stopped || from.Removed {
		return
	}
	from.Initials += len(objects)
	s.stats.Offered += uint64(len(objects))
	s.buf.Join(&from.Origin, objects)
	s.useDisk()
}

// Next waits for an event. It is safe for concurrent use: events of one object are never out at the
// same time, and come in order. It fails with ctx's error, or with ErrStopped once the subscription
// was stopped and everything is done.
func (s *Subscription) Next(ctx context.Context) (Delivery, error) {
	for ctx.Err() == nil {
		s.mu.Lock()
		e, ok := s.take()
		more := s.available() > 0
		finished := s.stopped && s.buf.Empty()
		s.mu.Unlock()
		if more || finished {
			s.wake.set() // for the next worker
		}
		if ok {
			return s.delivery(e), nil
		}
		if finished {
			return Delivery{}, fmt.Errorf("subscription %q: %w", s.cfg.Name, ErrStopped)
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
		}
	}
	return Delivery{}, ctx.Err()
}

// More appends to got what a worker that has one event may take beside it, without waiting: at most
// n events, and no more than its share of what is ready if so many workers are to have the same. As
// with Next, events of one object are never out at the same time, and come in order.
func (s *Subscription) More(got []Delivery, n, workers int) []Delivery {
	s.mu.Lock()
	for n = min(n, s.available()/max(workers, 1)); n > 0; n-- {
		e, ok := s.take()
		if !ok {
			break
		}
		got = append(got, s.delivery(e))
	}
	more := s.available() > 0
	s.mu.Unlock()
	if more {
		s.wake.set()
	}
	return got
}

// take gives the next entry. The caller holds mu.
func (s *Subscription) take() (buffer.Entry, bool) {
	e, ok := s.buf.Take()
	if !ok {
		e, ok = s.nextResync()
	}
	s.useDisk()
	if s.buf.RoomFreed() {
		s.room.set()
	}
	if ok { // the worker that gets this one will know whether the object has to come again
		s.forgetRecall(e.Object.Key())
	}
	return e, ok
}

func (s *Subscription) delivery(e buffer.Entry) Delivery {
	d := Delivery{
		Event: e.Event, Attempt: 1, Recalled: e.Recalled, Before: e.Known,
		ack: (*subscriptionAck)(s), from: e.From, failed: e.Failed, initials: e.Initials,
	}
	if e.Failed != nil {
		d.Attempt, d.Progress = e.Failed.Attempts+1, e.Failed.Progress
	}
	return d
}

// Stopped gives a channel that is closed when the subscription is stopped, though there may be
// events left.
func (s *Subscription) Stopped() <-chan struct{} { return s.stopping }

// Stop ends the intake. Next still returns what is buffered, and then ErrStopped. What was to come
// again does not, nor does the rest of a resync.
func (s *Subscription) Stop() {
	s.mu.Lock()
	if !s.stopped {
		close(s.stopping)
	}
	s.stopped = true
	for key := range s.recalls {
		s.forgetRecall(key)
	}
	s.resyncs = nil
	s.mu.Unlock()
	s.wake.set()
	s.room.set()
}

// remove forgets what one registration has put into the buffer.
func (s *Subscription) remove(from *registration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from.Removed = true
	s.forget(&from.Origin)
	s.room.set()
	s.wake.set() // what others have put in may have moved up
}

func (s *Subscription) forget(from *buffer.Origin) int {
	for key, timer := range s.retries {
		if s.buf.ParkedFrom(key) == from {
			timer.Stop()
			delete(s.retries, key)
		}
	}
	for key, r := range s.recalls {
		if r.entry.From == from {
			s.forgetRecall(key)
		}
	}
	// What a resync has not come to was promised to nobody.
	s.resyncs = slices.DeleteFunc(s.resyncs, func(r *resync) bool { return &r.from.Origin == from })
	n := s.buf.Drop(from)
	s.stats.Discarded += uint64(n)
	s.useDisk()
	return n
}

// available returns how many entries take may find, and never less than it finds. The caller holds
// mu.
func (s *Subscription) available() int { return s.buf.Available() + s.resyncable() }

// Stats returns the counters.
func (s *Subscription) Stats() SubscriptionStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats, b := s.stats, s.buf.Stats()
	stats.Refused = s.refused.Load()
	stats.Offered += s.resynced
	for _, r := range s.resyncs {
		stats.Resyncing += r.left
	}
	stats.Coalesced, stats.Dropped, stats.Spilled = b.Coalesced, b.Dropped, b.Spilled
	stats.Held, stats.Parked, stats.Marked = b.Held, b.Parked, b.Marked+b.Folded
	stats.Backlog, stats.OnDisk = b.Backlog, b.OnDisk
	stats.Mistakes, stats.SpillError = b.Mistakes, b.SpillErr
	return stats
}

// Handler is what Run calls for each event.
type Handler interface {
	// HandleEvent takes an event. On an error, or a panic, the event is delivered again after a
	// while. The event's objects may be kept.
	HandleEvent(ctx context.Context, e event.Event) error
}

// HandlerFunc makes a function a Handler.
type HandlerFunc func(ctx context.Context, e event.Event) error

// HandleEvent calls f.
func (f HandlerFunc) HandleEvent(ctx context.Context, e event.Event) error { return f(ctx, e) }

// Run hands events to h, one at a time and in order, until ctx is done or the subscription is
// stopped and empty. A failed event is retried with a delay that grows from 1 to 60 seconds, while
// events of other objects go on.
func (s *Subscription) Run(ctx context.Context, h Handler) error {
	failures := workqueue.NewTypedItemExponentialFailureRateLimiter[event.Key](time.Second,
		time.Minute)
	for {
		d, err := s.Next(ctx)
		if err != nil {
			return err
		}
		key := d.Object.Key()
		if err := handle(ctx, h, d.Event); err != nil {
			d.Retry(failures.When(key))
			continue
		}
		failures.Forget(key)
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
	e.Object = e.Object.Plain()
	return h.HandleEvent(ctx, e)
}
