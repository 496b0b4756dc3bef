package daemon

import (
	"context"
	"crypto/rand"

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

func (s *supervisor) closeState() {
	if s.inCommon != nil {
		s.inCommon.Close()
	}
}
