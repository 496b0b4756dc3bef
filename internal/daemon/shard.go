package daemon

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/sharedstate"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/plugins"
)

// shard works on a part of a cluster's objects, which is all of them unless replicas share them: it has
// the listeners, the informers of their events, and what is kept of both. It owns their goroutines.
// Informers in which objects are looked up are the same for all shards of the cluster.
type shard struct {
	*supervisor
	cluster *cluster
	of      informer.Shard
	log     *slog.Logger
	keeper  *keeper.Keeper // nil if no listener goes on where another process was
	factory *informer.Factory
	binder  *binder
	left    leaving           // belongs to who reloads
	part    string            // by which replicas have something in common of the shard; "": nothing
	common  *sharedstate.Hold // what replicas have in common of the shard; nil: nothing
	ctx     context.Context   // ends when the intake does

	intake, listening sync.WaitGroup

	// The runtime's mu guards what follows.
	listeners []*listener // of the plan, in its order
	leaving   []*listener // that have no part in the plan any more, and have not ended
}

// newShard makes a shard without listeners, which runs nothing. Without a factory it has its own.
func (s *supervisor) newShard(c *cluster, of informer.Shard, factory *informer.Factory) *shard {
	one := &shard{supervisor: s, cluster: c, of: of, log: s.log, factory: factory}
	if c.membership != nil {
		one.log = one.log.With("cluster", c.name)
	}
	if of.Count > 0 {
		one.log = one.log.With("shard", of.Index)
	}
	if factory == nil {
		one.factory = c.newFactory(one.log)
	}
	one.binder = newBinder(one)
	return one
}

// place is where a listener is: in which shard of which cluster. What there is only one of is empty.
type place struct {
	cluster, shard string
	labels         map[string]string // of the cluster
}

// String returns the place as one text.
func (p place) String() string {
	if p.cluster == "" {
		return p.shard
	}
	return p.cluster + "/" + p.shard
}

// place returns where the listeners of the shard are.
func (s *shard) place() (p place) {
	if s.cluster.membership != nil {
		p.cluster, p.labels = s.cluster.name, s.cluster.labels
	}
	if s.of.Count > 0 {
		p.shard = strconv.Itoa(s.of.Index)
	}
	return p
}

// messages returns what makes the messages of a listener that is about a resource.
func (s *shard) messages(listener string, is informer.Resource) (*cloudevent.Builder, error) {
	return cloudevent.NewBuilder(sink.Origin{Cluster: s.cluster.name,
		ClusterLabels: s.cluster.labels, Listener: listener, Shard: s.place().shard, Resource: is.String(), Group: is.Group, Version: is.Version,
		Plural: is.Resource, Kind: is.Kind})
}

// kv returns where values of handlers are kept, nil for the folder.
func (s *shard) kv() plugins.KVBacking {
	if s.common == nil {
		return nil // and no interface that has none
	}
	return s.common
}

// planned returns the listeners of a plan that the shard has; all of them for nil.
func (s *shard) planned(p *plan.Plan) []*plan.Listener {
	if s == nil || s.cluster.membership == nil {
		return p.Listeners
	}
	return s.cluster.planned(p)
}

// begin begins to work, until ctx is done.
func (s *shard) begin(ctx context.Context) {
	s.ctx = ctx
	s.retireLeft(ctx)
	s.intake.Go(func() { _ = s.factory.Run(ctx) })
	for _, l := range s.current() {
		s.start(ctx, l)
	}
	s.intake.Go(func() { s.binder.run(ctx) })
}

// end waits until the intake has ended, and lets the listeners finish what they have, for a
// while. No reload may be under way. It returns them, and how many events and messages each leaves
// unfinished.
func (s *shard) end(ctx context.Context) (all []*listener, unfinished []int) {
	s.intake.Wait()
	s.cluster.Client.CloseIdleConnections()
	grace := s.grace()
	if s.fence != nil {
		grace = min(grace, handOverGrace)
	}
	s.log.Info("stopping: the intake has ended, listeners finish what they have", "grace", grace)
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	if s.once != nil {
		cancel()
		draining, cancel = s.once.draining(ctx, grace)
	}
	defer cancel()
	if cause := context.Cause(ctx); cause == errCheckpoint || errors.Is(cause, lease.ErrLost) {
		cancel() // whatever ends now would come again
	}
	all = s.current()
	for _, l := range all {
		s.listening.Go(func() { _ = l.route.Drain(draining) }) // logResults reports the rest
	}
	s.listening.Wait()
	unfinished = logResults(s.log, all)
	for _, l := range all { // of outputs that the plan does not have any more
		for _, had := range l.setups() {
			s.letGo(&s.listening, had.outputs...)
		}
	}
	s.listening.Wait()
	return all, unfinished
}

// start loads the handler of a listener and has it bound. When that is done, it begins.
func (s *shard) start(ctx context.Context, l *listener) {
	l.life, l.leave = context.WithCancel(ctx)
	l.setup().hold()
	if l.after == nil {
		s.binder.add(l, l.setup())
	}
	l.tasks.Add(1)
	s.intake.Go(func() {
		defer l.tasks.Done()
		if l.after != nil {
			select {
			case <-l.after:
				s.binder.add(l, l.setup())
			case <-l.life.Done():
				return
			}
		}
		if l.load(l.life, s.host, s.log) == nil {
			close(l.loaded)
		}
	})
}

// current returns the shard's listeners.
func (s *shard) current() []*listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.listeners)
}

// named returns the shard's listener of a name, nil if there is none.
func (s *shard) named(name string) *listener { return listenerNamed(s.current(), name) }

func listenerNamed(all []*listener, name string) *listener {
	for _, l := range all {
		if l.name == name {
			return l
		}
	}
	return nil
}
