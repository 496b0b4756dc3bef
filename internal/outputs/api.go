package outputs

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/kubernetesevent"
	"github.com/informerd/informerd/internal/sink/patch"
)

// API makes the outputs that write to the API server, and has what they share. It lives as
// long as the daemon, through reloads, so that own writes and loops are not forgotten.
type API struct {
	api    connection
	writes *patch.Writes
	loops  *kubernetesevent.Sink // writes Events about objects that are patched too often
	log    *slog.Logger
}

// NewAPI returns one that is not connected yet.
func NewAPI(log *slog.Logger) (*API, error) {
	a := &API{writes: patch.NewWrites(), log: log}
	var err error
	a.loops, err = kubernetesevent.New(kubernetesevent.Config{API: &a.api})
	return a, err
}

// Connect sets the API server. Until then, outputs fail and are tried again.
func (a *API) Connect(w sink.KubeAPI) { a.api.to.Store(&w) }

// Own returns the own writes of a listener, whose events it does not get.
func (a *API) Own(listener string) *patch.Own { return a.writes.Of(listener) }

// Renewed has patches of a resource use another version.
func (a *API) Renewed(was schema.GroupVersionResource, now string) { a.writes.Renewed(was, now) }

// Patches returns what the outputs that patch objects have done.
func (a *API) Patches() patch.Stats { return a.writes.Stats() }

var patchTypes = map[string]patch.Type{
	"apply": patch.Apply, "json": patch.JSON, "merge": patch.Merge,
}

// patch makes an output that patches objects. Without an expression, the patch is the message's
// data.
func (a *API) patch(o *config.Output,
	expression func(*sink.Message) (string, error)) (sink.Sink, error) {
	return patch.New(patch.Config{API: &a.api, Type: patchTypes[o.Patch.Type], Patch: expression,
		DryRun: o.Patch.DryRun, Writes: a.writes, Looping: a.looping,
		Log: a.log.With("output", o.Name)})
}

// looping writes an Event about an object whose patches are paused.
func (a *API) looping(ctx context.Context, m *sink.Message, note string) error {
	return a.loops.Record(ctx, m, kubernetesevent.What{Warning: true, Reason: "PatchLoop",
		Action: "Paused", Note: note})
}

// Close ends what the outputs share, once they are closed.
func (a *API) Close(ctx context.Context) error { return a.loops.Close(ctx) }

// connection is an API server that is not known yet when the outputs are made.
type connection struct{ to atomic.Pointer[sink.KubeAPI] }

// ErrNotConnected is the error of writes before Connect.
var ErrNotConnected = errors.New("not connected to the API server yet")

// Do implements sink.KubeAPI.
func (c *connection) Do(ctx context.Context, r sink.KubeRequest) ([]byte, error) {
	to := c.to.Load()
	if to == nil {
		return nil, ErrNotConnected
	}
	return (*to).Do(ctx, r)
}
