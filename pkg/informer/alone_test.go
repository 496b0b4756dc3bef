package informer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
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

// An object that a worker has asked for comes again, although an older event of it came before.
func TestOfferAloneForgetsNoRecall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := byHand(t, SubscriptionConfig{})
		next := func() Delivery {
			d, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		if _, err := s.Offer(resyncOf("a", 2), nil); err != nil {
			t.Fatal(err)
		}
		d := next()
		d.Again(time.Minute)
		if taken, err := s.OfferAlone(resyncOf("a", 1), nil); !taken || err != nil {
			t.Fatalf("taken %t, %v", taken, err)
		}
		d = next()
		time.Sleep(time.Hour)
		idle, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if d, err := s.Next(idle); err == nil {
			t.Errorf("another worker got %s, too", d.Object.ResourceVersion())
		}
		d.Done()
		if d = next(); !d.Recalled || d.Object.ResourceVersion() != "2" {
			t.Errorf("got %s, recalled %t", d.Object.ResourceVersion(), d.Recalled)
		}
		d.Done()
		s.Stop()
	})
}
