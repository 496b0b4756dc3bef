package measure

import (
	"context"
	"time"
)

// Quiet is when a process counts as idle.
type Quiet struct {
	Every time.Duration // how often its CPU time is read
	Times int           // how many successive readings must show no work
	Most  time.Duration // CPU time between two readings that counts as idle
	Limit time.Duration // when the waiting ends in any case
}

// QuietSelf and QuietOther are for the calling process, which is also the one that waits, and for
// one whose CPU time has ticks.
var (
	QuietSelf = Quiet{Every: 50 * time.Millisecond, Times: 5, Most: time.Millisecond,
		Limit: 10 * time.Second}
	QuietOther = Quiet{Every: 100 * time.Millisecond, Times: 6, Most: 0, Limit: 60 * time.Second}
)

// Settle waits until the process is quiet, so that deferred work is counted, too. It returns the
// CPU time at the start of the quiet period, without the cost of waiting.
func (p Process) Settle(ctx context.Context, q Quiet) (time.Duration, error) {
	last, err := p.CPU()
	if err != nil {
		return 0, err
	}
	quietSince, calm := last, 0
	deadline := time.Now().Add(q.Limit)
	tick := time.NewTicker(q.Every)
	defer tick.Stop()
	for calm < q.Times && time.Now().Before(deadline) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		now, err := p.CPU()
		if err != nil {
			return 0, err
		}
		if now-last > q.Most {
			quietSince, calm = now, 0
		} else {
			calm++
		}
		last = now
	}
	return quietSince, nil
}
