package author

import (
	"strings"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	times := []time.Duration{5, 1, 4, 2, 3}
	for part, want := range map[float64]time.Duration{0: 1, 0.5: 3, 0.99: 5, 1: 5, 0.2: 1,
		0.21: 2} {
		if got := quantile(times, part); got != want {
			t.Errorf("%v: got %d, want %d", part, got, want)
		}
	}
	if quantile(nil, 0.5) != 0 {
		t.Error("of none")
	}
}

// With events of different cost in turn, a round stands for all of them.
func TestTypical(t *testing.T) {
	if got := typical([]time.Duration{10, 1000, 12, 1002, 11, 5000}, 2); got != (11+1002)/2 {
		t.Errorf("got %d", got)
	}
	if got := typical([]time.Duration{10}, 2); got != 10 {
		t.Errorf("got %d", got)
	}
}

func TestNoise(t *testing.T) {
	for _, c := range []struct {
		medians []time.Duration
		f       figures
		want    string
	}{
		{[]time.Duration{1000, 1100}, figures{Measured: 1000, Median: 1000}, ""},
		{[]time.Duration{1000, 1500, 1100}, figures{Measured: 1000, Median: 1000},
			"the medians of 3 rounds lie 50% apart"},
		{[]time.Duration{1000}, figures{Measured: 3, Median: 1000}, "3 events is too few"},
		{[]time.Duration{100}, figures{Measured: 1000, Median: 100},
			"an event takes little more than reading the clock"},
	} {
		c.f.noise(c.medians)
		if got := strings.Join(c.f.Noisy, " "); !strings.HasPrefix(got, c.want) || c.want == "" &&
			got != "" {
			t.Errorf("%v: got %q, want %q", c.medians, got, c.want)
		}
	}
}

func TestParts(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 1234} {
		sum := 0
		for round := range rounds {
			sum += part(n, round)
		}
		if sum != n {
			t.Errorf("%d in parts are %d", n, sum)
		}
	}
}
