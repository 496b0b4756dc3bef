package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/replica"
	"github.com/informerd/informerd/pkg/informer"
)

// handOverGrace is how long listeners may take to finish what they have when another replica can
// go on with it.
const handOverGrace = time.Second

// election returns what replicas have in common, nil if there is one.
func election(cfg *config.Config) (*lease.Config, error) {
	e := cfg.LeaderElection
	if e == nil {
		return nil, nil
	}
	namespace := cmp.Or(e.Namespace, kube.PodNamespace())
	if namespace == "" {
		return nil, config.Errors{cfg.ErrorAt("leaderElection",
			"leaderElection.namespace is not set, and informerd does not run in a pod",
			"name the namespace of the Lease")}
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("the name of this machine, by which the Lease names its holder: %w",
			err)
	}
	return &lease.Config{Namespace: namespace, Name: e.Name,
		Identity: host + "_" + strings.ToLower(rand.Text()[:8]),
		Duration: e.LeaseDuration.Duration, RenewDeadline: e.RenewDeadline.Duration,
		RetryPeriod: e.RetryPeriod.Duration}, nil
}

// standBy begins to take part in the election, if there are several replicas.
func (s *shard) standBy() error {
	common, err := election(s.plan.Config)
	if common == nil || err != nil {
		return err
	}
	common.Log, common.Owners = s.log, s.home.account.Owns(common.Namespace)
	s.log.Info("standing by", "lease", common.Namespace+"/"+common.Name, "identity",
		common.Identity)
	s.replica.Store(replica.Begin(s.replicaOf(*common)))
	return nil
}

// replicaOf returns what one of several replicas needs to go on where another one has ended.
func (s *shard) replicaOf(common lease.Config) replica.Config {
	c := replica.Config{Lease: common, Client: s.home.election, Cluster: s.cluster.Client,
		Log: s.log, Targets: s.targets}
	for _, l := range s.current() {
		c.Listeners = append(c.Listeners, l.name)
	}
	return c
}

// lead waits until this replica is the one that works, if there are several, and has the listeners
// go on where they were in the one before. The context that it returns ends with its parent, or
// when another replica may take over.
func (s *shard) lead(parent context.Context) (context.Context, error) {
	r := s.replica.Load()
	if r == nil {
		return parent, nil
	}
	loading, stop := context.WithCancel(parent)
	var handlers sync.WaitGroup
	for _, l := range s.current() {
		handlers.Go(func() { _ = l.load(loading, s.host, s.log) })
	}
	k, err := r.Lead(parent)
	stop()
	handlers.Wait()
	if err == nil {
		err = s.adopt(k)
	}
	if err != nil {
		return parent, err
	}
	ctx, end := context.WithCancelCause(parent)
	context.AfterFunc(r.Lost(), func() {
		if errors.Is(context.Cause(r.Lost()), context.Canceled) {
			return // it has resigned
		}
		s.fence.Cut()
		s.log.Error("this replica does not lead any more, so informerd stops", "error",
			context.Cause(r.Lost()))
		end(context.Cause(r.Lost()))
	})
	return ctx, nil
}

// adopt makes the listeners again, with what a keeper has of them.
func (s *shard) adopt(k *keeper.Keeper) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keeper = k
	for i, l := range s.listeners {
		again, err := s.listenerOf(l.setup(), k, s.place())
		if err != nil {
			return err
		}
		s.listeners[i] = again
	}
	return nil
}

// resign ends the hold on the Lease, if there is one, once nothing is delivered any more. It
// returns why this replica does not lead, nil if it led until now.
func (s *supervisor) resign() error {
	r := s.replica.Load()
	if r == nil {
		return nil
	}
	return r.Close()
}

// targets returns what listeners watch and, in a factory of the shard's own, look up, as far as it
// is there.
func (s *shard) targets(ctx context.Context) (all []informer.Target, err error) {
	for _, l := range s.current() {
		setup := l.setup()
		found, wrong := s.cluster.resolve(ctx, setup.Config.Informer())
		if wrong == nil {
			all = append(all, s.watched(setup, found)...)
		}
		err = errors.Join(err, wrong)
		if s.factory != s.cluster.factory {
			continue
		}
		for _, name := range setup.Lookups() {
			inf := setup.Config.Informers()[name]
			found, wrong := s.cluster.resolve(ctx, inf)
			var shape informer.Shape
			if wrong == nil {
				shape, wrong = plan.ShapeOf(inf)
			}
			if wrong == nil {
				all = append(all, setup.targets(found, inf, withIndexesIn(shape, name,
					setup.Filters()))...)
			}
			err = errors.Join(err, wrong)
		}
	}
	return all, err
}

// mayWrite returns nil if this replica is the one that works. The fence of the outputs asks it.
func (r *runtime) mayWrite() error {
	if replica := r.replica.Load(); replica != nil {
		return replica.Check()
	}
	if shares := r.shares.Load(); shares != nil {
		return shares.Check()
	}
	return nil
}
