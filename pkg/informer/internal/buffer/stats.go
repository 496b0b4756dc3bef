package buffer

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/fifo"
)

// stats are the counters of a buffer since it was made, and what it holds now.
type stats struct {
	Coalesced uint64 // events that were merged into a later one of their object
	Dropped   uint64 // events given up by Drop, the overflow policy
	Spilled   uint64 // events that were written to the spill file
	Mistakes  uint64 // defects of this package that were noticed and survived
	Held      int    // entries that count against the capacity
	Parked    int    // entries that wait for a retry, or behind one that does
	Marked    int    // marks behind the ring
	Folded    int    // marks behind parked entries
	Backlog   int    // objects that wait to be handed out as initial adds
	OnDisk    int    // entries in the spill file, or in memory on their way there or back
	SpillErr  error  // why the spill file was given up
	// Oldest is since when the oldest entry waits, those with workers included; 0 if there is none.
	Oldest event.Instant
}

// Stats returns the counters.
func (b *Buffer) Stats() stats {
	s := stats{
		Coalesced: b.coalesced, Dropped: b.dropped, Spilled: b.spilled, Mistakes: b.mistakes,
		Held: b.held(), Parked: b.lanes.Parked() + b.lanes.Behind(),
		Marked: len(b.marks), Folded: len(b.folded), OnDisk: b.spill.len(), SpillErr: b.spillErr,
	}
	s.Oldest = b.oldest()
	for _, joined := range b.backlog {
		s.Backlog += len(joined.objects)
	}
	return s
}

// oldest returns since when the oldest entry waits. Of what is in line, the first one is taken for
// it.
func (b *Buffer) oldest() event.Instant {
	oldest := event.Instant(b.lanes.Oldest(func(e *Entry) int64 { return int64(e.Since) }))
	for _, line := range []*fifo.Queue[Entry]{&b.recalled, &b.ring} {
		if e := line.First(func(*Entry) bool { return true }); e != nil {
			oldest = oldest.Earlier(e.Since)
		}
	}
	if len(b.backlog) > 0 {
		oldest = oldest.Earlier(b.backlog[0].since)
	}
	if m := b.markOrder.First(func(m **mark) bool { return !(*m).empty() }); m != nil {
		oldest = oldest.Earlier((*m).since())
	}
	if oldest == 0 { // else what is spilled came later
		for _, s := range b.summaries {
			oldest = oldest.Earlier(s.since())
		}
	}
	return oldest
}
