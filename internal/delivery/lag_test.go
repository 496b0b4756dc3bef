package delivery

import (
	"errors"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// arrive offers events as they are, which arrive now.
func (s *story) arrive(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		e := s.event(text)
		e.Arrived = event.Now()
		s.put(e, s.entry(e, nil))
	}
}

func (s *stage) do(does func([]sink.Message) []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.does = does
}

// oldest reports for how long the oldest event should wait, within a second.
func (s *story) oldest(want time.Duration) {
	s.t.Helper()
	at := s.Oldest()
	if want < 0 {
		if at != 0 {
			s.t.Errorf("something is %v old", time.Duration(event.Now()-at))
		}
		return
	}
	if got := time.Duration(event.Now() - at); at == 0 || got < want || got > want+time.Second {
		s.t.Errorf("the oldest is %v old, want %v", got, want)
	}
}

// The lag is from the arrival of an event to its delivery, retries included. What never arrived and
// what the output refuses has none.
func TestLag(t *testing.T) {
	tell(t, Config{Capacity: 10}, sink.Pace{}, func(s *story) {
		s.oldest(-1)
		s.out.do(all(errDown))
		s.offer("x1")
		s.wait(time.Minute)
		s.oldest(time.Minute)
		s.arrive("a1")
		s.wait(time.Minute)
		s.arrive("b1")
		s.wait(time.Minute)
		s.oldest(3 * time.Minute)
		if lag := s.Lag(); lag.Count() != 0 {
			t.Errorf("%d were delivered", lag.Count())
		}
		if stats := s.Stats(); stats.Failed < 2 || stats.Refused != 0 || stats.Written != 0 {
			t.Errorf("%+v", stats)
		}
		s.out.do(one("b1", sink.Permanent(errors.New("no"))))
		for s.Stats().Waiting > 0 {
			s.wait(time.Second)
		}
		s.oldest(-1)
		lag := s.Lag()
		if lag.Count() != 1 || lag.Sum < 2*time.Minute || lag.Sum > 5*time.Minute {
			t.Errorf("%d were delivered, after %v", lag.Count(), lag.Sum)
		}
		if stats := s.Stats(); stats.Refused != 1 || stats.Written != 2 {
			t.Errorf("%+v", stats)
		}
	})
}

// What waits is as old as the event that arrived, or that was offered, or as it says. What rules
// report counts as well.
func TestOldest(t *testing.T) {
	report := func(s *story, e event.Event) *Pending {
		return &Pending{By: s.by, Extra: &Extra{Reports: []Report{s.report(e, owedReport())}}}
	}
	ago := func(d time.Duration) event.Instant { return event.Now() - event.Instant(d) }
	for name, c := range map[string]struct {
		offering func(*story) informer.Entry
		want     time.Duration
	}{
		"arrived": {func(s *story) informer.Entry {
			e := s.event("a1")
			e.Arrived = ago(time.Hour)
			return s.entry(e, nil).Of(e)
		}, time.Hour},
		"of a list": {func(s *story) informer.Entry {
			e := s.event("a1")
			return s.entry(e, nil).Of(e)
		}, 0},
		"of a list, and has waited before": {func(s *story) informer.Entry {
			e := s.event("a1")
			o := s.entry(e, nil).Of(e)
			o.Since = ago(time.Hour)
			return o
		}, time.Hour},
		"a report": {func(s *story) informer.Entry {
			e := s.event("a1")
			return report(s, e).Of(e)
		}, 0},
		"a replay": {func(s *story) informer.Entry {
			e := s.event("a1")
			entry := s.entry(e, nil)
			entry.own().Replay = &Replay{Superseded: func() bool { return false },
				Ended: func(Result, error) {}}
			entry.own().Replay.Begin()
			return entry.Of(e)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tell(t, Config{Capacity: 10}, sink.Pace{}, func(s *story) {
				s.out.do(all(errDown))
				if err := s.OfferWait(t.Context(), c.offering(s)); err != nil {
					t.Fatal(err)
				}
				s.wait(time.Minute)
				s.oldest(c.want + time.Minute)
				s.out.do(taking)
				s.wait(time.Hour)
				s.oldest(-1)
			})
		})
	}
}

// What was unsent before a restart is as old as it would be without one.
func TestOldestAfterARestart(t *testing.T) {
	tell(t, keep, sink.Pace{}, func(s *story) {
		s.out.do(all(errDown))
		s.offer("a1")
		s.wait(time.Minute)
		s.arrive("b1")
		s.wait(time.Minute)
		next := s.restart(keep, sink.Pace{})
		next.oldest(2 * time.Minute)
		next.out.do(all(errDown))
		next.run()
		next.arrive("c1")
		next.wait(time.Minute)
		next.oldest(3 * time.Minute)
		next.out.do(taking)
		next.wait(time.Hour)
		next.oldest(-1)
		if lag := next.Lag(); lag.Count() != 1 { // that of c1
			t.Errorf("%d were delivered with a lag, want 1", lag.Count())
		}
		next.finish()
	})
}

// What rules report after a restart may be what waited before it, and is as old as that. The next
// report is not.
func TestReportsAreAsOldAfterARestart(t *testing.T) {
	tell(t, keep, sink.Pace{}, func(s *story) {
		report := func(s *story, text string) {
			e := s.event(text)
			e.Arrived = event.Now()
			s.put(e, &Pending{By: s.by, Extra: &Extra{Reports: []Report{s.report(e, owedReport())}}})
		}
		s.out.do(all(errDown))
		report(s, "a1")
		s.wait(time.Minute)
		next := s.restart(keep, sink.Pace{})
		next.out.do(all(errDown))
		next.run()
		next.wait(time.Second)
		next.oldest(-1) // its Maker owes nothing
		report(next, "a2")
		next.oldest(time.Minute + time.Second)
		next.out.do(taking)
		next.wait(time.Hour)
		report(next, "a3")
		next.wait(0)
		lag, stats := next.Lag(), next.Stats()
		if lag.Count() != 1 || lag.Sum > time.Second || stats.Reports != 2 {
			t.Errorf("%d with a lag of %v: %+v", lag.Count(), lag.Sum, stats)
		}
		next.finish()
	})
}

// A report has the lag of its event, and is counted apart from events. One that is refused, or
// released, is not.
func TestLagOfReports(t *testing.T) {
	tell(t, many, sink.Pace{}, func(s *story) {
		s.out.do(all(errDown))
		put := func(text string, arrived event.Instant, settler Settler) {
			e := s.event(text)
			e.Arrived = arrived
			s.put(e, &Pending{By: s.by, Extra: &Extra{Reports: []Report{s.report(e, settler)}}})
		}
		put("a1", event.Now(), owedReport())
		put("b1", 0, owedReport())
		put("c1", event.Now(), owedReport())
		put("d1", event.Now(), &noted{}) // not owed any more
		s.wait(time.Minute)
		s.out.do(one("c1!", sink.Permanent(errors.New("no"))))
		s.wait(time.Hour)
		lag, stats := s.Lag(), s.Stats()
		if lag.Count() != 1 || lag.Sum < time.Minute || lag.Sum > 3*time.Minute ||
			stats.Reports != 2 || stats.Delivered != 0 || stats.Letters != 1 {
			t.Errorf("%d with a lag of %v: %+v", lag.Count(), lag.Sum, stats)
		}
	})
}

// A report that is merged away is as late as its own event once it is sent again. The same holds
// for an event before which a report is sent.
func TestLagOfMergedReports(t *testing.T) {
	for _, c := range []struct{ earlier, later, want event.Instant }{
		{10, 20, 10}, {0, 20, 20}, {10, 0, 10}, {0, 0, 0},
	} {
		for _, wanted := range []bool{false, true} {
			tell(t, many, sink.Pace{}, func(s *story) {
				from, into := s.event("a1"), s.event("a2")
				from.Arrived, into.Arrived = c.earlier, c.later
				earlier := &Pending{By: s.by, Wanted: wanted, outbox: s.Outbox}
				earlier.Of(from)
				later := &Pending{By: s.by, Wanted: !wanted}
				later.Of(into)
				earlier.mergeInto(later)
				if got := later.event.Arrived; got != c.want || !later.Wanted {
					t.Errorf("%d and %d arrived at %d, want %d", c.earlier, c.later, got, c.want)
				}
			})
		}
	}
}

// What is merged into a later event counts from its own arrival on.
func TestLagOfMergedEvents(t *testing.T) {
	tell(t, Config{}, sink.Pace{}, func(s *story) {
		for _, c := range []struct{ earlier, later, want event.Instant }{
			{10, 20, 10}, {0, 20, 20}, {10, 0, 10}, {0, 0, 0},
		} {
			earlier, later := s.event("a1"), s.event("a2")
			earlier.Arrived, later.Arrived = c.earlier, c.later
			if got := merged(earlier, later).Arrived; got != c.want {
				t.Errorf("%d and %d arrived at %d, want %d", c.earlier, c.later, got, c.want)
			}
		}
	})
}
