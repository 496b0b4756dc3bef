package informer

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Objects that wait for a retry leave the room to others, however many there are, and whatever
// keeps coming of them.
func TestFailingObjectsHoldUpNoOthers(t *testing.T) {
	for _, overflow := range []Overflow{OverflowLatest, OverflowDrop, OverflowSpill,
		OverflowBlock} {
		t.Run(fmt.Sprint(overflow), func(t *testing.T) {
			inWorld(t, func(w *world) {
				_, sub := w.hang(SubscriptionConfig{Capacity: 2, Overflow: overflow,
					SpillDir: t.TempDir()})
				got := make(chan string, 20)
				go func() {
					for {
						d, err := sub.Next(w.ctx)
						if err != nil {
							return
						}
						got <- story(d.Event)
						if strings.HasPrefix(d.Object.Name(), "bad") && d.Attempt == 1 &&
							d.Op == event.Add {
							d.Retry(time.Hour)
						} else {
							d.Done()
						}
					}
				}()
				w.applyEach("bad-0", "bad-1", "bad-2", "bad-3", "bad-4")
				// as many as there is room for behind those that failed
				w.applyEach("bad-0", "bad-1")
				w.applyEach("good")
				for range 5 {
					<-got
				}
				select {
				case s := <-got:
					expect(t, []string{s}, "add good/1 108")
				default:
					t.Fatalf("good has not come: %+v", sub.Stats())
				}
				if s := sub.Stats(); s.Parked != 7 || s.Held != 0 ||
					s.Blocked+s.Dropped+s.Coalesced != 0 || len(got) > 0 {
					t.Errorf("%+v", s)
				}
				time.Sleep(2 * time.Hour)
				if s := sub.Stats(); s.Parked+s.Held+s.Marked != 0 || s.Done != 8 || len(got) != 7 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// One object that fails and changes all the time is merged in the end, and with OverflowBlock alone
// holds up the informer.
func TestABusyFailingObjectHoldsUpNoOthers(t *testing.T) {
	for _, overflow := range []Overflow{OverflowLatest, OverflowDrop, OverflowSpill,
		OverflowBlock} {
		t.Run(fmt.Sprint(overflow), func(t *testing.T) {
			inWorld(t, func(w *world) {
				_, sub := w.hang(SubscriptionConfig{Capacity: 2, Overflow: overflow,
					SpillDir: t.TempDir()})
				w.applyEach("bad")
				d, err := sub.Next(w.ctx)
				if err != nil {
					t.Fatal(err)
				}
				d.Retry(time.Hour)
				good := make(chan string, 10)
				go func() {
					for {
						d, err := sub.Next(w.ctx)
						if err != nil {
							return
						}
						good <- story(d.Event)
						d.Done()
					}
				}()
				for range 20 {
					w.applyEach("bad")
				}
				w.applyEach("good")
				synctest.Wait()
				blocks := overflow == OverflowBlock
				if came := len(good) > 0; came == blocks {
					t.Fatalf("the other object came: %t, %+v", came, sub.Stats())
				}
				if s := sub.Stats(); (s.Blocked > 0) != blocks || (s.Coalesced > 0) == blocks ||
					s.Parked != 3 || s.Held > 2 {
					t.Errorf("%+v", s)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				last := ""
				for len(good) > 0 {
					if got := <-good; strings.Contains(got, " bad/") {
						last = got
					}
					synctest.Wait()
				}
				if !strings.HasPrefix(last, "update bad/1 121") {
					t.Errorf("it ended on %s", last)
				}
			})
		})
	}
}

// Objects that come again take no room either, however many come at once.
func TestRecalledObjectsTakeNoRoom(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{Capacity: 2, Overflow: OverflowDrop})
		for i := range 10 {
			w.applyEach(fmt.Sprint("p", i))
			d, err := sub.Next(w.ctx)
			if err != nil {
				t.Fatal(err)
			}
			d.Again(time.Minute)
		}
		time.Sleep(time.Minute)
		w.applyEach("good")
		if s := sub.Stats(); s.Recalled != 10 || s.Held != 1 || s.Dropped != 0 {
			t.Errorf("%+v", s)
		}
		if got := w.serve(sub).take(); len(got) != 11 || got[10] != "add good/1 111" {
			t.Errorf("%v", got)
		}
	})
}

// An object that is gone does not come again, though the subscription never hears of its end:
// because the buffer was full and drops, or because its conditions refuse it.
func TestARecallEndsWithItsObject(t *testing.T) {
	adds := event.OpSet(0).With(event.Add)
	for name, tt := range map[string]struct {
		cfg SubscriptionConfig
		end func(w *world)
	}{
		"dropped": {SubscriptionConfig{Capacity: 1, Overflow: OverflowDrop}, func(w *world) {
			w.server.remove("a")
		}},
		"replaced unseen": {SubscriptionConfig{Capacity: 1, Overflow: OverflowDrop},
			func(w *world) {
				w.server.remove("a")
				w.server.apply("a", "2", "")
			}},
		"refused": {SubscriptionConfig{On: adds}, func(w *world) { w.server.remove("a") }},
		"refused by label": {SubscriptionConfig{
			Conditions: []condition.Condition{{Of: condition.OfLabel, Key: "x",
				Test: condition.NotExists}}}, func(w *world) {
			w.server.raw(`{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"shop","uid":"1","resourceVersion":"200","labels":{"x":"y"}}}}`)
			w.server.raw(`{"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"shop","uid":"1","resourceVersion":"201","labels":{"x":"y"}}}}`)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				_, sub := w.hang(tt.cfg)
				w.applyEach("a")
				d, err := sub.Next(w.ctx)
				if err != nil {
					t.Fatal(err)
				}
				d.Again(time.Minute)
				w.applyEach("b") // fills a buffer of one
				tt.end(w)
				synctest.Wait()
				d, err = sub.Next(w.ctx)
				if err != nil || d.Object.Name() != "b" {
					t.Fatal(story(d.Event), err)
				}
				d.Done()
				time.Sleep(time.Hour)
				if s := sub.Stats(); s.Recalled != 0 || len(sub.recalls) != 0 || s.Held != 0 ||
					tt.cfg.Overflow == OverflowDrop && s.Dropped == 0 {
					t.Errorf("%+v, %d to come", s, len(sub.recalls))
				}
			})
		})
	}
}
