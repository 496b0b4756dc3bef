package informer

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
)

// A subscription that an informer has nothing Stored of gets nothing before a cut was kept that has
// it and all objects, so that the next process knows what it may have got.
func TestNothingIsDeliveredBeforeTheBeginningIsKept(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		sub, reg := l.subscribe(SubscriptionConfig{Name: "l"})
		l.server.apply("b", "1", "")
		expect(t, finish(sub))
		if reg.HasSynced() {
			t.Error("it has synced with nothing")
		}
		l.kept.apply(l.factory.Cut())
		l.server.apply("c", "1", "")
		expect(t, finish(sub))
		if waiting := l.factory.Kept(nil); !waiting {
			t.Error("nobody waits, and nobody's cut is kept")
		}
		expect(t, finish(sub))
		if waiting := l.factory.Kept([]string{"l"}); waiting {
			t.Error("it waits although its cut is kept")
		}
		if got := sub.More(nil, 10, 1); len(got) != 3 {
			t.Fatalf("got %v", got)
		}
		l.kill() // with the cut from before it began
		l.server.remove("a")
		l.server.remove("c")
		l.start()
		sub, _ = l.join(SubscriptionConfig{Name: "l"})
		expect(t, finish(sub), "add a/1 101 resumed", "add b/1 102 resumed", "add c/1 103",
			"delete a/1 104", "delete c/1 105")
	})
}

// A cut has nothing of who begins while there is no list.
func TestNothingBeginsWithoutAList(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		var answers atomic.Bool
		l.server.failList = func(int, metav1.ListOptions) error {
			if answers.Load() {
				return nil
			}
			return serverError()
		}
		sub, _ := l.subscribe(SubscriptionConfig{Name: "l"})
		for _, cut := range l.factory.Cut() {
			if len(cut.Unfinished) > 0 {
				t.Errorf("%+v", cut)
			}
		}
		if waiting := l.keep(); !waiting {
			t.Error("nobody waits, and there is no list")
		}
		answers.Store(true)
		time.Sleep(time.Minute)
		l.cut()
		expect(t, finish(sub), "add a/1 101*")
	})
}

// Whoever begins late begins as one that joins then: with its present conditions and period. A
// rescan comes after that, and has what the conditions refuse.
func TestASubscriptionThatIsHeldCanBeChanged(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		sub, _ := l.subscribe(SubscriptionConfig{Name: "l", On: event.OpSet(0).With(event.Delete)})
		if err := sub.Reconfigure(SubscriptionConfig{}); err != nil {
			t.Fatal(err)
		}
		expect(t, finish(sub))
		l.cut()
		synctest.Wait()
		expect(t, finish(sub), "add a/1 101*")
	})
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		sub, _ := l.subscribe(SubscriptionConfig{Name: "l", On: event.OpSet(0).With(event.Delete)})
		sub.Rescan()
		expect(t, finish(sub))
		l.cut()
		synctest.Wait()
		expect(t, finish(sub), "resync a/1 101")
	})
}

// A rescan of one that is held wakes a worker when it begins, although nothing else is to do.
func TestARescanThatWasHeldIsNotSleptThrough(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		sub, reg := l.subscribe(SubscriptionConfig{Name: "l", On: event.OpSet(0).With(event.Delete)})
		sub.Rescan()
		l.cut()
		synctest.Wait()
		expect(t, finish(sub), "resync a/1 101")
		p := reg.reg.proc // as with the cut, but with a worker that sleeps already
		p.mu.Lock()
		defer p.mu.Unlock()
		for len(sub.wake) > 0 {
			<-sub.wake
		}
		if p.rescan(reg.reg); len(sub.wake) == 0 {
			t.Error("no worker is woken")
		}
	})
}

// What a subscription was to go on with waits for another one of its name, if no worker has had
// anything of it, even if the informer has no other: until that one has joined, or is forgotten.
func TestWhoLeavesUnusedCanBeReplaced(t *testing.T) {
	for _, want := range []string{"replaced", "used", "forgotten"} {
		inLives(t, func(l *lives) {
			cfg := SubscriptionConfig{Name: "l", Resync: time.Hour}
			l.server.apply("a", "1", "")
			l.server.apply("b", "1", "")
			sub, _ := l.join(cfg)
			finish(sub)
			l.cut()
			l.kill()
			l.server.remove("a")
			l.server.apply("b", "1", "")
			l.start()
			sub, reg := l.join(cfg)
			if want == "used" && len(sub.More(nil, 1, 1)) != 1 {
				t.Fatal("there is nothing")
			}
			reg.Remove()
			sub.Discard()
			l.server.apply("c", "1", "")
			synctest.Wait()
			l.cut()
			if want == "forgotten" && len(l.factory.Forget("l")) != 1 {
				t.Error("nobody waits")
			}
			if informers := len(l.factory.informers()); (informers == 0) == (want == "replaced") {
				t.Fatalf("%s: there are %d informers", want, informers)
			}
			if l.cut(); want != "replaced" {
				return
			}
			for _, restarted := range []bool{false, true} {
				if restarted {
					l.restart()
				}
				sub, reg = l.join(cfg)
				if restarted {
					expect(t, finish(sub), "delete a/1 101? resumed", "update b/1 104 was 102 resumed",
						"add c/1 105 resumed")
					continue
				}
				reg.Remove()
				sub.Discard()
				l.cut()
			}
		})
	}
}

// A subscription that is held knows nothing, so an exchange has no difference to hand it: it is
// held by the new informers, and so is its rescan.
func TestASubscriptionThatIsHeldCanBeExchanged(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		sub, reg := l.subscribe(SubscriptionConfig{Name: "l"})
		sub.Rescan()
		_, err := exchange(l.t.Context(), l.factory, sub, []*Registration{reg},
			[]Target{{Resource: pods, Scope: Scope{Namespace: "ns"}}})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, finish(sub))
		l.cut()
		synctest.Wait()
		expect(t, finish(sub), "add a/1 101*", "resync a/1 101")
	})
}
