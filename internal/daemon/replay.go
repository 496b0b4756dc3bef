package daemon

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
)

// results are the results of replays as commands name them.
var results = map[delivery.Result]string{
	delivery.Delivered: admin.Delivered, delivery.Filtered: admin.Filtered,
	delivery.Superseded: admin.Superseded, delivery.Failed: admin.Failed,
}

// replayer replays dead letters, one after the other.
type replayer struct {
	letters *deadletter.Store
	find    func(*deadletter.Letter) (*listener, error)
	host    *plugins.Host
	module  []byte                      // instead of the listeners' handlers; empty: those
	force   bool                        // superseded letters as well
	loaded  map[string]*plugins.Handler // of module, by listener
	parser  object.Parser
}

// newReplayer returns a replayer. What the informers have changed in the letters' objects is
// changed already.
func newReplayer(letters *deadletter.Store, host *plugins.Host, module []byte, force bool,
	find func(*deadletter.Letter) (*listener, error)) *replayer {
	return &replayer{letters: letters, host: host, module: module, force: force, find: find,
		loaded: map[string]*plugins.Handler{},
		parser: object.Parser{KeepManagedFields: true, KeepSecretData: true}}
}

// rounds is the range of the delays between looks at letters that have to wait.
var rounds = backoff.Backoff{Min: 5 * time.Millisecond, Max: 5 * time.Second}

// run replays letters, and reports what became of each. Those of objects of which something else is
// under way wait until the others are done: that may be an event that waits for room in the store,
// which others have to make. The error is that of reading them, or of the module.
func (r *replayer) run(ctx context.Context, letters iter.Seq2[deadletter.Letter, error],
	report func(admin.Outcome)) error {
	defer r.close(ctx)
	for attempt, before := 1, 0; ; attempt++ {
		left, err := r.round(ctx, letters, report)
		if err != nil || len(left) == 0 {
			return err
		}
		if len(left) < before {
			attempt = 1
		}
		if err := backoff.Sleep(ctx, rounds.Delay(attempt)); err != nil {
			return err
		}
		before, letters = len(left), r.letters.List(ctx, deadletter.Query{IDs: left})
	}
}

// round is run, but returns the IDs of the letters that have to wait.
func (r *replayer) round(ctx context.Context, letters iter.Seq2[deadletter.Letter, error],
	report func(admin.Outcome)) (left []string, err error) {
	type object struct{ listener, resource, namespace, name string }
	busy := map[object]bool{}
	for l, err := range letters {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil && l.ID == "" {
			return nil, err
		}
		about := object{l.Listener, l.Resource, l.Namespace, l.Name}
		if err == nil && busy[about] { // an older letter waits
			left = append(left, l.ID)
			continue
		}
		result := delivery.Failed
		if err == nil {
			result, err = r.replay(ctx, &l)
		}
		if errors.As(err, new(moduleError)) {
			return nil, err // it would be that of every letter
		}
		if errors.Is(err, route.ErrBusy) {
			busy[about] = true
			left = append(left, l.ID)
			continue
		}
		if result == delivery.Delivered || result == delivery.Filtered {
			if _, wrong := r.letters.Delete(l.ID); wrong != nil {
				result, err = delivery.Failed, fmt.Errorf(
					"it is done, but the letter cannot be removed: %w", wrong)
			}
		}
		outcome := admin.Outcome{ID: l.ID, Result: results[result]}
		if err != nil {
			outcome.Error = err.Error()
		}
		report(outcome)
	}
	return left, nil
}

// replay replays one letter.
func (r *replayer) replay(ctx context.Context, l *deadletter.Letter) (delivery.Result, error) {
	to, err := r.find(l)
	if err != nil {
		return delivery.Failed, err
	}
	e, err := route.LetterEvent(l, &r.parser)
	if err != nil {
		return delivery.Failed, err
	}
	with, err := r.handler(ctx, to)
	if err != nil {
		return delivery.Failed, err
	}
	id := l.ID
	return to.route.TryReplay(ctx, route.Replay{Letter: *l, Event: e, With: with,
		Superseded: func() bool { return !r.force && r.letters.Superseded(id) },
		Gone:       func() bool { return !r.letters.Has(id) }})
}

// handler returns the module as the listener's handler, nil if the listener's own is used.
func (r *replayer) handler(ctx context.Context, l *listener) (*plugins.Handler, error) {
	if len(r.module) == 0 {
		return nil, nil
	}
	if h := r.loaded[l.name]; h != nil {
		return h, nil
	}
	s := l.setup()
	spec := plugins.Spec{Listener: l.name}
	if s.Config.Handler != nil {
		reader := &handlers.Reader{Section: plan.SectionOf(s.whole, s.Config), Persist: true,
			Caches: s.caches}
		own, err := reader.Spec()
		switch {
		case err != nil:
			return nil, err
		case own == nil:
			return nil, fmt.Errorf("listener %q: its handler's settings cannot be read: %w",
				l.name, reader.Mistakes)
		}
		spec = *own
	}
	spec.Path, spec.Wasm = "the module of the replay", r.module
	h, err := r.host.Load(ctx, spec)
	if err != nil {
		return nil, moduleError{err}
	}
	r.loaded[l.name] = h
	return h, nil
}

// moduleError is the error of a module that does not load.
type moduleError struct{ error }

func (e moduleError) Error() string { return "--with: " + e.error.Error() }

// Unwrap returns the reason.
func (e moduleError) Unwrap() error { return e.error }

// close closes the handlers of the module.
func (r *replayer) close(ctx context.Context) {
	for _, h := range r.loaded {
		_ = h.Close(context.WithoutCancel(ctx)) // nothing depends on it any more
	}
}
