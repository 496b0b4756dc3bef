package hostile_test

import (
	"math"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// pauses counts how long the garbage collector waited for all goroutines to stop.
type pauses struct{ counts []uint64 }

const stoppingMetric = "/sched/pauses/stopping/gc:seconds"

func stoppings() (pauses, []float64) {
	sample := []metrics.Sample{{Name: stoppingMetric}}
	metrics.Read(sample)
	h := sample[0].Value.Float64Histogram()
	return pauses{append([]uint64(nil), h.Counts...)}, h.Buckets
}

// longest returns the longest wait since p, rounded up to the bound of its bucket, which is at most
// a fifth more.
func (p pauses) longest() time.Duration {
	now, buckets := stoppings()
	for i := len(now.counts) - 1; i >= 0; i-- {
		if now.counts[i] == p.counts[i] {
			continue
		}
		bound := buckets[i+1]
		if math.IsInf(bound, 1) {
			bound = buckets[i]
		}
		return time.Duration(bound * float64(time.Second))
	}
	return 0
}

func TestStoppings(t *testing.T) {
	before, _ := stoppings()
	for range 10 {
		runtime.GC()
	}
	if longest := before.longest(); longest <= 0 || longest > time.Minute {
		t.Errorf("the longest of ten waits is %v", longest)
	}
	after, _ := stoppings()
	if longest := after.longest(); longest != 0 {
		t.Errorf("without a collection it is %v", longest)
	}
}
