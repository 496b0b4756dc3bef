package daemon

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/replica"
	"github.com/informerd/informerd/internal/sharedstate"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/pkg/informer"
)

// share works on shards, as many as are this replica's part, until ctx is done.
func (s *supervisor) share(parent context.Context, o Options) error {
	cfg := s.plan.Config
	if s.once != nil {
		return config.Errors{cfg.ErrorAt("sharding",
			"a run with --once works on all objects, and takes no part in sharding", "")}
	}
	common, err := election(cfg)
	if err != nil {
		return err
	}
	common.Log, common.Owners = s.log, s.home.account.Owns(common.Namespace)
	part := lease.SharesConfig{Config: *common, Shards: cfg.Sharding.Shards}
	if cfg.State.NATS != nil {
		part.Starting = "it waits for the servers of state.nats"
	}
	shares := lease.NewShares(s.home.election, part)
	s.shares.Store(shares)
	if err := s.openState(parent); err != nil {
		return err
	}
	defer s.closeState()
	s.log.Info("taking part", "lease", common.Namespace+"/"+common.Name, "identity",
		common.Identity, "shards", cfg.Sharding.Shards)
	ctx, fail := context.WithCancelCause(parent)
	lost, end := context.WithCancelCause(context.Background())
	if s.fleet == nil {
		s.intake.Go(func() { _ = s.home.factory.Run(ctx) })
		s.intake.Go(func() { s.follow(ctx, s.home) })
	} else {
		s.intake.Go(func() { s.fleet.run(ctx) })
	}
	s.reloads(ctx, o)
	s.intake.Go(func() {
		select {
		case <-shares.Lost():
			s.fence.Cut()
			s.log.Error("this replica has lost its shards, so informerd stops", "error", lease.ErrLost)
			end(lease.ErrLost)
			fail(lease.ErrLost)
		case <-lost.Done(): // all is handed over; what hands over writes until then
		}
	})
	err = shares.Run(ctx, func(ctx context.Context, claim lease.Claim) {
		of := informer.Shard{By: informer.ShardKey(cfg.Sharding.By), Index: claim.Shard,
			Count: cfg.Sharding.Shards}
		ctx, release := context.WithCancel(ctx)
		defer release()
		s.inEach(ctx, func(ctx context.Context, c *cluster) {
			err := s.hold(ctx, lost, s.newShard(c, of, nil), claim)
			if errors.Is(err, sharedstate.ErrStale) {
				release()
			} else if err != nil {
				fail(err)
			}
		})
	})
	if cause := context.Cause(ctx); parent.Err() == nil && cause != nil {
		err = cmp.Or(err, cause)
	}
	fail(nil)
	end(nil)
	s.intake.Wait()
	s.closing.Wait()
	return err
}

// hold works on a shard that this replica has, until ctx is done. Lost ends when another one may
// have it. The error is ErrStale if it has to be claimed again.
func (s *supervisor) hold(ctx, lost context.Context, one *shard, c lease.Claim) error {
	defer one.leaveCommon()
	c.Config.Name = partIn(c.Config.Name, one.place().cluster)
	if err := one.takeCommon(ctx, c); errors.Is(err, sharedstate.ErrStale) {
		one.log.Warn("what replicas have in common is of a later owner of the shard, so it is claimed again",
			"epoch", c.Epoch)
		return err
	} else if err != nil {
		return nil // ctx is done
	}
	return one.work(ctx, func(ctx context.Context) (*keeper.Keeper, error) {
		return replica.TakeOver(ctx, lost, one.replicaOf(c.Config))
	})
}

// work works on the shard until ctx is done: its listeners go on with what the keeper has that open
// returns. If the cluster has left, they end as those do that a reload removes.
func (s *shard) work(ctx context.Context, open func(context.Context) (*keeper.Keeper, error)) error {
	defer s.close()
	working, kept, err := s.takeOver(ctx, open)
	if err != nil {
		return unlessDone(ctx, err)
	}
	<-working.Done()
	s.reloading.turn.RLock() // no reload is at it
	s.mu.Lock()
	s.shards = slices.DeleteFunc(s.shards, func(other *shard) bool { return other == s })
	s.mu.Unlock()
	s.reloading.turn.RUnlock()
	if context.Cause(ctx) == errLeft {
		s.retireAll(ctx)
	}
	s.end(working)
	s.flushLetters()
	err = kept()
	if s.keeper != nil {
		err = errors.Join(err, s.keeper.Close())
	}
	if err != nil && context.Cause(working) != errCheckpoint && s.fence != nil {
		s.log.Warn("what was done last cannot be written down, so it comes again at another replica",
			"error", err)
		return nil
	}
	return err
}

// retireAll ends all listeners, once the intake has ended.
func (s *shard) retireAll(ctx context.Context) {
	s.intake.Wait()
	s.mu.Lock()
	all := s.listeners
	s.listeners, s.leaving = nil, append(s.leaving, all...)
	s.mu.Unlock()
	for _, l := range all {
		s.retire(ctx, l)
	}
	s.listening.Wait()
}

// takeOver makes the listeners of a shard and has them go on with what a keeper has, until ctx is
// done. The context that it returns ends with ctx, or if what they have done cannot be written; kept
// is that of keep. Reloads may come while the keeper is opened.
func (s *shard) takeOver(ctx context.Context, open func(context.Context) (*keeper.Keeper, error)) (
	working context.Context, kept func() error, err error) {
	s.reloading.turn.RLock()
	planned, err := s.plan, s.makeListeners(ctx)
	s.reloading.turn.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	k, err := open(ctx)
	s.reloading.turn.RLock()
	defer s.reloading.turn.RUnlock()
	if err == nil && s.plan != planned {
		err = s.makeListeners(ctx)
	}
	if err == nil {
		err = s.adopt(k)
	}
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	s.shards = append(s.shards, s)
	s.mu.Unlock()
	working, kept = s.keep(ctx)
	s.begin(working)
	return working, kept, nil
}

// makeListeners makes those of the plan, in place of those that there are, without starting them. No
// reload may be under way.
func (s *shard) makeListeners(ctx context.Context) error {
	s.close()
	s.listeners = nil
	for _, planned := range s.planned(s.plan) {
		setup, mistakes := s.newSetup(ctx, s.plan.Config, planned, making{outputs: s.outputs,
			shard: s, later: true})
		if len(mistakes) > 0 {
			return mistakes
		}
		l, err := s.listenerOf(setup, nil, s.place())
		if err != nil {
			return err
		}
		s.listeners = append(s.listeners, l)
	}
	return nil
}

// close closes what the listeners have, once all has ended.
func (s *shard) close() {
	for _, l := range s.current() {
		for _, had := range l.setups() {
			s.unload(had)
			for _, o := range had.outputs {
				s.maker.Sent(o.name).Forget(l.inShard())
			}
		}
	}
}

// sharding returns who has which shard.
func (r *runtime) sharding() (out status.Sharding) {
	shares := r.shares.Load()
	if shares == nil {
		return out
	}
	begun := map[int]bool{}
	for _, one := range r.working() {
		begun[one.of.Index] = true
	}
	s := shares.Status()
	out.Replicas, out.Error = len(s.Replicas), s.Idle
	for _, one := range s.Shards {
		out.Shards = append(out.Shards, status.Shard{Shard: one.Index, Owner: one.Holder,
			Owned: slices.Contains(s.Replicas, one.Holder), Own: one.Own,
			Works: one.Own && begun[one.Index], Since: one.Since, Epoch: one.Epoch})
	}
	return out
}

// drainShards hands all shards over, and returns when there are none.
func (s *supervisor) drainShards(ctx context.Context) error {
	shares := s.shares.Load()
	if shares == nil {
		return errors.New("it is starting")
	}
	shares.Drain()
	for {
		held := slices.ContainsFunc(shares.Status().Shards,
			func(one lease.ShardStatus) bool { return one.Own })
		if !held {
			return nil
		}
		if err := backoff.Sleep(ctx, lookEach); err != nil {
			return err
		}
	}
}
