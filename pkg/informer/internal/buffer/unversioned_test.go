package buffer

import (
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/informertest"
	"github.com/informerd/informerd/pkg/informer/object"
)

// The same when the buffer is full, with every policy, and when the spill file breaks: the last
// state comes as an update.
func TestObjectsWithoutVersionsBehindAFullBuffer(t *testing.T) {
	state := func(phase string) *object.Object {
		o, err := (&object.Parser{}).Parse(
			[]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"},"status":{"phase":"` +
				phase + `"}}`))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	b := spilling(&informertest.Faults{Read: true}, 1<<20)
	b.Offer(ev(event.Add, obj("a", "1", 1)))
	b.Offer(ev(event.Resync, state("Pending")))
	b.Offer(ev(event.Update, state("Running"), state("Pending")))
	b.useDisk()
	var got []string
	for e, ok := b.Take(); ok; e, ok = b.Take() {
		got = append(got, e.Op.String()+" "+
			object.MustCompilePath("status.phase").Lookup(e.Object).Text())
		b.Done(e.Object.Key())
		b.useDisk()
	}
	expect(t, got, "add ", "update Running")
}
