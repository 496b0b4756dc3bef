package delivery

import (
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/histogram"
)

// stats are counted by the workers and senders.
type stats struct {
	offered, delivered, deadLettered, dropped, merged atomic.Uint64
	written, retried                                  atomic.Uint64
	failed, refused, reports                          atomic.Uint64
}

// lagBounds are from what a local receiver takes to what nobody should wait for.
var lagBounds = histogram.Bounds{time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Second,
	5 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute}

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
	Reports uint64 // those of them that rules reported
	Failed  uint64 // times that it did not take a message, which is tried again
	Refused uint64 // messages that it refused permanently
	Retried uint64 // entries that failed and were tried again
	Letters uint64 // dead letters, reports of rules included
	Made    int64  // bytes that handlers and expressions made and that are waiting
}
