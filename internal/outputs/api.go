package outputs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/kubernetesevent"
	"github.com/informerd/informerd/internal/sink/patch"
)

// API makes the outputs that write to the API server of a message's cluster, and has what they
// share. It lives as long as the daemon, through reloads, so that own writes and loops are not
// forgotten. Clusters have their names.
type API struct {
	api    connections
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

// Connect sets the API server of a cluster, in place of the one before. Without one, outputs fail
// and are tried again.
func (a *API) Connect(cluster string, w sink.KubeAPI) { a.api.of.Store(cluster, w) }

// Disconnect forgets a cluster that has left, with its own writes and loops. Call it once its
// listeners have ended, and before those of another one of its name are made.
func (a *API) Disconnect(cluster string) {
	a.api.of.Delete(cluster)
	a.writes.Forget(cluster)
}

// Own returns the own writes of a listener in a cluster, whose events it does not get.
func (a *API) Own(cluster, listener string) *patch.Own { return a.writes.Of(cluster, listener) }

// Renewed has patches of a cluster's resource use another version.
func (a *API) Renewed(cluster string, was schema.GroupVersionResource, now string) {
	a.writes.Renewed(cluster, was, now)
}

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

// connections are the API servers of clusters, which come and go while there are outputs.
type connections struct{ of sync.Map } // from names to sink.KubeAPI

// ErrNotConnected is the error of writes before Connect, and after Disconnect.
var ErrNotConnected = errors.New("not connected to the API server")

// Do implements sink.KubeAPI.
func (c *connections) Do(ctx context.Context, r sink.KubeRequest) ([]byte, error) {
	to, connected := c.of.Load(r.Cluster)
	if !connected {
		return nil, fmt.Errorf("%w of cluster %q", ErrNotConnected, r.Cluster)
	}
	return to.(sink.KubeAPI).Do(ctx, r)
}
