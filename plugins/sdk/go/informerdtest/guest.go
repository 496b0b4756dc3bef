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

// Result is a handler's result for an event.
type Result struct {
	Verdict informerd.Verdict
	Emitted []Emission // empty unless the verdict is Done
	Message string     // the reason for a retry or failure
	Log     []string
	// FieldCalls is the number of fields that took a host call; prefetched ones take none.
	FieldCalls int
}

// Emission is an emitted event or, if Type is empty, the data that replaces the data of the
// object's event.
type Emission struct {
	Type string
	Data json.RawMessage
}

// Event is an event that Handle and Batch pass to the handler.
type Event struct {
	Op                informerd.Op // Add if it is 0
	Object            string
	Old               string // only an update has one
	Initial           bool
	FinalStateUnknown bool
	Missed            bool
	Resumed           bool
}

// Load configures the handler in a Host of its own. The error is that of its Configure.
func Load(config string) (*Guest, error) { return new(Host).Load(config) }

// Start is Load for a configuration that must be accepted; it fails the test otherwise.
func Start(t testing.TB, config string) *Guest {
	t.Helper()
	return new(Host).Start(t, config)
}

// Load configures the handler. The error is that of its Configure.
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

// Add passes the handler a new object.
func (g *Guest) Add(object string) Result {
	return g.Handle(Event{Op: informerd.Add, Object: object})
}

// Update passes the handler a changed object.
func (g *Guest) Update(old, object string) Result {
	return g.Handle(Event{Op: informerd.Update, Object: object, Old: old})
}

// Delete passes the handler a deleted object.
func (g *Guest) Delete(object string) Result {
	return g.Handle(Event{Op: informerd.Delete, Object: object})
}

// Resync passes the handler an object as a resync.
func (g *Guest) Resync(object string) Result {
	return g.Handle(Event{Op: informerd.Resync, Object: object})
}

// Handle passes the handler one event.
func (g *Guest) Handle(e Event) Result {
	f := g.fake
	host.Current = f
	f.begin(e, event)
	verdict := host.OnEvent(f.arguments())
	f.end()
	return f.result.withVerdict(informerd.Verdict(verdict))
}

// Batch passes the handler several events, at once if it imports package batch, otherwise one after
// the other. It returns one result for each.
func (g *Guest) Batch(events ...Event) (results []Result) {
	if host.OnBatch == nil {
		for _, e := range events {
			results = append(results, g.Handle(e))
		}
		return results
	}
	f := g.fake
	host.Current = f
	f.phase, f.batch, f.result = batch, batchState{events: events}, Result{}
	verdict := informerd.Verdict(host.OnBatch(uint32(len(events))))
	f.settle()
	f.end()
	if n := len(f.batch.results); n > 0 { // logged after the last event
		f.batch.results[n-1].Log = append(f.batch.results[n-1].Log, f.result.Log...)
	}
	results, f.batch = f.batch.results, batchState{}
	for len(results) < len(events) {
		results = append(results, Result{Verdict: host.AsBatch})
	}
	for i, r := range results {
		if r.Verdict == host.AsBatch {
			r.Verdict = verdict
		}
		results[i] = r.withVerdict(r.Verdict)
	}
	return results
}

// withVerdict returns the result with this verdict.
func (r Result) withVerdict(v informerd.Verdict) Result {
	r.Verdict = v
	if v != informerd.Done {
		r.Emitted = nil
	}
	return r
}
