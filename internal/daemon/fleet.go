package daemon

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/fleet"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/pkg/informer"
)

// errLeft and errOther are the causes with which work in a cluster ends that is no member any more,
// or another one of its name.
var (
	errLeft  = errors.New("the cluster has left")
	errOther = errors.New("the cluster is another one by now")
)

// members are the clusters that are watched, of several. They own what the shards of a cluster have
// in common.
type members struct {
	*supervisor
	watch *fleet.Watch
	begun bool // the first ones have joined; belongs to update

	joined sync.WaitGroup // with a goroutine of each cluster

	mu      sync.Mutex // guards what follows, and what a membership says of it
	all     map[string]*cluster
	leaving map[string]bool           // names of those whose work has not ended
	failed  map[string]status.Cluster // that cannot join
	changed chan struct{}             // closed when there are others
	known   []fleet.Problem           // that were logged
}

// membership is that of a cluster.
type membership struct {
	fleet.Member // guarded by the lock of members
	since        time.Time
	forget       bool            // what its checkpoint has
	life         context.Context // ends, with a cause, when it has left or informerd ends
	end          context.CancelCauseFunc
	working      sync.WaitGroup // with those who work in it
	failed       error          // why Member is not what it is reached as; guarded by the lock of members

	planning  sync.Mutex // guards what follows
	plan      *plan.Plan // of which listeners are
	listeners []*plan.Listener
}

// planned returns the listeners that a plan has for the cluster.
func (c *cluster) planned(p *plan.Plan) []*plan.Listener {
	in := c.membership
	in.planning.Lock()
	defer in.planning.Unlock()
	if in.plan != p { // shards have them in common
		in.plan, in.listeners = p, p.In(c.name, c.labels)
	}
	return in.listeners
}

func newMembers(s *supervisor) *members {
	var home *kube.Server
	if s.home != nil {
		home = s.home.Server
	}
	return &members{supervisor: s, watch: fleet.New(s.plan.Config, home, s.log), all: map[string]*cluster{},
		leaving: map[string]bool{}, failed: map[string]status.Cluster{}, changed: make(chan struct{})}
}

// run has clusters join and leave until ctx is done, and returns when nobody works in one any more.
func (m *members) run(ctx context.Context) {
	m.watch.Run(ctx, func(found map[string]fleet.Member, problems []fleet.Problem) {
		m.report(problems)
		m.update(ctx, found)
	})
	m.joined.Wait()
}

// report logs why something is no cluster, once.
func (m *members) report(problems []fleet.Problem) {
	for _, p := range problems {
		if !slices.Contains(m.known, p) {
			m.log.Error("no cluster can be watched by what somebody has named", "from", p.From, "reason", p.Text)
		}
	}
	m.known = problems
}

// update makes the members those that were found.
func (m *members) update(ctx context.Context, found map[string]fleet.Member) {
	for _, c := range m.current() {
		is, there := found[c.name]
		switch {
		case !there:
			m.leave(c, errLeft)
		case !is.Same(&c.membership.Member):
			m.leave(c, errOther)
		case !is.ReachedAs(&c.membership.Member):
			m.renew(c, is)
		default: // what was tried meanwhile is not wanted any more
			m.mu.Lock()
			c.membership.failed = nil
			m.mu.Unlock()
		}
	}
	m.mu.Lock()
	maps.DeleteFunc(m.failed, func(name string, _ status.Cluster) bool {
		_, there := found[name]
		return !there
	})
	m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		m.mu.Lock()
		wait := m.all[name] != nil || m.leaving[name]
		m.mu.Unlock()
		if !wait {
			m.join(ctx, found[name])
		}
	}
	m.begun = true
}

// join has a cluster watched.
func (m *members) join(ctx context.Context, is fleet.Member) {
	with := m.options
	with.Log = with.Log.With("cluster", is.Name)
	log := with.Log.With("from", is.From)
	c, err := connectTo(is.Name, is.Options, m.config(), with)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		if m.failed[is.Name].Error != err.Error() {
			log.Error("the cluster cannot be watched", "error", err)
		}
		m.failed[is.Name] = status.Cluster{Name: is.Name, Labels: is.Labels, From: is.From, Error: err.Error()}
		return
	}
	delete(m.failed, is.Name)
	c.labels = is.Labels
	c.membership = &membership{Member: is, since: time.Now(), forget: m.options.Forget && !m.begun}
	c.membership.life, c.membership.end = context.WithCancelCause(ctx)
	log.Info("a cluster has joined", "server", c.Resolver.Server())
	m.connectOutputs(c)
	m.all[is.Name] = c
	m.news()
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	var own sync.WaitGroup
	own.Go(func() { m.follow(running, c) })
	if m.config().Sharding != nil { // else it is that of the only shard
		own.Go(func() { _ = c.factory.Run(running) })
	}
	m.joined.Go(func() {
		<-c.membership.life.Done()
		m.mu.Lock() // who works in it has said so by now
		working := &c.membership.working
		m.mu.Unlock()
		working.Wait()
		stop()
		own.Wait()
		m.ended(c)
	})
}

// leave ends the work in a cluster.
func (m *members) leave(c *cluster, why error) {
	m.log.Info("a cluster leaves", "cluster", c.name, "reason", why)
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, c.name)
	m.leaving[c.name] = true
	m.news()
	c.membership.end(why)
}

// ended notes that nobody works in a cluster any more.
func (m *members) ended(c *cluster) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c.close()
	m.maker.API.Disconnect(c.name)
	delete(m.leaving, c.name)
	m.watch.Look() // another one of its name may be waiting
}

// renew has a cluster reached in another way. One whose API server has another address is another
// one.
func (m *members) renew(c *cluster, is fleet.Member) {
	is.Options.Version, is.Options.Logger = m.options.Version, m.log
	m.mu.Lock()
	err := c.Renew(is.Options)
	var writer *kube.Writer
	if err == nil {
		writer, err = kube.NewWriter(c.Config, m.fence)
	}
	if err == nil {
		before := c.writer
		c.writer, c.membership.Member = writer, is
		m.connectOutputs(c)
		before.CloseIdleConnections()
	}
	was := c.membership.failed
	c.membership.failed = err
	m.mu.Unlock()
	switch {
	case errors.Is(err, kube.ErrOtherServer):
		m.leave(c, errOther)
	case err == nil:
		m.log.Info("a cluster has other credentials", "cluster", c.name, "from", is.From)
	case was == nil || was.Error() != err.Error():
		m.log.Error("a cluster is asked with the credentials of before", "cluster", c.name, "from", is.From,
			"error", err)
	}
}

// news has everybody look who the members are. The caller holds mu.
func (m *members) news() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// current returns the clusters, sorted by name.
func (m *members) current() []*cluster {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Values(m.all), func(a, b *cluster) int { return cmp.Compare(a.name, b.name) })
}

// take returns the clusters that are not among the known ones, and adds them. Each counts as one
// that somebody works in. Changed is closed when there are others.
func (m *members) take(known map[*cluster]bool) (more []*cluster, changed <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(known, func(c *cluster, _ bool) bool { return m.all[c.name] != c })
	for _, c := range m.all {
		if !known[c] && c.membership.life.Err() == nil {
			known[c] = true
			c.membership.working.Add(1)
			more = append(more, c)
		}
	}
	return more, m.changed
}

// inEach does something in each cluster, as long as that is a member, until ctx is done and all of
// it has ended. If there is one cluster, it does it once.
func (s *supervisor) inEach(ctx context.Context, do func(context.Context, *cluster)) {
	if s.fleet == nil {
		do(ctx, s.home)
		return
	}
	var working sync.WaitGroup
	defer working.Wait()
	known := map[*cluster]bool{}
	for {
		more, changed := s.fleet.take(known)
		for _, c := range more {
			working.Go(func() {
				in := c.membership
				defer in.working.Done()
				ctx, end := context.WithCancelCause(ctx)
				defer end(nil)
				defer context.AfterFunc(in.life, func() { end(context.Cause(in.life)) })()
				do(ctx, c)
			})
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// workOnFleet works on all objects of several clusters until ctx is done.
func (s *supervisor) workOnFleet(parent context.Context, o Options) error {
	ctx, fail := context.WithCancelCause(parent)
	s.intake.Go(func() { s.fleet.run(ctx) })
	s.reloads(ctx, o)
	s.inEach(ctx, func(ctx context.Context, c *cluster) {
		err := s.newShard(c, informer.Shard{}, c.factory).work(ctx,
			func(context.Context) (*keeper.Keeper, error) {
				return statefolder.OpenKeeper(s.config(), c.name, c.membership.forget, s.log)
			})
		if err == nil && context.Cause(ctx) == errLeft {
			err = statefolder.RemoveCheckpoint(s.config(), c.name)
		}
		if err != nil {
			fail(err)
		}
	})
	fail(nil)
	s.intake.Wait()
	s.closing.Wait()
	if err := context.Cause(ctx); parent.Err() == nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// keeps reports whether there are checkpoints in the folder for state.
func (s *supervisor) keeps() bool {
	return s.keeper != nil || s.fleet != nil && statefolder.Keeps(s.plan.Config)
}

// checkpoint returns what was kept: of several clusters the sums, and the oldest time.
func (s *supervisor) checkpoint() (sum keeper.Stats) {
	if s.fleet == nil {
		return s.keeper.Stats()
	}
	for _, one := range s.working() {
		if one.keeper == nil {
			continue
		}
		stats := one.keeper.Stats()
		if sum.Current.IsZero() || stats.Current.Before(sum.Current) {
			sum.Current = stats.Current
		}
		sum.Took, sum.Failed = max(sum.Took, stats.Took), cmp.Or(sum.Failed, stats.Failed)
		sum.Commits, sum.Written = sum.Commits+stats.Commits, sum.Written+stats.Written
		sum.SnapshotFailures += stats.SnapshotFailures
	}
	return sum
}

// status returns the clusters, without what is of their informers and listeners.
func (m *members) status() []status.Cluster {
	all := []status.Cluster{}
	for _, c := range m.current() {
		why := m.trouble(c)
		m.mu.Lock()
		one := status.Cluster{Name: c.name, Labels: c.labels, From: c.membership.From,
			Server: c.Resolver.Server(), Since: c.membership.since}
		if why = cmp.Or(why, c.membership.failed); why != nil {
			one.Error = why.Error()
		}
		m.mu.Unlock()
		all = append(all, one)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	all = slices.AppendSeq(all, maps.Values(m.failed))
	slices.SortFunc(all, func(a, b status.Cluster) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// trouble returns why a cluster is not watched wholly, nil if it is.
func (m *members) trouble(c *cluster) error {
	for _, one := range m.workingIn(c) {
		for _, l := range one.current() {
			failed, _ := l.health.Failed()
			if failed != nil && !errors.As(failed, new(*kube.UnknownResourceError)) &&
				!errors.As(failed, new(*kube.UnwatchableError)) { // which are about the listener
				return failed
			}
			for _, reg := range l.health.Bound() {
				if err := reg.Status().Err; err != nil {
					return err
				}
			}
		}
	}
	return nil
}
