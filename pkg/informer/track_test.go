package informer

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// What happened while the process was away comes in order, from a watch, and nothing else does.
func TestARestartReportsWhatHappenedMeanwhile(t *testing.T) {
	inLives(t, func(l *lives) {
		for _, name := range []string{"changed", "deleted", "replaced", "same"} {
			l.server.apply(name, "1", "")
		}
		sub, _ := l.join(SubscriptionConfig{Name: "l"})
		if got := finish(sub); len(got) != 4 {
			t.Fatalf("got %q", got)
		}
		l.cut()
		l.kill()
		l.server.apply("changed", "1", "")
		l.server.remove("deleted")
		l.server.remove("replaced")
		l.server.apply("replaced", "2", "")
		l.server.apply("new", "1", "")
		l.start()
		sub, reg := l.join(SubscriptionConfig{Name: "l"})
		expect(t, finish(sub), "update changed/1 105 was 101", "delete deleted/1 106",
			"delete replaced/1 107", "add replaced/2 108", "add new/1 109")
		if lists := len(l.server.listed()); lists != 1 || !reg.HasSynced() {
			t.Errorf("%d lists, synced %t", lists, reg.HasSynced())
		}
		l.cut()
		l.restart()
		sub, _ = l.join(SubscriptionConfig{Name: "l"})
		expect(t, finish(sub))
	})
}

// What was not finished when the process ended comes again, as the difference to what is stored.
func TestWhatWasNotFinishedComesAgain(t *testing.T) {
	inLives(t, func(l *lives) {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			l.server.apply(name, "1", "")
		}
		sub, _ := l.join(SubscriptionConfig{Name: "l"})
		finish(sub)
		l.server.apply("a", "1", "")
		l.server.apply("a", "1", "") // of which one is finished
		l.server.remove("b")
		l.server.remove("c")
		l.server.apply("c", "2", "")
		l.server.apply("f", "1", "")
		l.server.apply("g", "1", "") // which somebody might have learned of after the cut
		l.server.remove("g")
		l.server.apply("d", "1", "")
		synctest.Wait()
		got := sub.More(nil, 2, 1)
		got[0].Done()
		got[1].Retry(time.Hour)
		l.cut()
		l.restart()
		sub, _ = l.join(SubscriptionConfig{Name: "l"})
		expect(t, finish(sub), "update a/1 107 was 106 resumed", "delete b/1 102? resumed",
			"delete c/1 103? resumed", "add c/2 110 resumed", "update d/1 114 was 104 resumed",
			"add f/1 111 resumed", "delete g/1 113? resumed")
		l.cut()
		l.restart()
		sub, _ = l.join(SubscriptionConfig{Name: "l"})
		expect(t, finish(sub))
	})
}

// Of what may have been delivered and is gone after the restart, the delete comes, whether it was
// finished or not; and of nothing else unless the process was killed.
func TestWhatMayHaveBeenDeliveredIsDeleted(t *testing.T) {
	for name, tt := range map[string]struct {
		deliver int
		stop    bool
		want    []string
	}{
		"killed": {0, false, []string{"delete a/1 105? resumed", "delete b/1 103? resumed",
			"delete b/2 106? resumed"}},
		"stopped":        {0, true, nil},
		"stopped at one": {1, true, []string{"delete a/1 105? resumed"}},
		// The second object of a name waits until the first one is finished.
		"stopped at all": {9, true, []string{"delete a/1 105? resumed",
			"delete b/1 103? resumed"}},
	} {
		t.Run(name, func(t *testing.T) {
			inLives(t, func(l *lives) {
				sub, _ := l.join(SubscriptionConfig{Name: "l"})
				l.server.apply("a", "1", "")
				l.server.apply("b", "1", "")
				l.server.remove("b")
				l.server.apply("b", "2", "")
				synctest.Wait()
				l.cut()
				sub.More(nil, tt.deliver, 1)
				if tt.stop {
					l.stop()
				} else {
					l.kill()
				}
				l.server.remove("a")
				l.server.remove("b")
				l.start()
				for range 2 { // until they are finished
					l.join(SubscriptionConfig{Name: "l"})
					l.cut()
					l.stop()
					l.start()
				}
				sub, _ = l.join(SubscriptionConfig{Name: "l"})
				expect(t, finish(sub), tt.want...)
				l.cut()
				l.restart()
				sub, _ = l.join(SubscriptionConfig{Name: "l"})
				expect(t, finish(sub))
			})
		})
	}
}

// What a process that was killed may have delivered after its last cut is not forgotten by one that
// ends before it has caught up.
func TestAKillIsNotForgotten(t *testing.T) {
	inLives(t, func(l *lives) {
		sub, _ := l.join(SubscriptionConfig{Name: "l"})
		l.cut()
		l.server.apply("a", "1", "")
		synctest.Wait()
		if got := sub.More(nil, 1, 1); len(got) != 1 {
			t.Fatalf("got %v", got)
		}
		l.kill()
		l.server.remove("a")
		l.server.failWatch = func(int, metav1.ListOptions) error { return serverError() }
		l.start()
		l.join(SubscriptionConfig{Name: "l"})
		l.stop()
		l.server.failWatch = nil
		l.start()
		other, _ := l.join(SubscriptionConfig{Name: "other"})
		expect(t, finish(other))
		sub, _ = l.join(SubscriptionConfig{Name: "l"})
		expect(t, finish(sub), "delete a/1 102? resumed")
	})
}

// What a process delivers before its first cut is owed, too, if that is all that it did.
func TestWhatComesBeforeTheFirstCutMayBeKnown(t *testing.T) {
	inLives(t, func(l *lives) {
		l.join(SubscriptionConfig{Name: "l"})
		l.server.apply("a", "1", "")
		l.stop()
		l.start()
		sub, _ := l.join(SubscriptionConfig{Name: "l"})
		if got := sub.More(nil, 1, 1); len(got) != 1 {
			t.Fatalf("got %v", got)
		}
		l.kill()
		l.server.remove("a")
		l.start()
		l.join(SubscriptionConfig{Name: "other"})
		sub, _ = l.join(SubscriptionConfig{Name: "l"})
		expect(t, finish(sub), "delete a/1 102? resumed")
	})
}

// What a worker finishes after the last cut comes again, with the same state as before.
func TestWhatWasFinishedAfterTheCutComesTwice(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		sub, _ := l.join(SubscriptionConfig{Name: "l"})
		finish(sub)
		l.server.apply("a", "1", "")
		synctest.Wait()
		l.cut()
		expect(t, finish(sub), "update a/1 102 was 101")
		l.restart()
		sub, _ = l.join(SubscriptionConfig{Name: "l"})
		expect(t, finish(sub), "update a/1 102 was 101 resumed")
	})
}

// A version that the server does not have any more costs one list, which is compared.
func TestAnExpiredCheckpointIsCompared(t *testing.T) {
	inLives(t, func(l *lives) {
		for _, name := range []string{"changed", "deleted", "replaced", "same", "late"} {
			l.server.apply(name, "1", "")
		}
		sub, _ := l.join(SubscriptionConfig{Name: "l"})
		finish(sub)
		l.server.apply("late", "1", "")
		synctest.Wait()
		l.cut()
		l.kill()
		l.server.apply("changed", "1", "")
		l.server.remove("deleted")
		l.server.remove("replaced")
		l.server.apply("replaced", "2", "")
		l.server.disconnect(true)
		l.start()
		sub, reg := l.join(SubscriptionConfig{Name: "l"})
		expect(t, finish(sub), "update late/1 106 was 105 resumed")
		if reg.shared.informer.queue.HasSynced() {
			t.Error("it has synced before the list")
		}
		time.Sleep(3 * backoffMin)
		expect(t, finish(sub), "update changed/1 107 was 101 resumed",
			"delete replaced/1 103? resumed", "add replaced/2 110 resumed",
			"delete deleted/1 102? resumed")
		lists := l.server.listed()
		if len(lists) != 2 || lists[1].ResourceVersion != "106" || !reg.HasSynced() {
			t.Errorf("lists: %+v, synced %t", lists, reg.HasSynced())
		}
	})
}

// A subscription that the checkpoint does not know begins as any does.
func TestANewSubscriptionBeginsWithInitialAdds(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		sub, _ := l.join(SubscriptionConfig{Name: "old"})
		finish(sub)
		l.cut()
		l.restart()
		sub, _ = l.join(SubscriptionConfig{Name: "new"})
		expect(t, finish(sub), "add a/1 101*")
		old, _ := l.join(SubscriptionConfig{Name: "old"})
		expect(t, finish(old))
	})
}

// What happens before a subscription of the checkpoint joins is reported when it does, and the cuts
// until then keep it.
func TestASubscriptionMayJoinLate(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		l.server.apply("b", "1", "")
		for _, name := range []string{"early", "late"} {
			sub, _ := l.join(SubscriptionConfig{Name: name})
			finish(sub)
		}
		l.cut()
		for range 2 {
			l.restart()
			l.join(SubscriptionConfig{Name: "early"})
			l.server.apply("a", "1", "")
			l.server.apply("a", "1", "")
			if l.server.objects["b"] != "" {
				l.server.remove("b")
			}
			synctest.Wait()
			l.cut()
		}
		sub, _ := l.join(SubscriptionConfig{Name: "late"})
		expect(t, finish(sub), "update a/1 107 was 101 resumed", "delete b/1 102? resumed")
	})
}

// A subscription that will not come back is forgotten, as is one that has had something and leaves.
func TestWhoIsForgottenBeginsAgain(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		for _, name := range []string{"stays", "leaves", "forgotten"} {
			sub, _ := l.join(SubscriptionConfig{Name: name})
			finish(sub)
		}
		l.cut()
		l.restart()
		l.join(SubscriptionConfig{Name: "stays"})
		sub, reg := l.join(SubscriptionConfig{Name: "leaves"})
		l.server.apply("a", "1", "")
		finish(sub)
		reg.Remove()
		l.factory.Forget("forgotten")
		l.cut()
		for name, want := range map[string]bool{"stays": true, "leaves": false,
			"forgotten": false} {
			if l.kept.has(name) != want {
				t.Errorf("%s: kept %t", name, !want)
			}
		}
		l.restart()
		sub, _ = l.join(SubscriptionConfig{Name: "forgotten"})
		expect(t, finish(sub), "add a/1 102*")
	})
}

// What comes after Stop is not finished, nor is what is discarded.
func TestWhatComesAfterAStopIsNotLost(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		sub, _ := l.join(SubscriptionConfig{Name: "l"})
		finish(sub)
		l.server.apply("a", "1", "")
		synctest.Wait()
		sub.Discard()
		l.server.apply("b", "1", "")
		synctest.Wait()
		l.cut()
		l.restart()
		sub, _ = l.join(SubscriptionConfig{Name: "l"})
		expect(t, finish(sub), "update a/1 102 was 101 resumed", "add b/1 103 resumed")
	})
}

// What OverflowDrop has given up is not reported later.
func TestWhatWasDroppedStaysDropped(t *testing.T) {
	inLives(t, func(l *lives) {
		l.join(SubscriptionConfig{Name: "l", Overflow: OverflowDrop, Capacity: 1})
		l.server.apply("a", "1", "")
		l.server.apply("b", "1", "")
		l.server.apply("a", "1", "")
		synctest.Wait()
		l.cut()
		l.restart()
		sub, _ := l.join(SubscriptionConfig{Name: "l", Overflow: OverflowDrop, Capacity: 1})
		expect(t, finish(sub), "add a/1 103 resumed")
	})
}

// The conditions judge what is resumed as anything else, and what they refuse is not listed.
func TestWhatIsResumedIsJudged(t *testing.T) {
	inLives(t, func(l *lives) {
		cfg := SubscriptionConfig{Name: "l", Transitions: true,
			Conditions: []condition.Condition{ofLabel("app", condition.In, "x")}}
		label := func(name, app string) {
			l.server.mu.Lock()
			defer l.server.mu.Unlock()
			l.server.version++
			text := strings.Replace(podText(name, "1", l.server.version, ""), `"name":`,
				`"labels":{"app":"`+app+`"},"name":`, 1)
			typ := "MODIFIED"
			if l.server.objects[name] == "" {
				l.server.order = append(l.server.order, name)
				typ = "ADDED"
			}
			l.server.objects[name] = text
			l.server.publish(typ, text, nil)
		}
		label("a", "x")
		label("b", "y")
		sub, _ := l.join(cfg)
		expect(t, finish(sub), "add a/1 101*")
		label("a", "x")
		label("a", "y")
		label("b", "z")
		synctest.Wait()
		l.cut()
		l.restart()
		sub, reg := l.join(cfg)
		expect(t, finish(sub), "update a/1 104 was 101 resumed")
		if n := reg.reg.unfinished.Len(); n != 0 {
			t.Errorf("%d are listed", n)
		}
	})
}

// An exchange moves what a subscription has to learn to the new informer.
func TestAnExchangeMovesWhatIsListed(t *testing.T) {
	inLives(t, func(l *lives) {
		for _, name := range []string{"a", "b", "c"} {
			l.server.apply(name, "1", "")
		}
		sub, reg := l.join(SubscriptionConfig{Name: "l"})
		finish(sub)
		l.server.apply("a", "1", "")
		l.server.remove("b")
		synctest.Wait()
		got := sub.More(nil, 1, 1)
		l.cut()
		inShop := Target{pods, Scope{Namespace: "shop"}, Shape{}}
		if _, err := exchange(l.t.Context(), l.factory, sub, []*Registration{reg},
			[]Target{inShop}); err != nil {
			t.Fatal(err)
		}
		l.cut()
		for id, kept := range l.kept {
			if id.Scope.Namespace == "shop" && len(kept.told["l"]) != 2 {
				t.Errorf("listed are %v", kept.told)
			}
		}
		got[0].Done()
		l.cut()
		l.restart()
		sub, err := NewSubscription(SubscriptionConfig{Name: "l", Track: true})
		if err != nil {
			t.Fatal(err)
		}
		l.subs = append(l.subs, sub)
		if _, err := l.factory.Subscribe(pods, inShop.Scope, Shape{}, sub); err != nil {
			t.Fatal(err)
		}
		expect(t, finish(sub), "delete b/1 102? resumed")
	})
}

// Without Track nothing is noted.
func TestNoCutWithoutTrack(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		w.subscribe(SubscriptionConfig{Name: "l"})
		if cuts, whole := w.factory.CutAndWhole(); len(cuts) != 0 || len(whole) != 0 {
			t.Errorf("%+v", cuts)
		}
	})
}

// A cut has what has changed since the one before, and nothing else; Whole has everything.
func TestACutIsADifference(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		l.server.apply("b", "1", "")
		sub, _ := l.subscribe(SubscriptionConfig{Name: "l"})
		count := func(cuts []InformerCut) (objects, gone, told int) {
			if len(cuts) != 1 {
				t.Fatalf("%d cuts", len(cuts))
			}
			for range cuts[0].Objects {
				objects++
			}
			for _, c := range cuts[0].Unfinished {
				told += len(c.Entries)
			}
			return objects, len(cuts[0].Gone), told
		}
		check := func(cuts []InformerCut, wantObjects, wantGone, wantTold int) {
			t.Helper()
			if objects, gone, told := count(cuts); objects != wantObjects || gone != wantGone ||
				told != wantTold {
				t.Errorf("%d objects, %d gone, %d told", objects, gone, told)
			}
		}
		check(l.factory.Cut(), 2, 0, 0)
		l.keep()
		check(l.factory.Cut(), 0, 0, 2)
		check(l.factory.Cut(), 0, 0, 0)
		finish(sub)
		check(l.factory.Cut(), 0, 0, 2)
		l.server.apply("a", "1", "")
		l.server.remove("b")
		finish(sub)
		check(l.factory.Cut(), 1, 1, 0)
		_, whole := l.factory.CutAndWhole()
		check(whole, 1, 0, 0)
		check(l.factory.Cut(), 0, 0, 0)
	})
}

func TestTrackNeedsAName(t *testing.T) {
	if _, err := NewSubscription(SubscriptionConfig{Track: true}); err == nil ||
		!strings.Contains(err.Error(), "must have a name") {
		t.Errorf("%v", err)
	}
}

// An update that is refused on its way changes nothing: the state before it counts as known.
func TestWhatIsRefusedCountsAsKnown(t *testing.T) {
	inLives(t, func(l *lives) {
		cfg := SubscriptionConfig{Name: "l", On: event.OpSet(0).With(event.Add).With(event.Delete)}
		l.server.apply("a", "1", "")
		sub, _ := l.join(cfg)
		finish(sub)
		l.server.apply("a", "1", "")
		l.server.remove("a")
		synctest.Wait()
		l.cut()
		l.restart()
		sub, _ = l.join(cfg)
		expect(t, finish(sub), "delete a/1 102? resumed")
	})
}

// While something is queued, a cut has the last version at which nothing was. After a restart the
// watch brings the rest, and nothing twice.
func TestObjectsAheadOfTheirVersionComeOnce(t *testing.T) {
	inLives(t, func(l *lives) {
		cfg := SubscriptionConfig{Name: "l", Overflow: OverflowBlock, Capacity: 1}
		l.server.apply("z", "1", "")
		sub, _ := l.join(cfg)
		l.cut()
		for _, name := range []string{"a", "b", "b"} {
			l.server.apply(name, "1", "")
			synctest.Wait()
		}
		l.server.remove("a")
		for _, name := range []string{"c", "d", "e"} {
			l.server.apply(name, "1", "")
			synctest.Wait()
		}
		var told []string
		for range 5 {
			for _, d := range sub.More(nil, 1, 1) {
				told = append(told, story(d.Event))
				d.Done()
			}
			synctest.Wait()
		}
		expect(t, told, "add z/1 101*", "add a/1 102", "add b/1 103", "update b/1 104 was 103",
			"delete a/1 105")
		l.cut()
		for _, kept := range l.kept {
			if kept.version != "101" {
				t.Errorf("version %s", kept.version)
			}
		}
		l.restart()
		sub, _ = l.join(cfg)
		got := finish(sub)
		for i, text := range got { // e may come before the subscription joins, or after that
			if strings.HasPrefix(text, "add e/1") {
				got[i] = strings.TrimSuffix(text, " resumed")
			}
		}
		expect(t, got, "add c/1 106 resumed", "add d/1 107 resumed", "add e/1 108")
	})
}
