package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/kube/lease"
	sinks "github.com/informerd/informerd/internal/outputs"
	"github.com/informerd/informerd/internal/sharedstate"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/pkg/informer"
)

// openState connects to what replicas have in common, if there is something, and gets the key of
// digests from there.
func (s *supervisor) openState(ctx context.Context) (err error) {
	n := s.plan.Config.State.NATS
	if n == nil {
		return nil
	}
	access, err := sinks.NATSAccess(s.plan.Config, n)
	if err == nil {
		s.inCommon, err = sharedstate.Open(ctx, sharedstate.Config{URL: n.URL, Bucket: n.Bucket,
			Replicas: n.Replicas, Options: access, Log: s.log})
	}
	if err == nil {
		s.digestKey, err = s.inCommon.Secret(ctx, "digests", func() []byte {
			key := make([]byte, 32)
			_, _ = rand.Read(key) // it never fails
			return key
		})
	}
	return unlessDone(ctx, err)
}

// takeCommon takes over what replicas have in common of the shard, if there is something, and tries
// until it has. The error is ErrStale or ctx's. An epoch is too low if the Leases were deleted and
// made again, or restored: it grows with each claim.
func (s *shard) takeCommon(ctx context.Context, c lease.Claim) (err error) {
	for failures := 1; s.inCommon != nil; failures++ {
		s.common, err = s.inCommon.Hold(ctx, c.Config.Name, c.Epoch)
		if err == nil {
			err = s.loadLetters(ctx, c.Config.Name)
		}
		if err == nil || errors.Is(err, sharedstate.ErrStale) {
			return err
		}
		if failures == 1 && ctx.Err() == nil {
			s.log.Warn("what replicas have in common of the shard cannot be had; will try again", "error", err)
		}
		if err := backoff.Sleep(ctx, bindBackoff.Delay(failures)); err != nil {
			return err
		}
	}
	return nil
}

func (s *supervisor) closeState() {
	if s.inCommon != nil {
		s.inCommon.Close()
	}
}

// loadLetters adds the dead letters that owners before have left.
func (s *shard) loadLetters(ctx context.Context, part string) (err error) {
	s.mu.Lock()
	if s.holds == nil {
		s.holds = map[string]*sharedstate.Hold{}
	}
	s.holds[part] = s.common
	s.mu.Unlock()
	s.part = part
	wrong := s.letters.Load(part, func(yield func(string, []byte) bool) {
		for l, failed := range s.common.Letters(ctx) {
			if err = failed; failed != nil || !yield(l.ID, l.Data) {
				return
			}
		}
	})
	if wrong != nil {
		s.log.Error("dead letters of the shard cannot be read", "error", wrong)
	}
	return err
}

// flushLetters has everything that is known of dead letters written where replicas have them in
// common, as far as that is possible soon.
func (s *shard) flushLetters() {
	if s.common == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), handOverGrace)
	defer cancel()
	if err := s.letters.Flush(ctx, s.part); err != nil {
		s.log.Warn("which dead letters are superseded may be forgotten", "error", err)
	}
}

// leaveCommon forgets what replicas have in common of the shard.
func (s *shard) leaveCommon() {
	if s.part == "" {
		return
	}
	s.letters.Unload(s.part)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds[s.part] == s.common {
		delete(s.holds, s.part)
	}
}

// partIn returns the name by which replicas have something in common of a shard of a cluster, "" if
// there is only one cluster.
func partIn(shard, cluster string) string {
	if cluster == "" {
		return shard
	}
	return shard + "-" + cluster
}

// partOf returns what tells by which name replicas have a dead letter in common.
func partOf(cfg *config.Config) func(*deadletter.Letter) string {
	return func(l *deadletter.Letter) string {
		of := informer.Shard{By: informer.ShardKey(cfg.Sharding.By), Count: cfg.Sharding.Shards}
		large := len(l.Object)+len(l.Old)+len(l.Message) > statefolder.MaxSharedLetter
		for ; of.Index < of.Count && !large; of.Index++ {
			if of.Has(l.Namespace, l.Name, l.UID) {
				name := lease.ShardName(cfg.LeaderElection.Name, of.Index)
				if cfg.Fleet() {
					name = partIn(name, l.Cluster)
				}
				return name
			}
		}
		return ""
	}
}

// mirror implements deadletter.Mirror.
type mirror struct{ *runtime }

// Write implements deadletter.Mirror.
func (m mirror) Write(ctx context.Context, part string, puts map[string][]byte,
	deletes []string) error {
	m.mu.Lock()
	hold := m.holds[part]
	m.mu.Unlock()
	if hold == nil {
		return errors.New("this replica does not have the shard")
	}
	var writing sync.WaitGroup // what comes at the same time is one write
	errs := make([]error, len(puts))
	at := 0
	for id, record := range puts {
		to := &errs[at]
		writing.Go(func() { *to = hold.PutLetter(ctx, id, record) })
		at++
	}
	writing.Wait()
	for _, id := range deletes {
		errs = append(errs, hold.DeleteLetter(ctx, id))
	}
	return errors.Join(errs...)
}
