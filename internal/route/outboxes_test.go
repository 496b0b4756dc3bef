package route

import (
	"log/slog"
	"testing"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
)

// The outbox of a listener's only output has room for full batches of all its writes, and not for
// more than the buffer if that was made small.
func TestOutboxSize(t *testing.T) {
	const block, latest, drop = informer.OverflowBlock, informer.OverflowLatest,
		informer.OverflowDrop
	slow, fast := sink.Pace{}, sink.Pace{Batch: 512, Writes: 4}
	for _, c := range []struct {
		outputs  []sink.Pace
		buffer   Buffer
		capacity int
		overflow informer.Overflow
	}{
		{[]sink.Pace{slow}, Buffer{Capacity: 1_000_000, Overflow: latest}, 1024, block},
		{[]sink.Pace{fast}, Buffer{Capacity: 1_000_000, Overflow: latest}, 4096, block},
		{[]sink.Pace{fast}, Buffer{Capacity: 1024, Overflow: drop}, 4096, block},
		{[]sink.Pace{fast}, Buffer{Capacity: 1023, Overflow: latest}, 1023, block},
		{[]sink.Pace{slow}, Buffer{Capacity: 1, Overflow: latest}, 1, block},
		{[]sink.Pace{slow, fast}, Buffer{Capacity: 50, Overflow: drop}, 50, drop},
		{[]sink.Pace{slow, fast}, Buffer{Capacity: 5000, Overflow: block}, 5000, block},
	} {
		r, p := &Route{}, &Pipeline{}
		r.buffer.Store(&c.buffer)
		for _, pace := range c.outputs {
			p.Outputs = append(p.Outputs, Output{
				To: delivery.NewOutput("out", nowhere{pace}, slog.New(slog.DiscardHandler))})
		}
		capacity, overflow := r.outboxSize(p)
		if capacity != c.capacity || overflow != c.overflow {
			t.Errorf("outputs %v, buffer %v: %d entries, %v, want %d, %v", c.outputs, c.buffer,
				capacity, overflow, c.capacity, c.overflow)
		}
	}
}

// What writes to API servers is the output of the messages' cluster, and paused for that alone.
func TestOutputsOfACluster(t *testing.T) {
	messages, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	each, all := to("each", nowhere{sink.Pace{ByCluster: true}}), to("all", nowhere{})
	var b outboxes
	r := &Route{letters: &letters{}}
	r.buffer.Store(&Buffer{Capacity: 1})
	got, err := b.use(r, &Pipeline{Messages: messages, Outputs: []Output{each, all}}, Retry{})
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Output() != each.To.In("c") || got[0].Output() == each.To ||
		got[1].Output() != all.To {
		t.Error("the outputs are not those of the cluster")
	}
}
