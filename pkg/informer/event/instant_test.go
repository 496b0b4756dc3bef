package event

import (
	"testing"
	"time"
)

func TestInstant(t *testing.T) {
	before := time.Now()
	now := Now()
	if now <= 0 {
		t.Errorf("now is %d, which stands for an unknown moment", now)
	}
	if at := now.Time(); at.Before(before) || at.After(time.Now()) {
		t.Errorf("%v is not between %v and now", at, before)
	}
	for _, c := range []struct{ a, b, want Instant }{
		{0, 0, 0}, {0, 3, 3}, {3, 0, 3}, {3, 5, 3}, {5, 3, 3},
	} {
		if got := c.a.Earlier(c.b); got != c.want {
			t.Errorf("the earlier of %d and %d is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
