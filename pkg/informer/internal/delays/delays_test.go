package delays

import (
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

// Delays stay short while a right is missing, which may be granted at any time, and make no other
// delay longer; the delays of a busy server stay as they are.
func TestDelaysOfAMissingRight(t *testing.T) {
	forbidden := fmt.Errorf("failed to list: %w", apierrors.NewForbidden(schema.GroupResource{},
		"", errors.New("no")))
	busy := apierrors.NewTooManyRequestsError("later")
	now := time.Unix(1_000_000, 0)
	var d Retry
	for range 100 {
		if got := d.Next(now, forbidden); got > 2*ForbiddenMax {
			t.Fatalf("waits for %v", got)
		}
	}
	if got := d.Next(now, busy); got < ForbiddenMax || got > 2*ForbiddenMax {
		t.Errorf("a busy server is asked after %v", got)
	}
	for range 10 {
		d.Next(now, busy)
	}
	if got := d.Next(now, forbidden); got > 2*ForbiddenMax {
		t.Errorf("a right that is missing after that: waits for %v", got)
	}
	if got := d.Next(now, busy); got < Max {
		t.Errorf("a busy server is asked after %v", got)
	}
}
