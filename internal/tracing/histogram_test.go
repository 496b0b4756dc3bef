package tracing

import (
	"slices"
	"sync"
	"testing"
	"time"
)

func TestBuckets(t *testing.T) {
	h := NewHistogram([]time.Duration{time.Millisecond, time.Second})
	for _, d := range []time.Duration{-time.Hour, 0, time.Millisecond, time.Millisecond + 1,
		time.Second, time.Minute} {
		h.Observe(d)
	}
	s := h.Snapshot()
	if want := []uint64{3, 5, 6}; !slices.Equal(s.Counts, want) || s.Count() != 6 {
		t.Errorf("got %v, %d in all, want %v", s.Counts, s.Count(), want)
	}
	if want := time.Minute + time.Second + 2*time.Millisecond + 1; s.Sum != want {
		t.Errorf("the sum is %v, want %v", s.Sum, want)
	}
	if none := (Snapshot{}); none.Count() != 0 {
		t.Errorf("nothing counts %d", none.Count())
	}
}

func TestObservingTakesNoMemory(t *testing.T) {
	h := NewHistogram(make([]time.Duration, MaxBounds))
	if n := testing.AllocsPerRun(100, func() { h.Observe(time.Second) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestManyObserveAtOnce(t *testing.T) {
	h := NewHistogram([]time.Duration{time.Second})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 1000 {
				h.Observe(time.Millisecond)
				if s := h.Snapshot(); s.Count() == 0 {
					t.Error("nothing was counted")
				}
			}
		})
	}
	all.Wait()
	if s := h.Snapshot(); s.Count() != 4000 || s.Sum != 4*time.Second {
		t.Errorf("%+v", s)
	}
}

func BenchmarkObserve(b *testing.B) {
	h := NewHistogram([]time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	for b.Loop() {
		h.Observe(7)
	}
}
