package delays

import (
	"testing"
	"time"
)

// A burst is free, and then there is one in a second, however long the pause was before.
func TestPace(t *testing.T) {
	var p Pace
	now := time.Unix(1_000_000, 0)
	for range 2 {
		now = now.Add(time.Hour)
		for range Burst {
			if d := p.Next(now); d != 0 {
				t.Fatalf("a turn of the burst waits for %v", d)
			}
		}
		for i := range 3 {
			if d, want := p.Next(now), time.Duration(i+1)*Interval; d != want {
				t.Errorf("turn %d after the burst waits for %v, want %v", i+1, d, want)
			}
		}
	}
}
