package measure

import (
	"context"
	"time"
)

// Quiet says when a process counts as having nothing to do any more.
type Quiet struct {
	Every time.Duration // how often its CPU time is read
	Times int           // how many readings in a row must show no work
	Most  time.Duration // of CPU between two readings that is no work
	Limit time.Duration // after which the waiting ends anyhow
}

// QuietSelf and QuietOther suit the calling process, which is also the one that waits, and one
// whose CPU time is told in ticks.
var (
	QuietSelf = Quiet{Every: 50 * time.Millisecond, Times: 5, Most: time.Millisecond,
		Limit: 10 * time.Second}
	QuietOther = Quiet{Every: 100 * time.Millisecond, Times: 6, Most: 0, Limit: 60 * time.Second}
)

// Settle waits until the process is quiet, so that work it has put off is counted, too. It gives
// the CPU time at the beginning of the quiet, without what the waiting costs.
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
