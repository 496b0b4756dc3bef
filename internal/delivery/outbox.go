package delivery

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Policy says how long what failed is tried again.
type Policy struct {
	MinBackoff, MaxBackoff time.Duration // the delay doubles from the one to the other
	GiveUpAfter            time.Duration // 0: never
}

// Config is what an outbox is made with.
type Config struct {
	Listener string
	Capacity int // entries that may wait
	// Overflow is what becomes of entries for which there is no room. Wait makes Offer wait.
	Overflow informer.Overflow
	Policy   Policy
	Letters  Letters
	// Notes are where deliveries are noted that make dead letters superfluous. May be nil.
	Notes *deadletter.Listener
	Log   *FailureLog
	// Keep notes what is unsent, for Cut.
	Keep bool
	// Await returns once what rules know is where a crash does not lose it. It is called before a
	// report is written; with an error, the write is put off. Nil: nothing waits.
	Await func(context.Context) error
	// OnRoom is called after entries have ended; it must not block. May be nil.
	OnRoom func()
}

// MaxMade is how many bytes that handlers and expressions made should wait in an outbox. The
// workers stop making more beyond it.
const MaxMade = 64 << 20

// Outbox has what one output has not taken yet of one listener. Make one with New.
type Outbox struct {
	name     string // of the output
	cfg      Config
	queue    *informer.Subscription
	sizing   sync.Mutex // held while the queue's capacity changes
	capacity atomic.Int64
	waits    atomic.Bool // overflow block
	output   atomic.Pointer[Output]
	policy   atomic.Pointer[Policy]
	retired  atomic.Bool
	leaving  atomic.Bool                   // see GiveUp
	change   atomic.Pointer[chan struct{}] // closed when it has another output, or is retired
	senders  senders
	made     atomic.Int64 // bytes that wait
	stats    struct {     // counted by the workers and senders
		offered, delivered, deadLettered, dropped, merged atomic.Uint64
		written, retried                                  atomic.Uint64
		failed, refused, moot, reports                    atomic.Uint64
	}
	letters atomic.Uint64
	lag     *tracing.Histogram
	keeping keeping
	before  before
	awaited atomic.Pointer[time.Time] // when a call of Await began that has returned nil
}

// New returns an outbox that sends nothing before Run.
func New(out *Output, cfg Config) (*Outbox, error) {
	queue, err := informer.NewSubscription(informer.SubscriptionConfig{
		Name: cfg.Listener + " to " + out.Name, Capacity: cfg.Capacity, Overflow: cfg.Overflow,
	})
	if err != nil {
		return nil, fmt.Errorf("output %q: %w", out.Name, err)
	}
	o := &Outbox{name: out.Name, cfg: cfg, queue: queue, lag: tracing.NewHistogram(lagBounds)}
	o.keeping.on, o.keeping.changed.kind = cfg.Keep, 1
	o.sized(cfg.Capacity, cfg.Overflow)
	o.Use(out, cfg.Policy)
	return o, nil
}

// Name returns the name of the output.
func (o *Outbox) Name() string { return o.name }

// Use makes the output the one that everything goes to from now on, what is waiting included:
// nothing waits for a delay of the one before. A write that is under way ends as it would have.
func (o *Outbox) Use(out *Output, p Policy) {
	o.policy.Store(&p)
	before := o.output.Swap(out)
	o.changed()
	if before != nil && before != out {
		o.queue.RetryNow()
	}
}

// Resize changes how many entries may wait, and what becomes of more. What is waiting stays.
func (o *Outbox) Resize(capacity int, overflow informer.Overflow) error {
	o.sizing.Lock()
	defer o.sizing.Unlock()
	err := o.queue.Reconfigure(informer.SubscriptionConfig{Capacity: capacity, Overflow: overflow})
	if err == nil {
		o.sized(capacity, overflow)
	}
	return o.wrapped(err)
}

func (o *Outbox) sized(capacity int, overflow informer.Overflow) {
	o.capacity.Store(int64(capacity))
	o.waits.Store(overflow == informer.OverflowBlock)
}

// Retire makes dead letters of what is waiting, and Run return when that is done. Nothing may be
// offered afterwards.
func (o *Outbox) Retire() {
	o.retired.Store(true)
	o.changed()
	o.queue.Stop()
	o.queue.RetryNow()
}

// GiveUp makes dead letters of what is waiting, and of what is offered from then on: the listener
// was removed, and has no time left.
func (o *Outbox) GiveUp() {
	o.leaving.Store(true)
	o.changed()
	o.queue.RetryNow()
}

// givesUp returns why entries are dead letters instead of being sent, "" if they are sent.
func (o *Outbox) givesUp() (reason string, err error) {
	switch {
	case o.retired.Load():
		return deadletter.OutputRemoved, errRemoved
	case o.leaving.Load():
		return deadletter.ListenerRemoved, errLeaving
	}
	return "", nil
}

// changed has senders that wait look again.
func (o *Outbox) changed() {
	next := make(chan struct{})
	if before := o.change.Swap(&next); before != nil {
		close(*before)
	}
}

// OfferAll takes entries, each with a Pending as its Progress, as far as there is room, and returns
// how many: the first ones. It never waits. Its error says that the outbox has stopped.
func (o *Outbox) OfferAll(all []informer.Entry) (taken int, err error) {
	if len(all) == 0 { // the queue would wake a sender
		return 0, nil
	}
	o.count(all, 1)
	taken, err = o.queue.OfferAll(all)
	o.count(all[taken:], -1)
	return taken, o.wrapped(err)
}

// OfferWait takes an entry. With overflow block it waits for room; its error is ctx's, or says
// that the outbox has stopped, and then it did not take it.
func (o *Outbox) OfferWait(ctx context.Context, e informer.Entry) error {
	one := [...]informer.Entry{e}
	o.count(one[:], 1)
	err := o.queue.OfferWait(ctx, one[0])
	if err != nil {
		o.count(one[:], -1)
	}
	return o.wrapped(err)
}

// count counts what is being offered, or was not taken. It is counted before it is in the queue:
// from then on it is the senders', who may merge another one into it.
func (o *Outbox) count(all []informer.Entry, sign int64) {
	if len(all) == 0 {
		return
	}
	now, size, wanted := time.Now(), int64(0), int64(0)
	for i := range all {
		p := all[i].Progress.(*Pending)
		if sign > 0 {
			p.outbox, p.offered = o, now.Sub(p.Observed)
			o.before.comes(&all[i], p)
		}
		size += p.size()
		if p.Wanted {
			wanted++
		}
	}
	o.made.Add(sign * size)
	o.stats.offered.Add(uint64(sign * wanted))
	if sign > 0 {
		o.keeping.begin(all)
		return
	}
	for i := range all {
		o.keeping.end(all[i].Progress.(*Pending))
	}
}

// Has reports whether something of an object is waiting.
func (o *Outbox) Has(key event.Key) bool { return o.queue.Has(key) }

// Full reports whether the next entry may be merged or dropped, or would wait.
func (o *Outbox) Full() bool { return o.queue.Room() <= 0 || o.made.Load() >= MaxMade }

// Crowded reports whether half of the room for which Offer waits is taken.
func (o *Outbox) Crowded() bool {
	return o.waits.Load() && o.queue.Room() < (int(o.capacity.Load())+1)/2
}

// Fails reports whether an entry of an object has failed, and waits for its retry.
func (o *Outbox) Fails(key event.Key) bool { return o.queue.Parked(key) }

// Waits reports whether Offer waits for room.
func (o *Outbox) Waits() bool { return o.waits.Load() }

// Room returns how many entries there is room for.
func (o *Outbox) Room() int { return o.queue.Room() }

// Roomy reports whether it is worth while to offer more: there is room for several entries, or
// nothing else for the senders to do.
func (o *Outbox) Roomy() bool {
	return o.queue.Room() >= min(max(int(o.capacity.Load())/4, 1), roomy) || o.queue.Ready() == 0
}

// roomy is enough room to go on. Whoever offers would else be woken for each entry that has ended.
const roomy = 64

// Stuffed reports whether too much of what handlers and expressions made is waiting.
func (o *Outbox) Stuffed() bool { return o.made.Load() >= MaxMade }

// Stop makes Run return once everything is delivered. Nothing may be offered afterwards.
func (o *Outbox) Stop() { o.queue.Stop() }

// Run sends what is offered until Stop was called and everything is delivered, and then returns
// nil, or until ctx is done. Then it may be called again, but not before it has returned.
func (o *Outbox) Run(ctx context.Context) error {
	return (&crew{ctx: ctx, outbox: o}).work()
}

// Output returns what everything goes to.
func (o *Outbox) Output() *Output { return o.output.Load() }

// Stats returns the counters.
func (o *Outbox) Stats() Stats {
	s := &o.stats
	out := Stats{
		Delivered: s.delivered.Load(), DeadLettered: s.deadLettered.Load(),
		Dropped: s.dropped.Load(), Merged: s.merged.Load(), Written: s.written.Load(),
		Failed: s.failed.Load(), Refused: s.refused.Load(), Moot: s.moot.Load(),
		Retried: s.retried.Load(), Letters: o.letters.Load(), Reports: s.reports.Load(),
		Made: o.made.Load(), Queued: o.queue.Waiting(),
	}
	// Read last, so that what has ended meanwhile was offered.
	out.Offered = s.offered.Load()
	out.Waiting = out.Offered - min(out.Offered,
		out.Delivered+out.DeadLettered+out.Dropped+out.Merged)
	return out
}

// Lag is how long it took from the arrival of events until the output had taken everything of them,
// what rules report included. Those of lists, resyncs and replays did not arrive.
func (o *Outbox) Lag() tracing.Snapshot { return o.lag.Snapshot() }

// Oldest returns since when the oldest of what waits for the output does, 0 if nothing waits: an
// offering's Since, or when its event arrived, or else when it was offered. Of what was restored it
// is when the event was observed.
func (o *Outbox) Oldest() event.Instant { return o.queue.Stats().Oldest }

// lagBounds are from what a local receiver takes to what nobody should wait for.
var lagBounds = []time.Duration{time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Second,
	5 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute}

// Stats is what an outbox has done since it was made. Entries are counted but for those that have
// nothing but reports of rules in them.
type Stats struct {
	Offered      uint64 // entries that came in
	Delivered    uint64 // entries of which everything was taken, or was moot
	DeadLettered uint64 // entries of which something is a dead letter
	Dropped      uint64 // with overflow drop
	Merged       uint64 // into a later one of their object, since the outbox was full
	Waiting      uint64 // entries that have not ended
	Queued       int    // entries in the outbox, those of reports alone included

	Written uint64 // messages that the output took
	Reports uint64 // those of them that rules reported
	Failed  uint64 // times that it did not take a message, which is tried again
	Refused uint64 // messages that it refused permanently
	Moot    uint64 // messages about what is going, which it did not take
	Retried uint64 // entries that failed and were tried again
	Letters uint64 // dead letters, reports of rules included
	Made    int64  // bytes that handlers and expressions made and that are waiting
}
