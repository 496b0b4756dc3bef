package informer

import "context"

// offer is called by controllers. It never blocks, and is false if the event must be offered again
// when there is room. The workers learn of it when the caller sets wake.
func (l *Subscription) offer(e entry) (taken bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.offerLocked(e)
}

func (l *Subscription) offerLocked(e entry) (taken bool) {
	if l.stopped || e.from.removed {
		return true
	}
	if !l.buf.offer(e) {
		e.from.postponed++
		return false
	}
	l.useDisk()
	e.from.initials += e.initials
	l.stats.Offered++
	return true
}

// offerAgain repeats an offer that was not taken.
func (l *Subscription) offerAgain(e entry) (taken bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.from.postponed--
	return l.offerLocked(e)
}

// postpone counts an event that is not offered before another one of its registration is taken.
func (l *Subscription) postpone(from *registration) {
	l.mu.Lock()
	from.postponed++
	l.mu.Unlock()
}

// offerUntil repeats an offer until it is taken, the subscription is gone, or ctx is done.
func (l *Subscription) offerUntil(ctx context.Context, e entry) {
	l.mu.Lock()
	l.stats.Blocked++
	l.mu.Unlock()
	for !l.offerAgain(e) {
		select {
		case <-l.room:
		case <-ctx.Done():
			return
		}
	}
	l.wake.set()
	l.room.set() // another informer's controller may wait, too
}
