package informer

import "github.com/informerd/informerd/pkg/informer/event"

// SubscriptionStats are the counters of a subscription since it was made. Held, Parked, Marked,
// Backlog, OnDisk and Resyncing are what there is now.
type SubscriptionStats struct {
	// Refused are events that On or Conditions refused, which came nowhere near the buffer.
	Refused uint64
	// Offered are events that entered the buffer or a mark, and objects handed out by resyncs.
	Offered uint64
	// Done are events that a worker has finished.
	Done uint64
	// Retried are deliveries that were put back for a retry.
	Retried uint64
	// Recalled are deliveries that a worker had asked for with Again. No other counter has them.
	Recalled uint64
	// Coalesced are events that were merged into a later one of their object while the buffer was
	// full.
	Coalesced uint64
	// Dropped are events given up because the buffer was full, with OverflowDrop.
	Dropped uint64
	// Spilled are events that went to the spill file, with OverflowSpill.
	Spilled uint64
	// Blocked are events for which an informer had to wait, with OverflowBlock.
	Blocked uint64
	// Discarded are events given up by Registration.Remove or Discard.
	Discarded uint64
	// Held are events that count against the capacity, those being handled included.
	Held int
	// Parked are events that wait for a retry, or behind one that does.
	Parked int
	// Marked are objects with a mark, behind the full buffer or behind an event that waits for a
	// retry.
	Marked int
	// Backlog are stored objects that wait to be handed out as initial adds.
	Backlog int
	// OnDisk are events in the spill file, or in memory on their way there or back.
	OnDisk int
	// Resyncing are stored objects that the resync under way has not come to.
	Resyncing int
	// ResyncsSkipped are resyncs that came due while the one before was under way, which continued
	// instead.
	ResyncsSkipped uint64
	// Oldest is when the oldest event arrived that is not done, those being handled included; 0 if
	// there is none. Initial adds, resyncs, recalls and what is offered by hand do not arrive: of
	// them it is when they came to the subscription.
	Oldest event.Instant
	// Mistakes are defects of this package that were noticed and survived. Each is worth a report.
	Mistakes uint64
	// SpillError is why the spill file was given up, nil if it was not. What it held is delivered
	// all the same: unchanged if the file cannot be written any more, as if marked if it cannot be
	// read. After Discard, it may be that the disk hangs.
	SpillError error
}

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
	stats.Mistakes, stats.SpillError, stats.Oldest = b.Mistakes, b.SpillErr, b.Oldest
	return stats
}
