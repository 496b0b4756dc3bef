package author

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
)

// BenchOptions are those of Bench.
type BenchOptions struct {
	Setup             // its Module is the first of Modules
	Modules  []string // one, or two to compare
	Events   []string
	Stdin    io.Reader
	Duration time.Duration // of measuring each module; default 3 s
	Count    int           // of events, instead of Duration
	JSON     bool
}

// rounds is how many parts the time is divided into. Two modules take turns, so that changes of the
// machine's load affect both.
const rounds = 10

// Bench measures what events cost a module, and writes it; with two modules, how they compare.
func Bench(ctx context.Context, o BenchOptions, w io.Writer) error {
	switch {
	case len(o.Modules) > 2:
		return usage("%d modules: bench measures one, or compares two", len(o.Modules))
	case len(o.Events) == 0:
		return usage("which events? Name a file with --event, - is stdin")
	case o.Duration < 0 || o.Count < 0:
		return usage("--duration and --count must be positive")
	case o.Duration > 0 && o.Count > 0:
		return usage("--duration and --count do not go together")
	case len(o.Modules) == 0:
		o.Modules = []string{""} // that of the listener
	}
	if o.Duration == 0 {
		o.Duration = 3 * time.Second
	}
	o.Module = o.Modules[0]
	if err := o.check(); err != nil {
		return err
	}
	p, err := o.prepare()
	if err != nil {
		return err
	}
	given, err := readEvents(o.Events, o.Stdin, p.parser)
	if err != nil {
		return err
	}
	events := make([]event.Event, len(given))
	for i, e := range given {
		events[i] = e.Event
	}
	var benches []*bench
	for _, module := range o.Modules {
		o.Module = module
		if p, err = o.prepare(); err != nil {
			break
		}
		var b *bench
		if b, err = newBench(ctx, p); err != nil {
			break
		}
		benches = append(benches, b)
	}
	if err == nil {
		err = measureAll(ctx, benches, events, o)
	}
	for _, b := range benches {
		err = errors.Join(err, b.close(ctx))
	}
	if err != nil {
		return err
	}
	return writeBenches(benches, o.JSON, w)
}

func measureAll(ctx context.Context, benches []*bench, all []event.Event, o BenchOptions) error {
	for _, b := range benches {
		if err := b.look(ctx, all); err != nil {
			return err
		}
	}
	for n := range rounds {
		events := part(o.Count, n)
		if o.Count > 0 && events == 0 {
			continue // there are fewer events than rounds
		}
		for _, b := range benches {
			if err := b.round(ctx, all, o.Duration/rounds, events); err != nil {
				return err
			}
		}
	}
	return nil
}

// part returns a round's part of a number of events.
func part(count, round int) int { return count*(round+1)/rounds - count*round/rounds }

// bench measures one module.
type bench struct {
	path     string
	rig      *rig
	handler  *plugins.Handler
	instance *plugins.Instance
	next     int // of the events, in turn

	load, start time.Duration
	used        plugins.Usage // of the events, each once
	fuel        int64
	looked      int
	verdicts    map[string]int
	times       []time.Duration // of all events
	medians     []time.Duration // of the rounds
	mallocs     uint64
	bytes       uint64
}

// newBench loads a module. Its calls are counted while it is measured, which costs less than a
// nanosecond each.
func newBench(ctx context.Context, p prepared) (b *bench, err error) {
	b = &bench{path: p.spec.Path, rig: newRig(ctx), verdicts: map[string]int{}}
	around(&p.spec, p.setting)
	start := time.Now()
	if b.handler, err = b.rig.host.Load(ctx, p.spec); err != nil {
		return nil, errors.Join(loadHint(err, p.spec), b.rig.close(ctx))
	}
	b.load = time.Since(start)
	if b.instance, err = b.handler.NewInstance(ctx); err == nil {
		b.start, err = startTime(ctx, b.handler)
	}
	if err != nil {
		return nil, errors.Join(err, b.rig.close(ctx))
	}
	return b, nil
}

// startTime returns the shortest time that an instance took to start.
func startTime(ctx context.Context, h *plugins.Handler) (best time.Duration, err error) {
	for range 5 {
		start := time.Now()
		i, err := h.NewInstance(ctx)
		took := time.Since(start)
		if err != nil {
			return 0, err
		}
		if err := i.Close(ctx); err != nil {
			return 0, err
		}
		if best == 0 || took < best {
			best = took
		}
	}
	return best, nil
}

func (b *bench) close(ctx context.Context) error {
	return errors.Join(b.instance.Close(ctx), b.rig.close(ctx))
}

// look handles each event once, and counts calls, fuel and verdicts.
func (b *bench) look(ctx context.Context, events []event.Event) error {
	for n, e := range events {
		r, err := b.handle(ctx, e)
		if err != nil {
			return fmt.Errorf("%s: event %d: %w", b.path, n+1, err)
		}
		b.verdicts[r.Verdict.String()]++
		b.used.Add(b.instance.Usage())
		b.fuel += b.instance.Fuel()
	}
	b.looked = len(events)
	return nil
}

func (b *bench) handle(ctx context.Context, e event.Event) (plugins.Result, error) {
	r, err := b.instance.Handle(ctx, e)
	var crash *plugins.CrashError
	if errors.As(err, &crash) {
		return r, failure("it crashed: %s",
			printableLines(string(crash.Reason) + ": " + crash.Cause.Error())[0])
	}
	return r, err
}

// round measures for a duration, or for a number of events if that is set.
func (b *bench) round(ctx context.Context, events []event.Event, duration time.Duration,
	count int) error {
	times := make([]time.Duration, 0, 4096)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin := time.Now()
	last := begin
	for n := 0; count > 0 && n < count || count == 0 &&
		(n == 0 || last.Sub(begin) < duration); n++ {
		if _, err := b.handle(ctx, events[b.next]); err != nil {
			return fmt.Errorf("%s: event %d: %w", b.path, b.next+1, err)
		}
		b.next = (b.next + 1) % len(events)
		now := time.Now()
		times = append(times, now.Sub(last))
		last = now
	}
	runtime.ReadMemStats(&after)
	b.rig.journal.take()
	b.mallocs += after.Mallocs - before.Mallocs
	b.bytes += after.TotalAlloc - before.TotalAlloc
	b.times = append(b.times, times...)
	b.medians = append(b.medians, typical(times, len(events)))
	return nil
}

// typical returns the mean of the medians of the single events, which take turns: the median of all
// times would be that of one of them, and of another one in each round.
func typical(times []time.Duration, events int) time.Duration {
	if len(times) < events {
		return quantile(slices.Clone(times), 0.5)
	}
	sum, own := time.Duration(0), make([]time.Duration, 0, len(times)/events+1)
	for e := range events {
		own = own[:0]
		for n := e; n < len(times); n += events {
			own = append(own, times[n])
		}
		sum += quantile(own, 0.5)
	}
	return sum / time.Duration(events)
}
