package informer

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Subscription is the end that consumers pull events from, with a bounded buffer of its own.
// Informers fill it, and it never holds them up unless it asks for that (OverflowBlock). Workers,
// one or many, empty it with Next and More. It has no goroutine, except with OverflowSpill one
// while its file is written or read.
//
// If the buffer is full, the object is marked, and later delivered once in its current state, with
// Missed set: no object's last state is ever lost (OverflowLatest, the default).
type Subscription struct {
	name   string
	tracks bool
	// conditions are read without the lock. Each registration has those that it uses.
	conditions atomic.Pointer[conditions]
	refused    atomic.Uint64 // events that On or Conditions refused, counted without the lock

	mu      sync.Mutex
	number  uint64 // of the last event that was offered, if it tracks
	cfg     SubscriptionConfig
	regs    []*registration
	buf     *buffer.Buffer
	byHand  buffer.Origin // of what Offer takes
	stopped bool
	used    bool          // a worker has had something
	retries buffer.Timers // of parked events
	recalls map[event.Key]*recall
	stats   SubscriptionStats // those that the buffer does not count
	resyncs []*resync         // handed out when there is nothing else to do
	// resynced is how many objects were handed out by resyncs.
	resynced uint64
	matcher  matcher // of resyncs and recalls; made for the first one
	// later are objects that a rescan has come to while they were busy.
	later map[event.Key]laterObject
	// cutShort: a rescan had not come to all objects at the stop. owes: RescanLater was called.
	cutShort, owes bool
	retired        []retired // registrations that were exchanged
	// disk is closed when the goroutine that runs the disk's jobs ends; nil if there is none.
	disk chan struct{}

	wake     signal // there is something to take
	room     signal // there may be room again
	stopping chan struct{}
}

// NewSubscription returns a subscription that nobody fills yet: Factory.Subscribe or Offer do that.
func NewSubscription(cfg SubscriptionConfig) (*Subscription, error) {
	cfg, err := cfg.checked()
	if err != nil {
		return nil, err
	}
	s := &Subscription{
		name: cfg.Name, tracks: cfg.Track, cfg: cfg,
		buf:  buffer.New(cfg.buffer()),
		wake: newSignal(), room: newSignal(), stopping: make(chan struct{}),
	}
	s.conditions.Store(cfg.conditions())
	return s, nil
}

// join takes the objects that are stored when the subscription begins, and those of the first list.
func (s *Subscription) join(from *registration, objects []*object.Object) {
	s.mu.Lock()
	defer s.wake.set()
	defer s.mu.Unlock()
	s.trackInitial(from, objects)
	if s.stopped || from.Removed {
		return
	}
	from.Initials += int32(len(objects))
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
			return Delivery{}, s.stoppedError()
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
		}
	}
	s.wake.set() // this one may have been woken for an event that another one has to take
	return Delivery{}, ctx.Err()
}

// More appends further events to got, without waiting: at most n, and at most one worker's share of
// what is ready. As with Next, events of one object are never out at the same time, and come in
// order.
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

// take returns the next entry. The caller holds mu.
func (s *Subscription) take() (buffer.Entry, bool) {
	e, ok := s.buf.Take()
	if !ok {
		e, ok = s.nextResync()
	}
	s.useDisk()
	if s.buf.RoomFreed() {
		s.room.set()
	}
	if ok {
		s.used = true
		s.trackTaken(&e)
	}
	if ok && !e.Alone { // the worker that gets this one will know whether the object comes again
		s.forgetRecall(e.Object.Key())
	}
	return e, ok
}

// delivery returns what a worker gets of an entry.
func (s *Subscription) delivery(e buffer.Entry) Delivery {
	e.Attempt++
	return Delivery{Entry: e, ack: (*subscriptionAck)(s)}
}

// Stopped returns a channel that is closed when the subscription is stopped. There may be events
// left.
func (s *Subscription) Stopped() <-chan struct{} { return s.stopping }

// Stop ends the intake. Next still returns what is buffered, and then ErrStopped. Recalls and the
// rest of a resync are forgotten.
func (s *Subscription) Stop() {
	s.mu.Lock()
	if !s.stopped {
		close(s.stopping)
	}
	s.stopped = true
	for key := range s.recalls {
		s.forgetRecall(key)
	}
	s.cutShort = s.rescanning()
	s.resyncs, s.later = nil, nil
	s.mu.Unlock()
	s.wake.set()
	s.room.set()
}

// remove forgets what one registration has put into the buffer. It reports whether a worker has had
// anything of the subscription.
func (s *Subscription) remove(from *registration) (used bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from.Removed = true
	s.regs = slices.DeleteFunc(s.regs, func(r *registration) bool { return r == from })
	s.forget(&from.Origin)
	s.forgetRetired()
	s.room.set()
	s.wake.set() // what others have put in may have moved up
	return s.used
}

// forget drops what one origin has put into the buffer, and returns how many events that were. The
// caller holds mu.
func (s *Subscription) forget(from *buffer.Origin) int {
	s.retries.Forget(func(key event.Key) bool { return s.buf.ParkedFrom(key) == from })
	for key, r := range s.recalls {
		if r.entry.From == from {
			s.forgetRecall(key)
		}
	}
	// What a resync has not come to was promised to nobody.
	s.resyncs = slices.DeleteFunc(s.resyncs, func(r *resync) bool { return &r.from.Origin == from })
	for key, o := range s.later {
		if &o.from.Origin == from {
			delete(s.later, key)
		}
	}
	n := s.buf.Drop(from)
	for key := range s.later {
		s.resume(key)
	}
	s.stats.Discarded += uint64(n)
	s.useDisk()
	return n
}

// available returns how many entries take may find, and never less than it finds. The caller holds
// mu.
func (s *Subscription) available() int { return s.buf.Available() + s.resyncable() }

// Knows reports whether an informer has an object, or has yet to offer the subscription its end.
// The store of a Lister changes before subscriptions learn of that.
func (s *Subscription) Knows(key event.Key) bool {
	for {
		regs := s.registrations()
		knows := slices.ContainsFunc(regs, func(reg *registration) bool {
			reg.proc.mu.Lock()
			defer reg.proc.mu.Unlock()
			return reg.store.Get(key) != nil || slices.ContainsFunc(reg.proc.blocked,
				func(b blockedOffer) bool { return b.reg == reg && b.entry.Object.Key() == key })
		})
		if knows || slices.Equal(regs, s.registrations()) { // else an Exchange has come between
			return knows
		}
	}
}

// Rewound reports whether versions have gone back while an informer had the subscription: lower ones
// may be newer than those of before. No cut of the informer has what came after that any earlier.
func (s *Subscription) Rewound() bool {
	return slices.ContainsFunc(s.registrations(), func(reg *registration) bool { return reg.Rewound.Load() })
}

func (s *Subscription) registrations() []*registration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.regs)
}

// signal wakes one waiter; setting it twice wakes once.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) set() {
	select {
	case s <- struct{}{}:
	default:
	}
}
