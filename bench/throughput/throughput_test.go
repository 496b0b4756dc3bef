package throughput

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMeasure(t *testing.T) {
	for _, way := range Ways() {
		r, err := Measure(t.Context(), way, 500, 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.Events != 500 || r.Rate <= 0 || r.Bound <= 0 || r.CPU <= 0 {
			t.Errorf("%s: %+v", way.Name, r)
		}
	}
}

// BenchmarkThroughput reports the figures of each way.
func BenchmarkThroughput(b *testing.B) {
	for _, way := range Ways() {
		b.Run(way.Name, func(b *testing.B) {
			for range b.N {
				r, err := Measure(b.Context(), way, 100_000, 5)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.Rate, "events/s")
				b.ReportMetric(r.Rate/r.Bound, "route/bound")
				b.ReportMetric(float64(r.CPU.Nanoseconds()), "cpu-ns/event")
			}
		})
	}
}
