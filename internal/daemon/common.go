package daemon

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/kube/lease"
	sinks "github.com/informerd/informerd/internal/outputs"
	"github.com/informerd/informerd/internal/sharedstate"
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
// until it has. The error is ErrStale or ctx's. An epoch is too low if the Leases were made anew, or
// restored: it grows with each claim.
func (s *shard) takeCommon(ctx context.Context, c lease.Claim) (err error) {
	for failures := 1; s.inCommon != nil; failures++ {
		s.common, err = s.inCommon.Hold(ctx, c.Config.Name, c.Epoch)
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
