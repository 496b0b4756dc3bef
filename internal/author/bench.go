package author

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// benchTime is how long a module is measured.
const benchTime = 3 * time.Second

// Bench measures on one core what events cost a module, which gets them in turn.
func Bench(ctx context.Context, o RunOptions, w io.Writer) (err error) {
	p, events, err := o.prepare()
	if err != nil {
		return err
	}
	r := newRig(ctx)
	defer func() { err = errors.Join(err, r.close(ctx)) }()
	sub, err := r.load(ctx, p)
	if err != nil {
		return loadHint(err, p.Path)
	}
	defer func() { err = errors.Join(err, sub.close(ctx)) }()
	var times []time.Duration
	var fuel, memory int64
	for begin, n := time.Now(), 0; n == 0 || time.Since(begin) < benchTime; n++ {
		got, err := sub.handle(ctx, events[n%len(events)].Event)
		switch {
		case err != nil:
			return err
		case got.crash != nil:
			return failure("event %d: it crashed: %s", n%len(events)+1, crashLines(got.crash)[0])
		}
		times = append(times, got.time)
		fuel += got.fuel
		memory = max(memory, got.memory)
	}
	slices.Sort(times)
	quantile := func(part float64) time.Duration {
		return times[max(0, int(math.Ceil(part*float64(len(times))))-1)]
	}
	median := quantile(0.5)
	out := &page{w: w}
	out.line("%s: %s measured", printable(p.Path), count(len(times), "event"))
	out.row("time", fmt.Sprintf("%s an event (median), %s at best, %s p99", took(median),
		took(times[0]), took(quantile(0.99))))
	out.row("rate", fmt.Sprintf("%s events/s on one core",
		number(int64(time.Second/max(median, 1)))))
	out.row("fuel", number(fuel/int64(len(times)))+" an event")
	out.row("memory", size(memory)+" an instance")
	out.row("load", took(sub.loading))
	return out.err
}

// loadHint adds what to do about a missing grant.
func loadHint(err error, path string) error {
	if strings.Contains(err.Error(), "this needs the grant") {
		return fmt.Errorf("%w; informerd plugin inspect %s shows all that it imports", err, path)
	}
	return err
}
