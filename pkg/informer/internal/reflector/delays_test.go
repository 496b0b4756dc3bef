package reflector

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A burst is free, and then there is one in a second, however long the pause was before.
func TestPace(t *testing.T) {
	var p pace
	now := time.Unix(1_000_000, 0)
	for range 2 {
		now = now.Add(time.Hour)
		for range PaceBurst {
			if d := p.next(now); d != 0 {
				t.Fatalf("a turn of the burst waits for %v", d)
			}
		}
		for i := range 3 {
			if d, want := p.next(now), time.Duration(i+1)*paceInterval; d != want {
				t.Errorf("turn %d after the burst waits for %v, want %v", i+1, d, want)
			}
		}
	}
}

// Delays stay short while a right is missing, which may be granted at any time, and make no other
// delay longer; the delays of a busy server stay as they are.
func TestDelaysOfAMissingRight(t *testing.T) {
	forbidden := fmt.Errorf("failed to list: %w", apierrors.NewForbidden(schema.GroupResource{},
		"", errors.New("no")))
	busy := apierrors.NewTooManyRequestsError("later")
	now := time.Unix(1_000_000, 0)
	var d retry
	for range 100 {
		if got := d.next(now, forbidden); got > 2*forbiddenMax {
			t.Fatalf("waits for %v", got)
		}
	}
	if got := d.next(now, busy); got < forbiddenMax || got > 2*forbiddenMax {
		t.Errorf("a busy server is asked after %v", got)
	}
	for range 10 {
		d.next(now, busy)
	}
	if got := d.next(now, forbidden); got > 2*forbiddenMax {
		t.Errorf("a right that is missing after that: waits for %v", got)
	}
	if got := d.next(now, busy); got < MaxDelay {
		t.Errorf("a busy server is asked after %v", got)
	}
}

// The delays of any sequence of failures, against a model: those of refused connections have a
// ceiling of their own, which they raise no other delay beyond; the others double, and never get
// shorter, until there is no failure for two minutes.
func TestBackoffModel(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var b retry
		now, base, longest := time.Now(), MinDelay, time.Duration(0)
		for n := range 60 {
			pause := time.Duration(rng.Int64N(int64(2 * time.Second)))
			if rng.IntN(20) == 0 {
				pause, base, longest = DelayReset, MinDelay, 0
			}
			now = now.Add(pause)
			cause, ceiling := errors.New("busy"), MaxDelay
			refused := rng.IntN(2) == 0
			if refused {
				cause, ceiling = fmt.Errorf("dial: %w", syscall.ECONNREFUSED), RefusedMax
			}
			d, least := b.next(now, cause), min(base, ceiling)
			if d < least || d >= 2*least {
				t.Fatalf("seed %d, failure %d, refused %v: %v, want %v to %v", seed, n, refused, d,
					least, 2*least)
			}
			if !refused && least < longest {
				t.Fatalf("seed %d, failure %d: a refusal made %v of %v", seed, n, least, longest)
			}
			longest = max(longest, least)
			base = max(base, min(2*base, ceiling))
			now = now.Add(d)
		}
	}
}

func TestBackoffStaysHighWhileAttemptsFail(t *testing.T) {
	var b retry
	now := time.Now()
	for i := range 100 {
		base := min(MinDelay<<min(i, 10), MaxDelay)
		d := b.next(now, nil)
		if d < base || d > 2*base {
			t.Fatalf("delay %d is %v, want %v to %v", i, d, base, 2*base)
		}
		now = now.Add(d)
	}
	if d := b.next(now.Add(DelayReset), nil); d > 2*MinDelay {
		t.Errorf("after two quiet minutes the delay is %v", d)
	}
}
