package informer

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/diff"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/internal/unfinished"
	"github.com/informerd/informerd/pkg/informer/object"
)

// processor distributes an informer's notifications to its subscriptions. It has no goroutine: the
// goroutine that applies a delta calls it.
type processor struct {
	// mu is held while a delta is applied to the store and its notification distributed, and while
	// a subscription joins or leaves. So a late subscription's snapshot of the store misses no
	// event and doubles none.
	mu   sync.Mutex
	regs []*registration
	// resyncs: there is a subscription with a period, or was.
	resyncs bool
	// blocked are offers that a subscription with OverflowBlock has not taken. The controller
	// repeats them when it does not hold mu, and nothing is applied before they are taken: a full
	// subscription may hold up the informer, but not those who join and leave meanwhile.
	blocked []blockedOffer
	// toWake are registrations whose workers have to be woken, since they were offered something.
	toWake []*registration
	// fields reads what the conditions of all subscriptions ask for. Once a subscription has left
	// it is stale: it has fields that nobody asks for. Guarded by mu.
	fields condition.Fields
	stale  bool
	// joined wakes the controller, whose next resync may be due sooner.
	joined signal
	// changes are noted for the next cut; nil if nobody needs them. Guarded by mu.
	changes *changes
	// keeps: cuts are kept, so that registrations with Track are held until one has them.
	keeps bool
}

// blockedOffer is an offer that a subscription has not taken.
type blockedOffer struct {
	reg   *registration
	entry buffer.Entry
}

// registration ties one subscription to one informer.
type registration struct {
	buffer.Origin // guarded by subscription.mu

	subscription *Subscription
	store        *store.Store
	proc         *processor

	// Guarded by processor.mu.
	conditions *conditions
	matcher    matcher
	deletes    *diff.Deletes // noted while others are to take its place
	// minVersions are of what those before it have reported, and its informer has not come to yet.
	minVersions atomic.Pointer[diff.MinVersions]
	nextResync  time.Time
	// syncing: the last resync was for this subscription, too. An object that is unchanged in a new
	// list goes to syncing subscriptions only. Each starts as syncing.
	syncing bool
	toWake  bool // is in processor.toWake

	// postponed is how many of its events are in processor.blocked. Guarded by subscription.mu.
	postponed int
	// resyncing is when the resync began that has not come to its end, zero if there is none.
	// Guarded by subscription.mu.
	resyncing time.Time
	// unfinished is what the subscription has to learn, nil without Track. Guarded by
	// subscription.mu.
	unfinished *unfinished.Set
	// cutDue is when the last cut had the next resync. Guarded by processor.mu.
	cutDue time.Time
	// fresh: no cut has had what it has to learn. awaitsCut: it gets nothing until a cut that has
	// it is kept. cut: there was one. rescans: a rescan follows when it is not held any more.
	// resumed: it began with what the informer had Stored of it. Guarded by processor.mu.
	fresh, awaitsCut, cut, rescans, resumed bool
}

// join registers a subscription. What the store holds, and the subscription's conditions allow,
// reaches it as initial adds; if it was in the informer's Stored, only what it does not know; if it
// is held, nothing yet.
func (p *processor) join(s *Subscription, store *store.Store, now time.Time) *registration {
	p.mu.Lock()
	defer p.mu.Unlock()
	reg := newRegistration(s, store, p)
	s.mu.Lock()
	reg.Transitions = s.cfg.Transitions
	s.regs = append(s.regs, reg) // from here on, Reconfigure finds it
	s.mu.Unlock()
	known := p.takeAbsent(s)
	reg.awaitsCut = p.keeps && s.tracks && known == nil
	p.admit(reg, now)
	switch {
	case reg.awaitsCut:
	case known != nil:
		reg.resumed = true
		p.resumeResync(reg)
		p.resume(reg, known)
	default:
		p.begin(reg, store)
	}
	return reg
}

func newRegistration(s *Subscription, store *store.Store, p *processor) *registration {
	reg := &registration{
		Origin: buffer.Origin{Stored: store.Get}, subscription: s, store: store, proc: p,
	}
	if s.tracks {
		reg.unfinished, reg.fresh = unfinished.New(), true
	}
	return reg
}

// admit has a registration get events from here on. The caller holds mu.
func (p *processor) admit(reg *registration, now time.Time) {
	reg.syncing = true
	p.use(reg, reg.subscription.conditions.Load(), now)
	reg.matcher = reg.conditions.matcher(&p.fields)
	p.regs = append(p.regs, reg)
	p.trackFor(reg)
}

// use has a registration use its subscription's conditions. The caller holds mu.
func (p *processor) use(reg *registration, c *conditions, now time.Time) {
	if reg.conditions == nil || reg.conditions.resync != c.resync {
		reg.nextResync = now.Add(c.resync)
	}
	reg.conditions = c
	p.resyncs = p.resyncs || c.resync > 0
}

// names returns the names of the subscriptions that have one.
func (p *processor) names() (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, reg := range p.regs {
		if name := reg.subscription.name; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// leave ends a registration. It is idempotent. The subscription goes first: that ends a
// controller's wait for its buffer.
func (p *processor) leave(reg *registration) {
	used := reg.subscription.remove(reg)
	p.mu.Lock()
	defer p.mu.Unlock()
	if reg.resumed && !used {
		p.waitAgain(reg)
	}
	p.drop(reg)
}

// drop has a registration get no events any more. The caller holds mu.
func (p *processor) drop(reg *registration) {
	p.regs = slices.DeleteFunc(p.regs, func(r *registration) bool { return r == reg })
	p.stale = true
	p.untrack(reg)
}

// rewind forgets what has been noted of versions, as what comes now has lower ones. The caller
// holds mu.
func (p *processor) rewind() {
	for _, reg := range p.regs {
		reg.minVersions.Store(nil)
		reg.Rewound.Store(true)
	}
	if p.changes != nil {
		p.changes.version, p.changes.rewound = "", true
	}
}

// refresh makes fields again, of what the present subscriptions ask for.
func (p *processor) refresh() {
	p.fields, p.stale = condition.Fields{}, false
	for _, reg := range p.regs {
		reg.matcher = reg.conditions.matcher(&p.fields)
	}
}

// distribute offers a notification to every subscription whose conditions allow it. maybeKnown: see
// Delivery. The caller holds mu.
func (p *processor) distribute(e event.Event, maybeKnown bool) {
	p.send(&buffer.Entry{Event: e, MaybeKnown: maybeKnown})
}

// distributeGone offers a delete to every subscription whose conditions allow it. before is the
// stored state, from which the last state in the event may differ. maybeKnown: see Delivery. The
// caller holds mu.
func (p *processor) distributeGone(e event.Event, before *object.Object, maybeKnown bool) {
	for _, reg := range p.regs {
		if reg.deletes != nil {
			reg.deletes.Add(e.Object, e.FinalStateUnknown)
		}
	}
	p.send(&buffer.Entry{Event: e, Before: before, MaybeKnown: maybeKnown})
}

// distributeUnchanged offers an object that a new list has not changed to the subscriptions that
// are syncing. The caller holds mu.
func (p *processor) distributeUnchanged(o *object.Object) {
	offered := buffer.Entry{Event: event.Event{Op: event.Resync, Object: o}}
	for _, reg := range p.regs {
		if reg.syncing && reg.conditions.resync > 0 {
			p.sendTo(reg, &offered)
		}
	}
}

// send offers an event to every subscription whose conditions allow it.
func (p *processor) send(offered *buffer.Entry) {
	if p.stale {
		p.refresh()
	}
	p.changes.offer(offered)
	for _, reg := range p.regs {
		p.sendTo(reg, offered)
	}
}

// sendTo offers an event to one subscription. An event that its conditions refuse costs nothing but
// evaluating them: with hundreds of subscriptions on an informer, most events are for few of them.
func (p *processor) sendTo(reg *registration, e *buffer.Entry) {
	if reg.awaitsCut {
		return
	}
	s := reg.subscription
	if minVersions := reg.minVersions.Load(); minVersions != nil {
		if !minVersions.Above(e.Object, e.Op == event.Delete) {
			return
		}
		if minVersions.Passed(e.Object) {
			reg.minVersions.Store(nil)
		}
	}
	if !reg.matcher.allows(e) && !reg.owesEnd(e) {
		s.refused.Add(1)
		return
	}
	before := e.KnownBefore()
	offered := *e
	offered.MaybeDelivered = p.changes.maybeDelivered(e)
	offered.From = &reg.Origin
	if !reg.conditions.transitions {
		offered.Before = nil // nobody will ask
	}
	if offered.Initial {
		offered.Initials = 1
	}
	// An event after an offer that was not taken waits behind it, even if there is room by now: the
	// two may be of one object.
	waits := slices.ContainsFunc(p.blocked, func(b blockedOffer) bool {
		return b.reg == reg
	})
	if waits {
		s.postpone(reg, &offered, before)
	}
	if waits || !s.offer(reg, &offered, before) {
		p.blocked = append(p.blocked, blockedOffer{reg, offered})
	}
	p.wakeLater(reg)
}

// wakeLater has the next wake wake the registration's workers. The caller holds mu.
func (p *processor) wakeLater(reg *registration) {
	if !reg.toWake {
		reg.toWake = true
		p.toWake = append(p.toWake, reg)
	}
}

// wake wakes the workers of the subscriptions that were offered something. It is not called for
// each event: that would cost more than the event.
func (p *processor) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, reg := range p.toWake {
		reg.toWake = false
		reg.subscription.wake.set()
	}
	clear(p.toWake)
	p.toWake = p.toWake[:0]
}

// awaitBlocked waits until all blocked offers are taken, or ctx is done. It takes mu itself.
func (p *processor) awaitBlocked(ctx context.Context) {
	if len(p.blocked) == 0 {
		return
	}
	p.wake()
	for _, b := range p.blocked {
		b.reg.subscription.offerUntilTaken(ctx, b.reg, b.entry)
	}
	p.mu.Lock() // for Knows
	defer p.mu.Unlock()
	clear(p.blocked)
	p.blocked = p.blocked[:0]
}

// startResync begins the resyncs that are due now: each subscription hands out the stored objects
// at its own pace. It returns when the next one will be due, zero if never.
func (p *processor) startResync(now time.Time, store *store.Store) (next time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var due []*registration
	for _, reg := range p.regs {
		period := reg.conditions.resync
		if period <= 0 || reg.awaitsCut {
			continue
		}
		if !now.Before(reg.nextResync) {
			due = append(due, reg)
			reg.nextResync = now.Add(period)
		}
		if next.IsZero() || reg.nextResync.Before(next) {
			next = reg.nextResync
		}
	}
	if len(due) == 0 {
		return next
	}
	for _, reg := range p.regs {
		reg.syncing = slices.Contains(due, reg)
	}
	stored := store.Snapshot()
	for _, reg := range due {
		reg.subscription.resync(reg, stored, now)
		p.wakeLater(reg)
	}
	return next
}
