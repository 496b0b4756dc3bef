package keeper

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// heldWorld is a world in which listeners wait for a cut.
type heldWorld struct {
	*world
	kept    [][]string // of each call
	waiting bool
}

func (w *heldWorld) Kept(subscriptions []string) bool {
	w.kept = append(w.kept, subscriptions)
	return w.waiting
}

func (w *heldWorld) source() Source {
	s := w.world.source()
	s.Informers = w
	return s
}

// Who begins in a cut learns of it once it counts, and with it the names of the listeners that the
// cut has: a listener that has no part in it yet goes on waiting.
func TestACutIsKeptOnceItCounts(t *testing.T) {
	w := &heldWorld{world: newWorld(t)}
	w.informer("pods").join("a")
	k := open(t, t.TempDir())
	if err := k.turn(w.source(), false); err != nil {
		t.Fatal(err)
	}
	w.listener("a")
	if err := k.turn(w.source(), false); err != nil {
		t.Fatal(err)
	}
	if len(w.kept) != 2 || len(w.kept[0]) != 0 || !slices.Equal(w.kept[1], []string{"a"}) {
		t.Errorf("kept: %q", w.kept)
	}
	w.flush = func() error { return errors.New("the disk is full") }
	w.informers["pods"].put(newObject(t, "x", 1, 10))
	if err := k.turn(w.source(), false); err == nil || len(w.kept) != 2 {
		t.Errorf("a cut that failed is kept: %v, %q", err, w.kept)
	}
}

// While a listener waits, a keeper that publishes does not wait for its interval.
func TestAListenerThatWaitsIsPublishedSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, err := Publish(nil, nil, func(map[string][]byte, bool) error { return nil }, quiet)
		if err != nil {
			t.Fatal(err)
		}
		w := &heldWorld{world: newWorld(t), waiting: true}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- k.Run(ctx, w.source()) }()
		time.Sleep(PublishInterval + PublishSoon + PublishSoon/2)
		synctest.Wait()
		if len(w.kept) != 2 {
			t.Errorf("there were %d cuts", len(w.kept))
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// Who knows nothing is behind by all that there is.
func TestSummarizeWhoBegins(t *testing.T) {
	dir, w := t.TempDir(), newWorld(t)
	in := w.informer("pods")
	for i, name := range []string{"x", "y", "z"} {
		in.put(newObject(t, name, i+1, 10))
	}
	in.join("a")
	in.begin("a", true)
	in.tell("a", key("x"), nil, false)
	w.listener("a")
	mustTurn(t, open(t, dir), w)
	s, err := Summarize(dir)
	if err != nil || len(s.Listeners) != 1 || s.Listeners[0].Unfinished != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}
