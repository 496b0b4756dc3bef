package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func typed(kind string) func(cloudEvent) bool {
	return func(e cloudEvent) bool { return e.Type == kind }
}

func TestAwaitSeesWhatIsThereAndWhatComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		f.Add(cloudEvent{Type: "a"})
		if err := f.Await(t.Context(), 0, typed("a")); err != nil {
			t.Error(err)
		}
		go func() {
			for _, kind := range []string{"b", "c"} {
				time.Sleep(time.Second) // on the bubble's clock: Await blocks by then
				f.Add(cloudEvent{Type: kind})
			}
		}()
		if err := f.Await(t.Context(), 0, typed("c")); err != nil {
			t.Error(err)
		}
		if f.Len() != 3 || !f.Has(typed("b")) || f.Has(typed("d")) {
			t.Errorf("%d events", f.Len())
		}
	})
}

func TestAwaitIgnoresWhatWasBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		f.Add(cloudEvent{Type: "a"})
		late := errors.New("late")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, late)
		defer cancel()
		if err := f.Await(ctx, f.Len(), typed("a")); err != late {
			t.Errorf("got %v", err)
		}
	})
}

func TestAwaitEndsWithTheFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		first := errors.New("first")
		go func() {
			time.Sleep(time.Second)
			f.End(first)
			f.End(errors.New("second"))
		}()
		if err := f.Await(t.Context(), 0, typed("a")); err != first {
			t.Errorf("got %v", err)
		}
		f.Add(cloudEvent{Type: "a"})
		if err := f.Await(t.Context(), 0, typed("a")); err != nil {
			t.Errorf("earlier events are not found after the end: %v", err)
		}
		if err := f.Err(); err != first {
			t.Errorf("got %v", err)
		}
	})
}
