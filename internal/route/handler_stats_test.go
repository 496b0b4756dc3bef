package route

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
)

func TestWithoutAHandlerThereAreNoStatsOfOne(t *testing.T) {
	h := newHandled(t, "a")
	h.newGuest = nil
	h.run(t)
	if s := h.Stats(); s.Handler != nil {
		t.Errorf("%+v", s.Handler)
	}
}

// Each call is timed, one of a batch once.
func TestCallsAreTimed(t *testing.T) {
	h := newHandled(t, "a b c d e f")
	h.lasts = 2 * time.Millisecond
	h.run(t)
	s := h.Stats()
	if took := s.Handler.Took; s.HandlerCalls != 2 || took.Count() != 2 ||
		took.Sum < 4*time.Millisecond || took.Counts[3] != 0 {
		t.Errorf("%d calls took %+v", s.HandlerCalls, took)
	}
}

// crashing crashes at each event.
type crashing struct {
	*puppet
	reason plugins.Reason
}

func (g crashing) Handle(context.Context, event.Event) (plugins.Result, error) {
	if g.reason == "" {
		return plugins.Result{}, errors.New("not a crash")
	}
	return plugins.Result{}, &plugins.CrashError{Reason: g.reason, Cause: errCrash}
}

func TestCrashesAreCountedByReason(t *testing.T) {
	for want, reason := range map[plugins.Reason]plugins.Reason{"other": "", "deadline": "deadline",
		"memory": "memory"} {
		t.Run(string(want), func(t *testing.T) {
			h := newHandled(t, "a")
			h.Batch, h.Retry.Attempts = 1, 1
			h.newGuest = func(context.Context) (guest, error) {
				return crashing{h.puppet, reason}, nil
			}
			h.run(t)
			s := h.Stats()
			for got, n := range s.Handler.Crashes {
				if got == want && n != 1 || got != want && n != 0 {
					t.Errorf("%d crashes of reason %s", n, got)
				}
			}
			if s.HandlerCrashes != 1 {
				t.Errorf("%d crashes", s.HandlerCrashes)
			}
		})
	}
}

// A batch that crashes counts, and so does each event that makes its guest crash.
func TestCrashesOfBatchesAddUp(t *testing.T) {
	h := newHandled(t, "a b")
	h.set("b", "crash")
	h.Retry.Attempts = 1
	h.run(t)
	s := h.Stats()
	sum := uint64(0)
	for _, n := range s.Handler.Crashes {
		sum += n
	}
	if s.HandlerCrashes != 2 || sum != s.HandlerCrashes {
		t.Errorf("%d crashes, %d by reason", s.HandlerCrashes, sum)
	}
}

// looking is a real guest. At each call it looks at the memory that its route has noted.
type looking struct {
	*plugins.Instance
	look func()
}

func (g looking) Handle(ctx context.Context, e event.Event) (plugins.Result, error) {
	g.look()
	return g.Instance.Handle(ctx, e)
}

// A real guest uses fuel, and its instance has memory until it is closed.
func TestFuelAndMemoryOfAGuest(t *testing.T) {
	h := newHandled(t, "a b c")
	handler := loaded(t, dropsEvents)
	h.Batch = 1
	var memory []int64
	h.newGuest = func(ctx context.Context) (guest, error) {
		instance, err := handler.NewInstance(ctx)
		return looking{instance, func() {
			memory = append(memory, h.Stats().Handler.Memory)
		}}, err
	}
	h.run(t)
	if len(memory) != 3 || slices.Min(memory) < 64<<10 || slices.Max(memory) > 64<<20 {
		t.Errorf("the instance had %d bytes", memory)
	}
	if s := h.Stats(); s.Handler.Fuel < 3 || s.Handler.Memory != 0 {
		t.Errorf("%d units of fuel, and %d bytes in the end", s.Handler.Fuel, s.Handler.Memory)
	}
}
