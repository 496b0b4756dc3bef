package plugins

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

func someGuest(h *Handler) *guest {
	g := &guest{handler: h}
	g.calls = newCallContext(g)
	return g
}

// Of two handlers, one with many guests, each has every second turn.
func TestHandlersTakeTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	host := &Host{}
	many, one := &Handler{host: host}, &Handler{host: host}
	var running, most, come, all, own atomic.Int64
	var guests sync.WaitGroup
	for n := range 9 {
		h := many
		if n == 0 {
			h = one
		}
		guests.Go(func() {
			g := someGuest(h)
			for first := true; all.Load() < 2_000; first = false {
				if err := host.turns.take(g); err != nil {
					t.Error(err)
				}
				most.Store(max(most.Load(), running.Add(1)))
				runtime.Gosched()
				if first {
					come.Add(1)
				}
				if running.Add(-1); come.Load() < 9 {
					continue // some have not started: whoever has may be alone
				}
				if all.Add(1); h == one {
					own.Add(1)
				}
			}
			host.turns.end(g)
		})
	}
	guests.Wait()
	if most.Load() != 1 || host.turns.running != 0 || len(host.turns.waiting) > 0 {
		t.Errorf("%d had a turn at once, %d have one in the end", most.Load(), host.turns.running)
	}
	if own.Load() < 990 || own.Load() > 1_010 {
		t.Errorf("the handler with one guest had %d of 2,000 turns", own.Load())
	}
}

// Who waits can be ended, and who holds a turn and is alone keeps it.
func TestATurnThatIsNotGrantedEnds(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	host := &Host{}
	h := &Handler{host: host}
	first, second := someGuest(h), someGuest(h)
	for range 2 {
		if err := host.turns.take(first); err != nil || !first.turn || host.turns.given != 1 {
			t.Fatal(err, first.turn, host.turns.given)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	second.calls.begin(ctx, time.Millisecond) // what it waits does not count
	if err := host.turns.take(second); !errors.Is(err, context.Canceled) || second.turn {
		t.Error(err, second.turn)
	}
	host.turns.end(second) // has none
	if host.turns.running != 1 || len(host.turns.waiting) > 0 {
		t.Errorf("%+v", &host.turns)
	}
	host.turns.end(first)
	third := someGuest(h)
	third.calls.begin(t.Context(), 20*time.Millisecond)
	if err := host.turns.take(third); err != nil {
		t.Error(err)
	}
	<-third.calls.Done() // it has its deadline again
	if err := third.calls.Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// A guest that waits for its turn to start has all of its time after that, for configure, too.
func TestAStartThatWaitsIsNotLate(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	m := &wasmtest.Module{}
	m.Memory(1, 1)
	m.Export("memory", 2, 0)
	m.Func("informerd_abi_v1", "", "", "")
	m.Func("configure", "", "i", "", wasmtest.Const(0))
	m.Func("on_event", "iiii", "i", "", wasmtest.Const(0))
	host := NewHost(HostConfig{})
	defer host.Close(t.Context())
	const most = 200 * time.Millisecond
	h, err := host.Load(t.Context(), Spec{Listener: "l", Wasm: m.Bytes(),
		Limits: Limits{LoadDeadline: most}})
	if err != nil {
		t.Fatal(err)
	}
	first, err := h.NewInstance(t.Context()) // is the one that Load has started
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close(t.Context())
	other := someGuest(&Handler{host: host})
	if err := host.turns.take(other); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(2*most, func() { host.turns.end(other) })
	i, err := h.NewInstance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// What a guest waits is not its own time, whatever the deadline's timer did meanwhile.
func TestTheTimeOfAGuestThatWaitsStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCallContext(nil)
		defer c.close()
		c.begin(t.Context(), time.Second)
		for range 3 {
			time.Sleep(300 * time.Millisecond)
			goOn := c.hold()
			time.Sleep(time.Minute)
			goOn()
			if err := c.check(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(99 * time.Millisecond)
		synctest.Wait()
		if c.Err() != nil {
			t.Error("it is over before its time")
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if c.Err() == nil {
			t.Error("it is not over in time")
		}
	})
}
