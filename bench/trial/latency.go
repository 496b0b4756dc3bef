package trial

import (
	"context"
	"fmt"
	"time"
)

func (t *trial) paced(ctx context.Context) (err error) {
	if t.silent {
		return nil // it does not report each change
	}
	t.result.Latencies, t.result.PacedCPU, err = t.apart(ctx, t.Burst, t.Paced, t.PacedEvery)
	if err == nil {
		t.result.PacedDisk, err = t.added(ctx, t.result.Disk+t.result.BurstDisk)
	}
	return err
}

func (t *trial) single(ctx context.Context) (err error) {
	if t.silent {
		return nil
	}
	if _, err := t.process.Settle(ctx, t.quiet); err != nil {
		return err
	}
	before, err := t.process.CPU()
	if err != nil {
		return err
	}
	if err := pause(ctx, t.IdleSample); err != nil {
		return err
	}
	begin, err := t.process.CPU()
	if err != nil {
		return err
	}
	t.result.IdleCPU = time.Duration(float64(begin-before) / t.IdleSample.Seconds())
	t.result.Singles = t.Singles
	start := time.Now()
	t.result.SingleLatencies, t.result.SingleCPU, err = t.apart(ctx, t.Burst+t.Paced, t.Singles,
		t.SingleGap)
	t.result.SingleWall = time.Since(start)
	return err
}

// apart releases n changes, after the earlier ones, one per interval. The CPU time is the process's
// usage between the response to that request and the last change.
func (t *trial) apart(ctx context.Context, before, n int,
	every time.Duration) (took []time.Duration, cpu time.Duration, err error) {
	t.tally.Record(true)
	defer t.tally.Record(false)
	r, err := t.Control.Paced(ctx, n, every)
	if err != nil {
		return nil, 0, err
	}
	t.expect(r)
	begin, err := t.process.CPU()
	if err != nil {
		return nil, 0, err
	}
	if err := t.tally.Changes.Wait(ctx, before+n); err != nil {
		return nil, 0, err
	}
	end, err := t.process.CPU()
	if err != nil {
		return nil, 0, err
	}
	written, err := t.Control.Written(ctx, r)
	if err != nil {
		return nil, 0, err
	}
	took, err = between(written, t.tally.Seen(r.First, r.Count))
	return took, end - begin, err
}

// between returns the time from writing to seeing of each change.
func between(written, seen []int64) ([]time.Duration, error) {
	took := make([]time.Duration, len(written))
	for i := range took {
		if written[i] == 0 || seen[i] == 0 {
			return nil, fmt.Errorf("change %d was handled, but its time was not recorded", i)
		}
		took[i] = time.Duration(seen[i] - written[i])
	}
	return took, nil
}
