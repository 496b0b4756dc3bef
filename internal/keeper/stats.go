package keeper

import "time"

// Stats are what a keeper has done.
type Stats struct {
	// Current is the time up to which everything is on disk, the zero time before the first cut.
	Current time.Time
	Took    time.Duration // by the last commit, from the cut to the disk
	Commits uint64        // cuts in which something has changed
	Written int64         // bytes, of commits and snapshots
	// SnapshotFailures are snapshots that could not be written, and were or are tried again.
	SnapshotFailures uint64
	// Failed is why the checkpoint was given up, nil if it was not.
	Failed error
}

// Stats returns what the keeper has done until now.
func (k *Keeper) Stats() Stats {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.stats
	s.Written = k.written.Load()
	return s
}

// write returns a function that writes blocks, and counts their bytes.
func (k *Keeper) write(to func(block []byte) error) func(block []byte) error {
	return func(block []byte) error {
		if err := to(block); err != nil {
			return err
		}
		k.written.Add(int64(len(block)))
		return nil
	}
}

// giveUp has Run go on without a checkpoint: cuts are made, which keeps what they are made of
// small, and go nowhere. What is on disk stays as a kill would have left it at this moment, so the
// next process tells again what comes from now on. Without it, all objects would come again, and
// what goes while nobody runs would be lost.
func (k *Keeper) giveUp(reason error) {
	k.log.Error("the checkpoint cannot be written, and informerd goes on without it: the next start begins where the checkpoint ends, so what happens from now on comes again",
		"error", reason)
	k.rotation.abort()
	k.rotation, k.due = nil, func() bool { return false }
	k.out = &writer{write: func([]byte) error { return nil }}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stats.Failed = reason
}

// hasFailed reports whether the checkpoint was given up.
func (k *Keeper) hasFailed() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.stats.Failed != nil
}
