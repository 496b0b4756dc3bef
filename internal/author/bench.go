package author

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/wording"
)

// benchTime is how long a module is measured.
const benchTime = 3 * time.Second

// Bench measures on one core what events cost a module, which gets them in turn.
func Bench(ctx context.Context, o RunOptions, w io.Writer) error {
	return o.withModule(ctx, func(r *rig, path string, events []placedEvent) error {
		return measure(ctx, r, path, events, w)
	})
}

func measure(ctx context.Context, r *rig, path string, events []placedEvent, w io.Writer) error {
	var times []time.Duration
	var fuel, memory int64
	for begin, n := time.Now(), 0; n == 0 || time.Since(begin) < benchTime; n++ {
		got, err := r.handle(ctx, events[n%len(events)].Event)
		switch {
		case err != nil:
			return err
		case got.crash != nil:
			return fmt.Errorf("event %d: it crashed: %s", n%len(events)+1, crashLines(got.crash)[0])
		}
		times = append(times, got.Time)
		fuel += got.Fuel
		memory = max(memory, got.Memory)
	}
	slices.Sort(times)
	quantile := func(part float64) time.Duration {
		return times[max(0, int(math.Ceil(part*float64(len(times))))-1)]
	}
	median := quantile(0.5)
	out := &page{w: w}
	out.line("%s: %s measured", wording.Printable(path), count(len(times), "event"))
	out.row("time", fmt.Sprintf("%s an event (median), %s at best, %s p99", took(median),
		took(times[0]), took(quantile(0.99))))
	out.row("rate", fmt.Sprintf("%s events/s on one core",
		number(int64(time.Second/max(median, 1)))))
	out.row("fuel", number(fuel/int64(len(times)))+" an event")
	out.row("memory", size(memory)+" an instance")
	out.row("load", took(r.loading))
	return out.err
}
