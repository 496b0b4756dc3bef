package asking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/memory"
)

// askTimeout is how long a running informerd may take for an answer.
const askTimeout = 5 * time.Second

// findRunning finds the informerd that runs with the configuration, if one does. It is asked about
// an object of the cluster, but not about the first list, which is about one that begins.
func (x *Asking) findRunning(ctx context.Context) (release func()) {
	dir := x.cfg.State.Dir
	if x.live == nil || x.Initial || dir == "" {
		return func() {}
	}
	client, err := admin.Dial(ctx, x.cfg.Path(dir))
	if err != nil {
		if errors.Is(err, admin.ErrNotRunning) {
			x.notRunning = x.cfg.Path(dir)
		} else {
			x.unasked(err)
		}
		return func() {}
	}
	x.running = client
	return client.Close
}

// remembered returns what the running informerd knows of the object, nil if it cannot be asked.
func (x *Asking) remembered(ctx context.Context, l *config.Listener) *memory.Object {
	if x.running == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	known, err := x.running.Remembers(ctx, admin.ObjectOf{Listener: l.Name,
		Namespace: x.live.Namespace, Name: x.live.Name})
	if err != nil {
		x.running = nil // one that does not answer now is not asked again
		x.unasked(err)
		return nil
	}
	return known
}

// unasked says why the running informerd is not asked. The answers go on without it.
func (x *Asking) unasked(err error) {
	fmt.Fprintf(x.Stderr, "informerd: what the running informerd remembers is not known: %s\n",
		words.Plain(err.Error()))
}
