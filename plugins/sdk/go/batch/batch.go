package batch

import (
	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Handler is a guest's implementation. OnBatch is required.
type Handler struct {
	// Configure runs once, before the first event. It reads the configuration and rejects invalid
	// settings.
	Configure func() error
	// OnBatch runs for each batch and pulls its events. Its verdict applies to every event without
	// a verdict of its own, including those not pulled. The batch is valid until OnBatch returns.
	OnBatch func(b *Batch) informerd.Verdict
}

// Batch is one or more events in order.
type Batch struct {
	size   int
	pulled bool // there is a current event
	// nil in a call of on_batch; otherwise the arguments of on_event, with op 0 once it is pulled
	single  *[4]uint32
	verdict informerd.Verdict // of that event, once the next one was pulled
}

// Event is an event of a batch. It is valid until the next one is pulled, which reuses its memory.
type Event struct {
	*informerd.Event
}

var (
	onBatch   func(b *Batch) informerd.Verdict
	batch     Batch
	arguments [4]uint32
	event     = Event{host.Event.(*informerd.Event)} // the only one
	// of the current event; the host reads its verdict from it
	record host.Record
)

func init() {
	host.Batches = true
}

// Register makes h the handler of this guest. Call it once, in an init function, and do not call
// informerd.Register.
func Register(h Handler) {
	if h.OnBatch == nil {
		panic("batch: Register needs a handler with OnBatch")
	}
	informerd.Register(informerd.Handler{Configure: h.Configure, OnEvent: unexpectedEvent})
	onBatch, host.OnBatch, host.OnEvent = h.OnBatch, runBatch, runSingle
}

func unexpectedEvent(*informerd.Event) informerd.Verdict {
	panic("batch: on_event called the wrong handler")
}

// runBatch runs when the host calls the export on_batch.
func runBatch(n uint32) int32 {
	host.End() // no event is current before the first is pulled
	batch = Batch{size: int(n)}
	return int32(onBatch(&batch))
}

// runSingle runs when the host calls the export on_event. Its event is current for the host, but
// not yet for the handler.
func runSingle(op, flags, objectLen, oldLen uint32) int32 {
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

// settle records the verdict of the single event.
func (b *Batch) settle() {
	if b.pulled {
		b.pulled, b.verdict = false, informerd.Verdict(record[host.Verdict])
	}
}

// Len returns the number of events in the batch.
func (b *Batch) Len() int { return b.size }

// Next pulls the next event. It returns nil after the last one.
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

// SetVerdict sets the verdict of this event, which replaces that of OnBatch. The last call counts.
func (e *Event) SetVerdict(v informerd.Verdict) { record[host.Verdict] = int32(v) }
