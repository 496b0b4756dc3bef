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
}

// Emission is an event or, if Type is empty, the data that replace those of the object's event.
type Emission struct {
	Type string
	Data json.RawMessage
}

// Load configures the handler. The error is what its Configure gives.
func Load(config string) (*Guest, error) {
	f := &fake{config: config, configuring: true}
	host.Current = f
	status := host.Configure()
	f.configuring = false
	if status != 0 {
		return nil, errors.New(f.result.Message)
	}
	return &Guest{f}, nil
}

// Start is Load for a configuration that must be taken.
func Start(t testing.TB, config string) *Guest {
	t.Helper()
	g, err := Load(config)
	if err != nil {
		t.Fatalf("configure: %v", err)
	}
	return g
}

// Add gives the handler a new object.
func (g *Guest) Add(object string) Result { return g.event(informerd.Add, object, "") }

// Update gives the handler a changed object.
func (g *Guest) Update(old, object string) Result { return g.event(informerd.Update, object, old) }

// Delete gives the handler an object that is gone.
func (g *Guest) Delete(object string) Result { return g.event(informerd.Delete, object, "") }

// Resync gives the handler an object again.
func (g *Guest) Resync(object string) Result { return g.event(informerd.Resync, object, "") }

func (g *Guest) event(op informerd.Op, object, old string) Result {
	f := g.fake
	host.Current = f
	f.op, f.objects, f.result = op, [2]string{object, old}, Result{}
	f.result.Verdict = informerd.Verdict(host.OnEvent(uint32(op), 0, uint32(len(object)), uint32(len(old))))
	if f.result.Verdict != informerd.Done {
		f.result.Emitted = nil
	}
	return f.result
}
