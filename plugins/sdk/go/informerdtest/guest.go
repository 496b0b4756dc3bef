//go:build !wasip1

package informerdtest

import (
	"encoding/json"
	"errors"
	"testing"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Guest is the handler that the package under test registers.
type Guest struct {
	fake *fake
}

// Result is what the handler made of an event.
type Result struct {
	Verdict informerd.Verdict
	Emitted []Emission // empty unless the verdict is Done
	Message string     // the reason of a retry or failure
	Log     []string
	// FieldCalls is how many fields were read with a call of the host; those that it gave ahead
	// take none.
	FieldCalls int
}

// Emission is an event or, if Type is empty, the data that replace those of the object's event.
type Emission struct {
	Type string
	Data json.RawMessage
}

// Event is what Handle and Batch give to the handler.
type Event struct {
	Op                informerd.Op // Add if it is 0
	Object            string
	Old               string // only an update has one
	Initial           bool
	FinalStateUnknown bool
	Missed            bool
}

// Load configures the handler in a Host of its own. The error is what its Configure gives.
func Load(config string) (*Guest, error) { return new(Host).Load(config) }

// Start is Load for a configuration that must be taken.
func Start(t testing.TB, config string) *Guest {
	t.Helper()
	return new(Host).Start(t, config)
}

// Load configures the handler. The error is what its Configure gives.
func (h *Host) Load(config string) (*Guest, error) {
	f := newFake(h, config)
	host.Current = f
	status := host.Configure()
	f.phase = idle
	if status != 0 {
		return nil, errors.New(f.result.Message)
	}
	return &Guest{f}, nil
}

// Add gives the handler a new object.
func (g *Guest) Add(object string) Result {
	return g.Handle(Event{Op: informerd.Add, Object: object})
}

// Update gives the handler a changed object.
func (g *Guest) Update(old, object string) Result {
	return g.Handle(Event{Op: informerd.Update, Object: object, Old: old})
}

// Delete gives the handler an object that is gone.
func (g *Guest) Delete(object string) Result {
	return g.Handle(Event{Op: informerd.Delete, Object: object})
}

// Resync gives the handler an object again.
func (g *Guest) Resync(object string) Result {
	return g.Handle(Event{Op: informerd.Resync, Object: object})
}

// Handle gives the handler one event.
func (g *Guest) Handle(e Event) Result {
	f := g.fake
	host.Current = f
	f.begin(e, event)
	verdict := host.OnEvent(f.arguments())
	f.end()
	return f.result.as(informerd.Verdict(verdict))
}

// Batch gives the handler several events at once, if it imports package batch, else one after the
// other. There is a result for each.
func (g *Guest) Batch(events ...Event) (results []Result) {
	if host.OnBatch == nil {
		for _, e := range events {
			results = append(results, g.Handle(e))
		}
		return results
	}
	f := g.fake
	host.Current = f
	f.phase, f.batch, f.result = batch, pulling{events: events}, Result{}
	verdict := informerd.Verdict(host.OnBatch(uint32(len(events))))
	f.settle()
	f.end()
	if n := len(f.batch.results); n > 0 { // what was written after the last event
		f.batch.results[n-1].Log = append(f.batch.results[n-1].Log, f.result.Log...)
	}
	results, f.batch = f.batch.results, pulling{}
	for len(results) < len(events) {
		results = append(results, Result{Verdict: host.AsBatch})
	}
	for i, r := range results {
		if r.Verdict == host.AsBatch {
			r.Verdict = verdict
		}
		results[i] = r.as(r.Verdict)
	}
	return results
}

// as gives the result its verdict.
func (r Result) as(v informerd.Verdict) Result {
	r.Verdict = v
	if v != informerd.Done {
		r.Emitted = nil
	}
	return r
}
