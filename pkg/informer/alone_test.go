package informer

import (
	"errors"
	"testing"
	"time"
)

// An event that may be older than others of its object is taken only if there are none.
func TestOfferAlone(t *testing.T) {
	s := byHand(t, SubscriptionConfig{Capacity: 2})
	offer := func(name string, want bool) {
		t.Helper()
		taken, err := s.OfferAlone(resyncOf(name, 1), nil)
		if taken != want || err != nil {
			t.Errorf("%s: taken %t, %v", name, taken, err)
		}
	}
	offer("a", true)
	offer("a", false) // it waits
	d, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	offer("a", false) // a worker has it
	offer("b", true)
	offer("c", false) // no room
	d.Retry(time.Hour)
	offer("a", false) // it waits for its retry
	offer("c", true)
	for range 2 {
		if d, err = s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.Done()
	}
	offer("b", true)
	s.Stop()
	if _, err := s.OfferAlone(resyncOf("d", 1), nil); !errors.Is(err, ErrStopped) {
		t.Error(err)
	}
}
