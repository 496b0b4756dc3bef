package route

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// expectLag checks how many deliveries to the first output had a lag, the sum of their lags within
// some seconds, and how many reports it has taken.
func (f *fed) expectLag(t *testing.T, count uint64, sum time.Duration, reports uint64) {
	t.Helper()
	synctest.Wait()
	s := f.Stats().Outputs[0]
	if got := s.Lag.Sum; s.Lag.Count() != count || got < sum || got > sum+10*time.Second ||
		s.Reports != reports {
		t.Errorf("%d deliveries with a lag, %v in all, and %d reports; want %d, %v and %d",
			s.Lag.Count(), got, s.Reports, count, sum, reports)
	}
}

// expectOldest checks for how long the oldest of what waits for the first output does.
func (f *fed) expectOldest(t *testing.T, want time.Duration) {
	t.Helper()
	synctest.Wait()
	at := f.Stats().Outputs[0].Oldest
	if got := time.Duration(event.Now() - at); at == 0 || got != want {
		t.Errorf("the oldest is %v old (%d), want %v", got, at, want)
	}
}

// A report is as late as the event that caused it, which has none if it did not arrive. One that
// time has caused is late since it came due.
func TestHowLateReportsAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 1, Buffer{Capacity: 10})
		f.Rules, f.Quiet = book(t, pending(time.Minute)), true
		f.start(t)
		f.change(t, 1, "Pending", "a", "b")
		time.Sleep(time.Minute)
		f.expectLag(t, 2, 0, 2) // both came due now

		f.hold(0, 3*time.Minute)
		if err := f.exchange(&f.Pipeline); err != nil {
			t.Fatal(err)
		}
		f.change(t, 2, "Running", "a") // as of a new list
		time.Sleep(time.Minute)
		f.expectOldest(t, time.Minute)
		f.arrived = event.Now() - event.Instant(time.Minute)
		f.change(t, 3, "Pending", "c")
		f.change(t, 4, "Running", "b")
		time.Sleep(time.Minute) // c comes due
		f.expectOldest(t, 2*time.Minute)
		time.Sleep(time.Hour)
		// b arrived three minutes before, and c came due one minute before
		f.expectLag(t, 4, 4*time.Minute, 5)
		f.finish(t)
		if at := f.Stats().Outputs[0].Oldest; at != 0 {
			t.Errorf("nothing waits, since %d", at)
		}
	})
}

// What came of an event waits for its output since the event came to the listener, and so does what
// rules report of it.
func TestTheOldestHasWaitedInTheListener(t *testing.T) {
	for name, quiet := range map[string]bool{"event": false, "report": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFed(t, 1, Buffer{Capacity: 10})
				if f.Quiet = quiet; quiet {
					f.Rules = book(t, pending(0))
				}
				f.change(t, 1, "Pending", "a")
				time.Sleep(time.Minute)
				f.hold(0, time.Hour)
				f.start(t)
				time.Sleep(time.Minute)
				f.expectOldest(t, 2*time.Minute)
				time.Sleep(time.Hour)
				if s := f.Stats().Outputs[0]; s.Lag.Count() != 0 || s.Written != 1 {
					t.Errorf("%d deliveries with a lag, of %d", s.Lag.Count(), s.Written)
				}
				f.finish(t)
			})
		})
	}
}

// A report that waited before a restart is as old as it would be without one, and has no lag.
func TestAReportIsAsOldAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := pending(0)
		d.Deny.Kind = filters.KindDeny
		rule, err := rules.Compile(d)
		if err != nil {
			t.Fatal(err)
		}
		quiet := func(f *fed) { f.Quiet = true }
		f := newKept(t, 1, func(f *fed) {
			f.Rules, f.RuleSet = rules.NewBook([]*rules.Rule{rule}, 2), []*rules.Rule{rule}
			quiet(f)
		})
		f.away(0, 24*time.Hour)
		f.begin(t)
		f.change(t, 1, "Pending", "a")
		time.Sleep(time.Minute)
		f.expectOldest(t, time.Minute)
		cut := recordtest.Of(f.Cut)
		f.stop(t)
		next := goOn(t, saved(t, cut), 1, quiet, rule)
		next.away(0, time.Hour)
		next.start(t)
		next.offerNow(t, event.Event{Op: event.Resync, Object: f.last["a"]})
		time.Sleep(time.Minute)
		next.expectOldest(t, 2*time.Minute)
		time.Sleep(2 * time.Hour)
		next.expectLag(t, 0, 0, 1)
		next.finish(t)
	})
}
