package batch

import (
	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Handler is what a guest does. OnBatch is required.
type Handler struct {
	// Configure runs once, before the first event. It reads the configuration and refuses bad
	// settings.
	Configure func() error
	// OnBatch runs for each batch, and pulls its events. Its verdict is that of all events that got
	// none of their own, those that were not pulled included. The batch is valid until it returns.
	OnBatch func(b *Batch) informerd.Verdict
}

// Batch is one or more events in their order.
type Batch struct {
	size   int
	pulled bool // there is an event at hand
	// nil in a call of on_batch; else the arguments of on_event, op 0 once it is pulled
	single  *[4]uint32
	verdict informerd.Verdict // of that event, once the next was asked for
}

// Event is an event of a batch. It is valid until the next is pulled, and its memory is that of the
// next one.
type Event struct {
	*informerd.Event
}

var (
	onBatch   func(b *Batch) informerd.Verdict
	batch     Batch
	arguments [4]uint32
	event     = Event{host.Event.(*informerd.Event)} // the one there is
	// of the event at hand; the host reads the verdict in it
	record host.Record
)

func init() {
	host.Batches = true
}

// Register makes h the handler of this guest. Call it in an init function, once, and
// informerd.Register not at all.
func Register(h Handler) {
	if h.OnBatch == nil {
		panic("batch: Register needs a handler with OnBatch")
	}
	informerd.Register(informerd.Handler{Configure: h.Configure, OnEvent: never})
	onBatch, host.OnBatch, host.OnEvent = h.OnBatch, many, one
}

func never(*informerd.Event) informerd.Verdict {
	panic("batch: on_event came to the wrong handler")
}

// many runs when the host calls the export on_batch.
func many(n uint32) int32 {
	host.End() // before the first is pulled there is none at hand
	batch = Batch{size: int(n)}
	return int32(onBatch(&batch))
}

// one runs when the host calls the export on_event: its event is at hand for the host, but not for
// the handler yet.
func one(op, flags, objectLen, oldLen uint32) int32 {
	host.End()
	arguments = [4]uint32{op, flags, objectLen, oldLen}
	batch = Batch{size: 1, single: &arguments, verdict: host.AsBatch}
	verdict := onBatch(&batch)
	batch.settle()
	if batch.verdict != host.AsBatch {
		return int32(batch.verdict)
	}
	return int32(verdict)
}

// settle notes the verdict of the single event.
func (b *Batch) settle() {
	if b.pulled {
		b.pulled, b.verdict = false, informerd.Verdict(record[host.Verdict])
	}
}

// Len is the number of events in the batch.
func (b *Batch) Len() int { return b.size }

// Next pulls the next event, nil if there is none left.
func (b *Batch) Next() *Event {
	if !b.next() {
		host.End()
		return nil
	}
	host.Begin(uint32(record[0]), uint32(record[1]), uint32(record[2]), uint32(record[3]))
	return &event
}

func (b *Batch) next() bool {
	if b.single == nil {
		return host.EventNext(&record) == host.RecordSize
	}
	a := b.single
	b.settle()
	if a[0] == 0 {
		return false
	}
	record = host.Record{int32(a[0]), int32(a[1]), int32(a[2]), int32(a[3]), host.AsBatch}
	a[0], b.pulled = 0, true
	return true
}

// SetVerdict gives the event a verdict of its own, in place of that of OnBatch. The last call
// counts.
func (e *Event) SetVerdict(v informerd.Verdict) { record[host.Verdict] = int32(v) }
