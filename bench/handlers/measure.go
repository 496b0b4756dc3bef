package handlers

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/informerd/informerd/bench/measure"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Result is the measurement of one contender, per call.
type Result struct {
	Contender
	Time          time.Duration // CPU time, in the best turn
	Allocs, Bytes float64       // on Go's heap
}

// CallsPerSecond returns the number of calls on one core.
func (r Result) CallsPerSecond() float64 { return float64(time.Second) / float64(r.Time) }

// Measure passes a pod to each contender repeatedly, on one core, in turns of about this length,
// for some rounds.
func Measure(ctx context.Context, contenders []Contender, rounds int,
	turn time.Duration) (results []Result, err error) {
	o, err := Pod(7)
	if err != nil {
		return nil, err
	}
	var turns []*turns
	for _, c := range contenders {
		run, end, openErr := c.open(ctx)
		if openErr != nil {
			return nil, fmt.Errorf("%s: %w", c.Name(), openErr)
		}
		defer func() { err = errors.Join(err, end()) }()
		turns = append(turns, newTurns(c, run, o))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range rounds {
		for _, t := range turns {
			if err := t.take(turn); err != nil {
				return nil, fmt.Errorf("%s: %w", t.contender.Name(), err)
			}
		}
	}
	for _, t := range turns {
		results = append(results, t.result())
	}
	return results, nil
}

// turns is the turns of one contender.
type turns struct {
	contender     Contender
	run           call
	pod           *object.Object
	calls         int // of the next turn
	made          uint64
	allocs, bytes uint64
	times         []time.Duration // of one call in each turn
}

func newTurns(c Contender, run call, pod *object.Object) *turns {
	return &turns{contender: c, run: run, pod: pod, calls: 2}
}

// take makes calls for about the given time; it knows from the turn before how many these are.
func (t *turns) take(long time.Duration) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, err := measure.Self().CPU()
	if err != nil {
		return err
	}
	for range t.calls {
		if _, err := t.run(t.pod); err != nil {
			return err
		}
	}
	end, err := measure.Self().CPU()
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	t.made += uint64(t.calls)
	t.allocs += after.Mallocs - before.Mallocs
	t.bytes += after.TotalAlloc - before.TotalAlloc
	one := (end - start) / time.Duration(t.calls)
	t.times = append(t.times, one)
	t.calls = max(2, int(long/max(slices.Min(t.times), 1)))
	return nil
}

func (t *turns) result() Result {
	return Result{Contender: t.contender, Time: max(slices.Min(t.times), 1),
		Allocs: float64(t.allocs) / float64(t.made), Bytes: float64(t.bytes) / float64(t.made)}
}
