package tracing

import (
	"sync/atomic"
	"time"
)

// MaxBounds is how many bounds there may be.
const MaxBounds = 11

// Histogram counts durations in fixed buckets. Observing one is a few comparisons and two
// atomic additions, so that it can be done for each event: nothing is allocated or locked.
//
// The histogram of Prometheus' client would bring that library to every package that measures
// something. internal/endpoints alone makes metrics of plain numbers.
//
// It is safe for concurrent use. Make one with New.
type Histogram struct {
	bounds []time.Duration
	counts [MaxBounds + 1]atomic.Uint64
	sum    atomic.Int64
}

// NewHistogram returns a histogram with at most MaxBounds upper bounds of its buckets, in ascending
// order. What exceeds the last one is counted as well.
func NewHistogram(bounds []time.Duration) *Histogram {
	return &Histogram{bounds: bounds[:min(len(bounds), MaxBounds)]}
}

// Observe counts a duration. A negative one, as of a clock that was set, counts as 0.
func (h *Histogram) Observe(d time.Duration) {
	d = max(d, 0)
	i := 0
	for i < len(h.bounds) && d > h.bounds[i] {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(int64(d))
}

// Snapshot is what a histogram has counted. The zero value is of one that there is not.
type Snapshot struct {
	Bounds []time.Duration
	Counts []uint64 // for each bound, of the durations up to it; at the end, of all
	Sum    time.Duration
}

// Snapshot returns what was counted. Each count includes those before it.
func (h *Histogram) Snapshot() Snapshot {
	s := Snapshot{Bounds: h.bounds, Counts: make([]uint64, len(h.bounds)+1)}
	s.Sum = time.Duration(h.sum.Load()) // before the counts: no mean exceeds what there was
	total := uint64(0)
	for i := range s.Counts {
		total += h.counts[i].Load()
		s.Counts[i] = total
	}
	return s
}

// Count returns how many durations were counted.
func (s *Snapshot) Count() uint64 {
	if len(s.Counts) == 0 {
		return 0
	}
	return s.Counts[len(s.Counts)-1]
}
