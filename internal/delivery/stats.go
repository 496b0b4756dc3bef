package delivery

import "sync/atomic"

// stats are counted by the workers and senders.
type stats struct {
	offered, delivered, deadLettered, dropped, merged atomic.Uint64
	written, retried                                  atomic.Uint64
}

// Stats is what an outbox has done since it was made. Entries are counted but for those that have
// nothing but reports of rules in them.
type Stats struct {
	Offered      uint64 // entries that came in
	Delivered    uint64 // entries of which everything was taken
	DeadLettered uint64 // entries of which something is a dead letter
	Dropped      uint64 // with overflow drop
	Merged       uint64 // into a later one of their object, since the outbox was full
	Waiting      uint64 // entries that have not ended
	Queued       int    // entries in the outbox, those of reports alone included

	Written uint64 // messages that the output took
	Retried uint64 // entries that failed and were tried again
	Letters uint64 // dead letters, reports of rules included
	Made    int64  // bytes that handlers and expressions made and that are waiting
}
