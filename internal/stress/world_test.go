package stress

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

var configMaps = informer.Resource{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	Kind:                 "ConfigMap",
}

// world is the state of the test that the listeners' handlers use.
type world struct {
	factory *informer.Factory
	truth   *truth
	written chan struct{} // closed when the writers have ended
}

// writing reports whether the writers have not ended.
func (w *world) writing() bool {
	select {
	case <-w.written:
		return false
	default:
		return true
	}
}

// untilWritten waits until a condition holds or the writers have ended.
func (w *world) untilWritten(ctx context.Context, holds func() bool) error {
	return until(ctx, func() bool { return holds() || !w.writing() })
}

// until polls a condition that has no notification.
func until(ctx context.Context, holds func() bool) error {
	if holds() {
		return nil
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// converge waits until the informer's store and all listeners have the final state.
func converge(ctx context.Context, subjects []*subject, end final) error {
	lag := "nothing was compared"
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if lag = lagging(subjects, end); lag == "" {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", context.Cause(ctx), lag)
		}
	}
}

func lagging(subjects []*subject, end final) string {
	have, err := stored(subjects[0].registration().Lister())
	if err != nil {
		return err.Error()
	}
	if key, have, want, differ := end.differs(have); differ {
		return fmt.Sprintf("the store has %s as %s, but the server has %s", key, have, want)
	}
	for _, s := range subjects {
		if key, have, want, differ := end.differs(s.ledger.known()); differ {
			return fmt.Sprintf("listener %s knows %s as %s, but the server has %s\n%+v\n%s", s.name,
				key,
				have, want, s.listener.Stats(), s.story(key))
		}
		if !s.registration().HasSynced() {
			return fmt.Sprintf("listener %s has not finished its first list\n%+v", s.name,
				s.listener.Stats())
		}
	}
	return ""
}

func stored(lister informer.Lister) (final, error) {
	objects, err := lister.List("", labels.Everything())
	if err != nil {
		return nil, err
	}
	f := final{}
	for _, o := range objects {
		if ours(o.Key()) {
			f[o.Key()] = identity{o.UID(), versionOf(o)}
		}
	}
	return f, nil
}

// goroutines is a group of goroutines; the first one that fails stops all.
type goroutines struct {
	cancel context.CancelFunc
	all    sync.WaitGroup
	once   sync.Once
	err    error // of the first that failed
}

// newGroup returns a group and the context of its goroutines.
func newGroup(ctx context.Context) (*goroutines, context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	return &goroutines{cancel: cancel}, ctx
}

func (g *goroutines) start(f func() error) {
	g.all.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
			g.cancel()
		}
	})
}

// wait waits until all have ended, and returns the first error.
func (g *goroutines) wait() error {
	g.all.Wait()
	g.cancel()
	return g.err
}

// stop ends all.
func (g *goroutines) stop() error {
	g.cancel()
	return g.wait()
}

// sight is one event as every listener that missed nothing must have seen it, whatever its retries.
type sight struct {
	op                event.Op
	uid               string
	version, old      uint64
	finalStateUnknown bool
}

func (h *history) sights() []sight {
	var seen []sight
	for _, r := range h.records {
		if r.attempt == 1 {
			seen = append(seen, sight{r.op, r.uid, r.version, r.old, r.finalStateUnknown})
		}
	}
	return seen
}
