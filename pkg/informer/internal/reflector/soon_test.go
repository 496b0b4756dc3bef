package reflector

import (
	"testing"
	"time"
)

// After news, delays begin far below the minimum, double, and end up where they are without news.
func TestSoon(t *testing.T) {
	var d retry
	now := time.Unix(1_000_000, 0)
	for range 9 {
		now = now.Add(d.next(now, nil))
	}
	d.soon(now)
	for want, n := soonest, 0; n < 9; n++ {
		if soon := want < MinDelay; d.isSoon() != soon {
			t.Errorf("IsSoon before the delay of %v is %t", want, d.isSoon())
		}
		delay := d.next(now, nil)
		if delay < want || delay > 2*want {
			t.Errorf("%v, want %v to twice that", delay, want)
		}
		now, want = now.Add(delay), min(2*want, MaxDelay)
	}
}
