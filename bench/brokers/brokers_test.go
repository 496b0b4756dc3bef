package brokers

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMeasure(t *testing.T) {
	for _, to := range []Broker{JetStream, Kafka} {
		r, err := Measure(t.Context(), to, 2000, 3)
		if err != nil {
			t.Fatal(err)
		}
		if r.Messages != 6000 || r.Bytes < 1000 || r.Bytes > 4000 || r.Ours <= 0 ||
			r.Client <= 0 || r.Ready <= 0 || r.OursCPU <= 0 || r.ClientCPU <= 0 ||
			r.Lowest <= 0 || r.Ratio < r.Lowest || r.Highest < r.Ratio {
			t.Errorf("%s: %+v", to, r)
		}
	}
	if _, err := Measure(t.Context(), "pigeon", 1, 1); err == nil {
		t.Error("an unknown broker is accepted")
	}
}

// BenchmarkBrokers reports what the outputs reach of their clients' throughput.
func BenchmarkBrokers(b *testing.B) {
	for _, to := range []Broker{JetStream, Kafka} {
		b.Run(string(to), func(b *testing.B) {
			for range b.N {
				r, err := Measure(b.Context(), to, 50_000, 7)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.Ratio, "ours/client")
				b.ReportMetric(r.Lowest, "lowest-ours/client")
				b.ReportMetric(r.Highest, "highest-ours/client")
				b.ReportMetric(float64(r.OursCPU)/float64(r.ClientCPU), "cpu-ours/client")
				b.ReportMetric(float64(r.OursCPU.Nanoseconds()), "cpu-ns/message")
				b.ReportMetric(r.Ours, "messages/s")
				b.ReportMetric(r.Client, "client-messages/s")
				b.ReportMetric(r.Ready, "client-ready-messages/s")
			}
		})
	}
}
