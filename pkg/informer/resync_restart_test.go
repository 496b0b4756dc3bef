package informer

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A restart does not put off a resync, and one that is overdue comes at once.
func TestResyncTimersGoOn(t *testing.T) {
	inLives(t, func(l *lives) {
		cfg := SubscriptionConfig{Name: "l", Resync: time.Hour}
		l.server.apply("a", "1", "")
		join := func() *Subscription {
			sub, _ := l.join(cfg)
			return sub
		}
		finish(join())
		for _, step := range []struct {
			before, away, after time.Duration
			want                []string
		}{
			{50 * time.Minute, time.Minute, 8 * time.Minute, nil},
			{0, 0, 2 * time.Minute, []string{"resync a/1 101"}},
			{0, 3 * time.Hour, 0, []string{"resync a/1 101"}},
			{0, 0, 59 * time.Minute, nil},
			{0, 0, 2 * time.Minute, []string{"resync a/1 101"}},
		} {
			time.Sleep(step.before)
			l.cut()
			l.kill()
			time.Sleep(step.away)
			l.start()
			sub := join()
			time.Sleep(step.after)
			expect(t, finish(sub), step.want...)
		}
	})
}

// A resync that has not come to its end begins again.
func TestAResyncThatIsCutOffBeginsAgain(t *testing.T) {
	for _, killed := range []bool{false, true} {
		inLives(t, func(l *lives) {
			cfg := SubscriptionConfig{Name: "l", Resync: time.Hour}
			l.server.apply("a", "1", "")
			l.server.apply("b", "1", "")
			sub, _ := l.join(cfg)
			finish(sub)
			time.Sleep(time.Hour + time.Second)
			synctest.Wait()
			if got := sub.More(nil, 1, 1); len(got) != 1 {
				t.Fatalf("got %v", got)
			}
			if l.cut(); killed {
				l.kill()
			} else {
				l.stop()
			}
			l.start()
			sub, _ = l.join(cfg)
			got := finish(sub)
			slices.Sort(got)
			expect(t, got, "resync a/1 101", "resync b/1 102")
		})
	}
}

// A period that is shorter by now counts, and so does a clock that was set back.
func TestAResyncIsNeverLaterThanItsPeriod(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.apply("a", "1", "")
		sub, _ := l.join(SubscriptionConfig{Name: "l", Resync: time.Hour})
		finish(sub)
		l.cut()
		for _, kept := range l.kept {
			kept.due["l"] = kept.due["l"].Add(24 * time.Hour)
		}
		l.restart()
		sub, _ = l.join(SubscriptionConfig{Name: "l", Resync: time.Minute})
		time.Sleep(time.Minute + time.Second)
		expect(t, finish(sub), "resync a/1 101")
	})
}
