package stress

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// subject is a listener under test, with its workers and its ledger.
type subject struct {
	name    string
	config  informer.SubscriptionConfig
	workers int
	// pace delays a worker in its handler; nil does not.
	pace func(ctx context.Context, s *subject, nth uint64) error
	// failEvery: one of so many deliveries fails; 0 means never.
	failEvery uint64
	// renewEvery: after so many deliveries the handler removes its registration and registers
	// again; 0 means never.
	renewEvery uint64
	// exercised returns what the listener has not met yet of the fault it tests, "" if it has.
	exercised func(counts, informer.SubscriptionStats) string

	world    *world
	listener *informer.Subscription
	ledger   *ledger

	mu  sync.Mutex
	reg *informer.Registration
}

// retryAfter is short, so that retries meet the events queued behind them.
const retryAfter = 5 * time.Millisecond

// subjects returns the kinds of listeners. All but the late one are there from the start.
func subjects(s size, spillDir string) []*subject {
	met := func(what string, when bool) string {
		if when {
			return ""
		}
		return what
	}
	discarded := func(_ counts, s informer.SubscriptionStats) string {
		return met("had nothing to discard", s.Discarded > 0)
	}
	return []*subject{
		{name: "fast", config: informer.SubscriptionConfig{Capacity: 1 << 20}},
		{name: "slow", config: informer.SubscriptionConfig{Capacity: 32}, pace: behindWriters(4),
			exercised: func(_ counts, s informer.SubscriptionStats) string {
				return met("coalesced nothing", s.Coalesced > 0)
			}},
		{name: "block", config: informer.SubscriptionConfig{Capacity: 2,
			Overflow: informer.OverflowBlock}, pace: untilFull(200),
			exercised: func(_ counts, s informer.SubscriptionStats) string {
				return met("never blocked", s.Blocked > 0)
			}},
		{name: "spill", config: informer.SubscriptionConfig{Capacity: 16,
			Overflow: informer.OverflowSpill, SpillDir: spillDir}, pace: behindWriters(4),
			exercised: func(_ counts, s informer.SubscriptionStats) string {
				return met("spilled nothing, or not everything", s.Spilled > 0 && s.Coalesced == 0)
			}},
		{name: "spill-full", config: informer.SubscriptionConfig{Capacity: 16,
			Overflow: informer.OverflowSpill, SpillDir: spillDir, SpillBytes: 64 << 10},
			pace: behindWriters(4), exercised: func(_ counts, s informer.SubscriptionStats) string {
				return met("did not both spill and coalesce", s.Spilled > 0 && s.Coalesced > 0)
			}},
		{name: "workers", config: informer.SubscriptionConfig{Capacity: 1 << 20}, workers: 4},
		{name: "slow-workers", config: informer.SubscriptionConfig{Capacity: 64}, workers: 4,
			pace: behindWriters(3),
			exercised: func(_ counts, s informer.SubscriptionStats) string {
				return met("coalesced nothing", s.Coalesced > 0)
			}},
		{name: "failing", config: informer.SubscriptionConfig{Capacity: 1 << 20}, failEvery: 7,
			exercised: func(c counts, _ informer.SubscriptionStats) string {
				return met("never failed", c.retried > 0)
			}},
		{name: "failing-slow", config: informer.SubscriptionConfig{Capacity: 32}, workers: 2,
			failEvery: 7, pace: behindWriters(3),
			exercised: func(c counts, s informer.SubscriptionStats) string {
				return met("did not both fail and coalesce", c.retried > 0 && s.Coalesced > 0)
			}},
		{name: late, config: informer.SubscriptionConfig{Capacity: 64},
			exercised: func(c counts, _ informer.SubscriptionStats) string {
				return met("found nothing in the store", c.initials > 0)
			}},
		{name: renewed, config: informer.SubscriptionConfig{Capacity: 64}, workers: 2,
			pace: behindWriters(2), exercised: discarded},
		{name: "renews", config: informer.SubscriptionConfig{Capacity: 64},
			renewEvery: uint64(2*s.objects - s.objects/7), exercised: discarded},
		{name: "resync", config: informer.SubscriptionConfig{Capacity: 256, Resync: s.resync},
			exercised: func(c counts, _ informer.SubscriptionStats) string {
				return met("got no resync", c.resyncs > 0)
			}},
	}
}

// The listeners that the test itself registers and removes.
const (
	late    = "late"
	renewed = "renewed"
)

// behindWriters makes a listener handle one event for so many writes, as long as there are writes.
func behindWriters(writes uint64) func(context.Context, *subject, uint64) error {
	return func(ctx context.Context, s *subject, nth uint64) error {
		return s.world.untilWritten(ctx, func() bool {
			return uint64(s.world.truth.count()) >= writes*nth
		})
	}
}

// untilFull makes a listener pause, every so many events, until its buffer is full.
func untilFull(every uint64) func(context.Context, *subject, uint64) error {
	return func(ctx context.Context, s *subject, nth uint64) error {
		if nth%every != 0 {
			return nil
		}
		return s.world.untilWritten(ctx, func() bool {
			return s.listener.Stats().Held == s.config.Capacity
		})
	}
}

func (s *subject) init(w *world) error {
	s.world = w
	s.config.Name = s.name
	s.workers = max(1, s.workers)
	s.ledger = newLedger(s.config.Resync > 0)
	var err error
	s.listener, err = informer.NewSubscription(s.config)
	return err
}

func (s *subject) register() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	reg, err := s.world.factory.Subscribe(configMaps, informer.Scope{}, informer.Shape{},
		s.listener)
	s.reg = reg
	return err
}

func (s *subject) registration() *informer.Registration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reg
}

// renew removes the registration from outside of the handlers, and registers again when they have
// finished their events.
func (s *subject) renew(ctx context.Context) error {
	s.registration().Remove()
	if err := until(ctx, func() bool { return s.listener.Stats().Held == 0 }); err != nil {
		return fmt.Errorf("%s: events remain after the removal: %w", s.name, err)
	}
	s.ledger.renew()
	return s.register()
}

// renewFromWithin is for a handler. It waits for an event that the removal discards.
func (s *subject) renewFromWithin(ctx context.Context) error {
	if err := s.world.untilWritten(ctx, func() bool {
		return s.listener.Stats().Held > 1
	}); err != nil {
		return err
	}
	s.registration().Remove()
	s.ledger.renew()
	return s.register()
}

// work takes events until the listener is stopped and empty. Several workers may run it.
func (s *subject) work(ctx context.Context) error {
	for {
		d, err := s.listener.Next(ctx)
		if errors.Is(err, informer.ErrStopped) {
			return nil
		}
		if err != nil {
			return err
		}
		nth := s.ledger.begin(&d, time.Now())
		if s.pace != nil {
			if err := s.pace(ctx, s, nth); err != nil {
				return err
			}
		}
		if s.renewEvery > 0 && nth%s.renewEvery == 0 && s.world.writing() {
			if err := s.renewFromWithin(ctx); err != nil {
				return err
			}
		}
		if s.failEvery > 0 && nth%s.failEvery == 0 {
			s.ledger.end(&d, true)
			d.Retry(retryAfter)
			continue
		}
		s.ledger.end(&d, false)
		d.Done()
	}
}

// problems returns the errors at the end, with the histories of a few objects at most.
func (s *subject) problems(tr *truth, end final) []string {
	const most = 3
	var found []string
	say := func(format string, args ...any) {
		found = append(found, fmt.Sprintf("listener %s: "+format,
			append([]any{s.name}, args...)...))
	}
	wrong := 0
	for key, written := range tr.lives {
		if err := s.ledger.check(s.ledger.of(key), written, end[key]); err != nil {
			if wrong++; wrong <= most {
				say("%s: %v\n%s", key, err, s.story(key))
			}
		}
	}
	if wrong > most {
		say("and %d more objects", wrong-most)
	}
	for key := range s.ledger.keys {
		if tr.lives[key] == nil {
			say("got %s, which was never written", key)
		}
	}
	c, epochs := s.ledger.snapshot()
	stats := s.listener.Stats()
	for _, problem := range unaccounted(c, stats, epochs > 0) {
		say("%s\n%+v\n%+v", problem, stats, c)
	}
	if lacks := s.lacks(); lacks != "" {
		say("the run tests nothing: it %s\n%+v", lacks, stats)
	}
	return found
}

// lacks returns what the listener has not met yet of the fault it tests, "" if it has.
func (s *subject) lacks() string {
	if s.exercised == nil {
		return ""
	}
	c, _ := s.ledger.snapshot()
	return s.exercised(c, s.listener.Stats())
}

// story returns the deliveries of an object name, and its true history.
func (s *subject) story(key event.Key) string {
	return fmt.Sprintf("%s got:\n%sthe writers wrote:\n%s", s.name, s.ledger.of(key),
		s.world.truth.of(key))
}

// unaccounted returns the differences between a listener's counters and its ledger, once everything
// is done.
func unaccounted(c counts, s informer.SubscriptionStats, removed bool) []string {
	var found []string
	same := func(what string, have, want uint64) {
		if have != want {
			found = append(found, fmt.Sprintf("%s: %d, want %d", what, have, want))
		}
	}
	same("Offered and its outcomes", s.Done+s.Coalesced+s.Dropped+s.Discarded, s.Offered)
	same("Done", s.Done, c.done)
	same("Retried", s.Retried, c.retried)
	same("Held, Marked, Backlog and OnDisk", uint64(s.Held+s.Marked+s.Backlog+s.OnDisk), 0)
	if removed {
		// Discarded events may have had a Missed.
		return found
	}
	same("Discarded", s.Discarded, 0)
	same("Missed of all events, as Coalesced", c.missed, s.Coalesced)
	if s.SpillError != nil {
		found = append(found, fmt.Sprintf("SpillError: %v", s.SpillError))
	}
	return found
}
