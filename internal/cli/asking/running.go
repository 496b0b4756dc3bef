package asking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/internal/recalled"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/pkg/informer/event"
)

// askTimeout is how long a running informerd may take for an answer.
const askTimeout = 5 * time.Second

// noState is why a running informerd is not asked with a configuration that has no folder.
const noState = "the configuration has no folder for state, by which a running informerd is asked"

// findRunning finds the informerd that runs with the configuration, if one does, or else its
// checkpoint. It is asked about objects of the cluster, and lookups are asked in its cluster.
func (x *Asking) findRunning(ctx context.Context) (release func()) {
	none := func() {}
	dir := x.cfg.State.Dir
	switch {
	case !x.Apply && !x.needsLookups() && !slices.ContainsFunc(x.questions, x.remembers):
		return none
	case dir == "":
		if x.OfCluster() {
			x.unasked = noState
		}
		return none
	}
	dir = x.cfg.Path(dir)
	client, err := admin.Dial(ctx, dir)
	switch {
	case err == nil:
		x.running = client
		return client.Close
	case !errors.Is(err, admin.ErrNotRunning):
		x.cannotAsk("the running informerd remembers", err)
		return none
	}
	x.unasked = "no informerd runs with the state in " + dir
	if !slices.ContainsFunc(x.listeners, func(l *config.Listener) bool { return l.Checkpoint }) {
		return none
	}
	x.recalled, err = recalled.Open(filepath.Join(dir, statefolder.CheckpointFolder), x.cfg,
		x.schemas)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.cannotAsk("the checkpoint has", err)
	}
	return none
}

// remembers reports whether a running informerd may remember the object of a question.
func (x *Asking) remembers(q plan.Question) bool {
	_, ok := x.remembersBy(q)
	return ok
}

// remembersBy returns the name by which a running informerd is asked what it remembers of an
// object: it is one of the cluster, or a text of one, which has a uid.
func (x *Asking) remembersBy(q plan.Question) (key event.Key, ok bool) {
	switch {
	case x.Initial:
		return key, false
	case x.live != nil:
		return event.Key{Namespace: x.live.Namespace, Name: x.live.Name}, true
	}
	is := metadataOf(q.Object.JSON)
	return event.Key{Namespace: is.Namespace, Name: is.Name}, is.UID != ""
}

// metadataOf returns the metadata of an object, as far as it can be read.
func metadataOf(text []byte) metadata {
	var o struct{ Metadata metadata }
	if json.Unmarshal(text, &o) != nil {
		return metadata{}
	}
	return o.Metadata
}

// metadata says which object it is.
type metadata struct{ Namespace, Name, UID, ResourceVersion string }

// remembered returns what the running informerd knows of the object, or the checkpoint does. It is
// nil if neither can be asked.
func (x *Asking) remembered(ctx context.Context, l *config.Listener,
	key event.Key) *memory.Object {
	if x.recalled != nil && l.Checkpoint {
		return x.recalled.Object(l, key)
	}
	if x.running == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	known, err := x.running.Remembers(ctx, admin.ObjectOf{Listener: l.Name,
		Namespace: key.Namespace, Name: key.Name})
	if err != nil {
		x.running = nil // one that does not answer now is not asked again
		x.cannotAsk("the running informerd remembers", err)
		return nil
	}
	return known
}

// cannotAsk says why what is remembered is not known. The answers go on without it.
func (x *Asking) cannotAsk(what string, err error) {
	x.unasked = ""
	fmt.Fprintf(x.Stderr, "informerd: what %s is not known: %s\n", what, words.Plain(err.Error()))
}
