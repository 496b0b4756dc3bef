package backoff

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

func TestDelayDoublesUpToTheMaximum(t *testing.T) {
	b := Backoff{Min: time.Second, Max: time.Minute}
	want := []time.Duration{1, 1, 2, 4, 8, 16, 32, 60, 60}
	for failures, seconds := range want {
		if got := b.Delay(failures); got != seconds*time.Second {
			t.Errorf("%d failures: %v", failures, got)
		}
	}
	long := Backoff{Min: time.Hour, Max: math.MaxInt64}
	for _, failures := range []int{30, 62, 63, 64, 65, math.MaxInt} {
		if got := long.Delay(failures); got != math.MaxInt64 {
			t.Errorf("%d failures: %v", failures, got)
		}
	}
	if got := (Backoff{Min: time.Minute, Max: time.Second}).Delay(1); got != time.Second {
		t.Errorf("Max below Min: %v", got)
	}
	if got := (Backoff{}).Delay(3); got != 0 {
		t.Errorf("the zero Backoff: %v", got)
	}
}

func TestSpreadDelaysStayInTheirRange(t *testing.T) {
	const d = 100
	for range 1000 {
		if got := Early(d); got < d/2 || got > d {
			t.Fatalf("early: %d", got)
		}
		if got := Late(d); got < d || got >= 2*d {
			t.Fatalf("late: %d", got)
		}
	}
	if early, late := Early(0), Late(0); early != 0 || late != 0 {
		t.Errorf("early of 0: %v, late: %v", early, late)
	}
	if got := (Backoff{}).AtLeast(0, time.Second); got != time.Second {
		t.Errorf("the zero Backoff heeds the server with %v", got)
	}
}

func TestAtLeastHeedsTheServer(t *testing.T) {
	b := Backoff{Min: time.Second, Max: 30 * time.Second}
	for _, c := range []struct{ delay, asked, least, most time.Duration }{
		{time.Second, 0, time.Second, time.Second},
		{time.Second, 7 * time.Second, 7 * time.Second, 8 * time.Second},
		{b.Max, time.Second, b.Max, b.Max},
		{b.Max, math.MaxInt64, math.MaxInt64 - b.Min, math.MaxInt64},
	} {
		if got := b.AtLeast(c.delay, c.asked); got < c.least || got > c.most {
			t.Errorf("%v of %v and %v", got, c.delay, c.asked)
		}
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if err := Sleep(t.Context(), time.Minute); err != nil || time.Since(begun) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun = time.Now()
		if err := Sleep(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(begun) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if err := Sleep(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("no time at all: %v", err)
		}
	})
}
