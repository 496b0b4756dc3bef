package lease

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// lock is the Lease as an attempt uses it. It notes when it was renewed, and when another candidate
// holds it.
type lock struct {
	candidate *Candidate
	end       context.CancelFunc // of the attempt
	*resourcelock.LeaseLock
	holder string // as it was read or written last
}

// errTaken has an elector leave a Lease that another candidate holds by now.
var errTaken = errors.New("another replica holds the Lease")

// Get implements resourcelock.Interface.
func (l *lock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	ctx, cancel := l.bounded(ctx)
	defer cancel()
	r, raw, err := l.LeaseLock.Get(ctx)
	if err != nil {
		return r, raw, err
	}
	if l.holder = r.HolderIdentity; l.taken() && l.candidate.lose() {
		l.end()
	}
	return r, raw, nil
}

func (l *lock) taken() bool { return l.holder != "" && l.holder != l.Identity() }

// Create implements resourcelock.Interface.
func (l *lock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.write(ctx, r, l.LeaseLock.Create)
}

// Update implements resourcelock.Interface. A record without a holder releases the Lease: the
// elector does so without a look at who holds it.
func (l *lock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	if r.HolderIdentity == "" {
		if l.candidate.release(); l.taken() {
			return errTaken
		}
	}
	return l.write(ctx, r, l.LeaseLock.Update)
}

func (l *lock) write(ctx context.Context, r resourcelock.LeaderElectionRecord,
	request func(context.Context, resourcelock.LeaderElectionRecord) error) error {
	ctx, cancel := l.bounded(ctx)
	defer cancel()
	begun := time.Now()
	if err := request(ctx, r); err != nil {
		return err
	}
	if l.holder = r.HolderIdentity; l.holder != "" {
		l.candidate.renew(begun)
	}
	return nil
}

// bounded bounds a request, so that there is time for another one if it is not answered.
func (l *lock) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, l.candidate.cfg.RenewDeadline/2)
}
