package matched

import (
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

func TestMeasure(t *testing.T) {
	for _, to := range []Destination{File, Pipe} {
		r, err := Measure(t.Context(), to, t.TempDir(), 3)
		if err != nil {
			t.Fatal(err)
		}
		// Both objects of 10 KB, without managedFields.
		if r.Events != 3*batch || r.Bytes < 10_000 || r.Bytes > 20_000 || r.Event <= r.Write ||
			r.Write <= 0 {
			t.Errorf("%s: %+v", to, r)
		}
	}
	if _, err := Measure(t.Context(), "socket", "", 1); err == nil {
		t.Error("an unknown destination is accepted")
	}
}

// Both sides write equally many bytes. The lines contain times, with more or fewer digits.
func TestBothSidesWriteTheSame(t *testing.T) {
	b, err := newBench(File, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	packed := 0
	for _, e := range b.events {
		for _, o := range []*object.Object{e.Object, e.Old} {
			if o.Plain() != o {
				packed++
			}
		}
	}
	if packed < len(b.events)*9/5 {
		t.Errorf("%d of %d objects are packed", packed, 2*len(b.events))
	}
	for name, side := range map[string]func() error{"events": func() error {
		return b.route(t.Context())
	}, "writing": b.write} {
		if _, err := b.cpu(side); err != nil {
			t.Fatal(err)
		}
		info, err := b.to.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if differ := info.Size() - int64(b.bytes); differ < -10*batch || differ > 10*batch {
			t.Errorf("%s: %d bytes, want about %d", name, info.Size(), b.bytes)
		}
	}
}

// BenchmarkMatched reports the CPU time of an event and that of writing its line, and their ratio.
func BenchmarkMatched(b *testing.B) {
	for _, to := range []Destination{File, Pipe} {
		b.Run(string(to), func(b *testing.B) {
			for b.Loop() {
				r, err := Measure(b.Context(), to, "", 20)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Event.Nanoseconds()), "event-ns")
				b.ReportMetric(float64(r.Write.Nanoseconds()), "write-ns")
				b.ReportMetric(r.Ratio(), "ratio")
			}
		})
	}
}
