package informer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// largeObj is obj of a size that is worth making dense.
func largeObj(name, uid string, version int) *object.Object {
	o, err := (&object.Parser{}).Parse(
		[]byte(podText(name, uid, version, `,"spec":{"text":"`+strings.Repeat("x", 600)+`"}`)))
	if err != nil {
		panic(err)
	}
	return o
}

// hurry looks at all objects, or condenses one of those that were found cold, and reports whether
// that freed memory. Anything may happen between two such steps.
func (c *cooling) hurry() (condensed bool) {
	if len(c.cold) > 0 {
		_, _, before := c.store.Size()
		c.condense()
		_, _, after := c.store.Size()
		return after < before
	}
	c.condenser.EndPass()
	for range 8 { // few objects wait so long
		c.condenser.BeginPass()
	}
	for at := c.store.Begin(); !at.Ended(); {
		c.store.Look(&at, lookBatch, func(o *object.Object) bool { return c.look(o) || true })
	}
	return false
}

// cool is some of what the controller does when it is idle. Nobody is notified of it.
func (p *pipeline) cool() {
	before := map[event.Key]*object.Object{}
	p.ctl.store.Snapshot().Each(func(o *object.Object) { before[o.Key()] = o })
	if p.ctl.cooling.hurry() {
		p.condensed++
	}
	if n, _, _ := p.ctl.store.Size(); n != len(before) {
		p.t.Fatalf("%d objects became %d", len(before), n)
	}
	p.ctl.store.Snapshot().Each(func(o *object.Object) {
		if was := before[o.Key()]; was == nil || o != was &&
			(!object.SameState(o, was) || o.JSON() != was.JSON()) {
			p.t.Fatalf("%s became %s", was.JSON(), o.JSON())
		}
	})
}

// TestWhatNobodyChangesBecomesDense: what the first list had within some seconds, everything else
// within two periods, and not what was changed in the last one. No subscription hears of it, and a resync hands out all objects in the form they have.
func TestWhatNobodyChangesBecomesDense(t *testing.T) {
	inWorld(t, func(w *world) {
		r := rand.New(rand.NewPCG(1, 1))
		prose := func() string {
			var text strings.Builder
			for range 200 {
				fmt.Fprintf(&text, "%s %d ",
					[]string{"listen", "server", "limit", "upstream"}[r.IntN(4)], r.IntN(1_000))
			}
			return `,"spec":{"text":"` + text.String() + `"}`
		}
		for i := range 50 {
			w.server.apply(fmt.Sprint("cold", i), fmt.Sprint("u", i), prose())
		}
		w.server.apply("busy", "u", prose())
		seen, reg, _ := w.subscribe(SubscriptionConfig{On: event.OpSet(0).With(event.Resync),
			Resync: 10 * coldAfter})
		memory := func(name string) int {
			o, err := reg.Lister().Get("shop", name)
			if err != nil {
				t.Fatal(err)
			}
			return o.Memory()
		}
		plain := memory("cold7")
		time.Sleep(3 * time.Second)
		if listed := memory("cold7"); 3*listed > 2*plain {
			t.Errorf("of %d bytes, an object takes %d soon after the list", plain, listed)
		}
		for i := range 50 {
			w.server.apply(fmt.Sprint("cold", i), fmt.Sprint("u", i), prose())
		}
		time.Sleep(coldAfter - 3*time.Second)
		if later := memory("cold7"); 3*later < 2*plain {
			t.Errorf("of %d bytes, an object takes %d soon after a change", plain, later)
		}
		for range 9 {
			time.Sleep(coldAfter - time.Second)
			w.server.apply("busy", "u", prose())
			synctest.Wait()
		}
		if cold, busy := memory("cold7"), memory("busy"); 3*cold > 2*plain || 3*busy < 2*plain {
			t.Errorf("of %d bytes, a cold object takes %d, one that changes %d", plain, cold, busy)
		}
		expect(t, seen.take())
		time.Sleep(2 * coldAfter)
		if resynced := seen.take(); len(resynced) != 51 {
			t.Errorf("%d objects were resynced", len(resynced))
		}
	})
}
