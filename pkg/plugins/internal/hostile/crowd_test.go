package hostile_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/internal/hostile"
)

// mostDelay is how late the results of 99 in 100 events of a listener may be, whatever the handlers
// of another one do.
const mostDelay = 25 * time.Millisecond

// TestCrowd runs each guest of the corpus that does not end, on all workers of a listener, next to
// one that does no harm. Some run with all numbers of workers and all deadlines.
func TestCrowd(t *testing.T) {
	if os.Getenv("HOSTILE") != "full" {
		t.Skip("it measures for minutes, in make hostile")
	}
	url, object := silent(t), pod(t)
	host := plugins.NewHost(plugins.HostConfig{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	defer host.Close(t.Context())
	beside := newNeighbour(t)
	all := []string{"loop in on_event", "loop of stores", "flood of emitted arrays in arrays",
		"flood of iterators over all objects", "flood of new keys"}
	var worst time.Duration
	for _, c := range hostile.All(url) {
		if !strings.Contains(c.Want, "on_event: deadline") {
			continue
		}
		s := spec(c.Module(), url, object)
		s.Limits.Memory = max(c.Memory, hostile.Memory)
		for _, processors := range []int{2, 1} {
			for _, workers := range []int{64, 8, 1} {
				for _, deadline := range []time.Duration{time.Minute, time.Second,
					100 * time.Millisecond} {
					if !slices.Contains(all, c.Name) && (workers != 64 || deadline != time.Minute) {
						continue
					}
					name := fmt.Sprintf("%s/%d workers, %v, %d processors", c.Name, workers,
						deadline, processors)
					t.Run(name, func(t *testing.T) {
						s.Limits.Deadline = deadline
						late := crowd(t, host, beside, s, workers, processors)
						for range repeats - 1 {
							if late > mostDelay {
								late = min(late, crowd(t, host, beside, s, workers, processors))
							}
						}
						worst = max(worst, late)
						t.Logf("%v late", late)
						if late > mostDelay {
							t.Errorf("the other listener's events are %v late", late)
						}
					})
				}
			}
		}
	}
	t.Logf("at most %v late", worst)
}

// crowd runs a handler on some workers, and returns how late the neighbour's events were for which
// all that happens between the arrival and the output happens, of 99 in 100.
func crowd(t *testing.T, host *plugins.Host, beside *neighbour, s plugins.Spec,
	workers, processors int) time.Duration {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	handler, err := host.Load(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer handler.Close(context.WithoutCancel(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			i, err := handler.NewInstance(ctx)
			if err != nil {
				return
			}
			for ctx.Err() == nil {
				_, _ = i.Handle(ctx, event.Event{Op: event.Add, Object: s.Caches.Get("", "",
					hostile.Name)})
			}
			_ = i.Close(context.WithoutCancel(ctx))
		})
	}
	late := beside.events(ctx)
	running.Wait()
	slices.Sort(late)
	if len(late) < 10 {
		return 2 * time.Second
	}
	return late[len(late)*99/100]
}

// events has the neighbour handle an event each few milliseconds until ctx ends, and returns how
// late the results were. Each event passes through five goroutines, as it does in informerd: watch,
// buffer, worker, output, receiver.
func (b *neighbour) events(ctx context.Context) (late []time.Duration) {
	var stages sync.WaitGroup
	first := make(chan time.Time)
	stage := func(in <-chan time.Time, do func()) <-chan time.Time {
		out := make(chan time.Time, 1000)
		stages.Go(func() {
			defer close(out)
			for due := range in {
				do()
				out <- due
			}
		})
		return out
	}
	nothing := func() {}
	last := stage(stage(stage(first, nothing), func() {
		if r, err := b.i.Handle(b.t.Context(), b.e); err != nil || r.Verdict != plugins.Done {
			b.t.Errorf("the listener next to it: %v, %v", r, err)
		}
	}), nothing)
	stages.Go(func() {
		defer close(first)
		for due := time.Now(); ; {
			due = due.Add(5 * time.Millisecond)
			select {
			case <-time.After(time.Until(due)):
				first <- due
			case <-ctx.Done():
				return
			}
		}
	})
	for due := range last {
		late = append(late, time.Since(due))
	}
	stages.Wait()
	return late
}
