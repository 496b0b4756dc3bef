package buffer

// Stats are the counters of a buffer since it was made, and what it holds now.
type Stats struct {
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
}

// Stats returns the counters.
func (b *Buffer) Stats() Stats {
	s := Stats{
		Coalesced: b.coalesced, Dropped: b.dropped, Spilled: b.spilled, Mistakes: b.mistakes,
		Held: b.held(), Parked: b.lanes.Parked() + b.lanes.Behind(),
		Marked: len(b.marks), Folded: len(b.folded), OnDisk: b.spill.len(), SpillErr: b.spillErr,
	}
	for _, joined := range b.backlog {
		s.Backlog += len(joined.objects)
	}
	return s
}
