package delivery

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

func TestAnEntryEndsInOneOfFourWays(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 4}, func(s *story) {
		s.offer("a1")
		s.wantEnds(1, 1, 0, 0, 0)
		s.out.set(all(sink.Permanent(errDown)))
		s.offer("a2")
		s.wantEnds(2, 1, 1, 0, 0)
		s.out.set(all(errDown))
		s.offer("a3")
		s.wantEnds(3, 1, 1, 0, 0) // it waits
	})
	for _, c := range []struct {
		overflow        informer.Overflow
		dropped, merged uint64
	}{{informer.OverflowDrop, 2, 0}, {informer.OverflowLatest, 0, 1}} {
		tell(t, Config{Capacity: 2, Overflow: c.overflow}, sink.Pace{Batch: 4}, func(s *story) {
			s.cancel() // nothing is sent
			<-s.ended
			s.offer("a1 a2 a3 a4")
			s.wantEnds(4, 0, 0, c.dropped, c.merged)
			s.run()
			s.wantEnds(4, 4-c.dropped-c.merged, 0, c.dropped, c.merged)
		})
	}
}

// An output that refuses everything is in trouble until it takes something.
func TestAnOutputThatRefusesIsInTrouble(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 4}, func(s *story) {
		s.offer("a1")
		s.wantEnds(1, 1, 0, 0, 0)
		s.out.set(all(sink.Permanent(errDown)))
		s.offer("a2 b1 c1")
		s.wantEnds(4, 1, 3, 0, 0)
		time.Sleep(time.Hour)
		if err := s.Output().Trouble(); !errors.Is(err, errDown) ||
			!strings.HasPrefix(err.Error(), "3 dead letters since ") {
			t.Error(err)
		}
		s.out.set(all(nil))
		s.offer("a3")
		s.wantEnds(5, 2, 3, 0, 0)
		time.Sleep(backoff.FailuresEnd)
		if err := s.Output().Trouble(); err != nil {
			t.Error(err)
		}
	})
}

// What is about something that is going ends without a dead letter, and is counted.
func TestWhatNothingNeedsEnds(t *testing.T) {
	tell(t, Config{Capacity: 8}, sink.Pace{}, func(s *story) {
		settler := owedReport()
		e := s.event("c1")
		s.out.set(func(messages []sink.Message) []error {
			errs := one("b1", sink.Moot(errDown))(messages)
			for i := range messages {
				if messages[i].Object.Name() == "c" {
					errs[i] = sink.Moot(errDown)
				}
			}
			return errs
		})
		s.offer("a1 b1 d1")
		s.put(e, &Pending{By: s.by, Extra: &Extra{Reports: []Report{s.report(e, settler)}}})
		s.wait(time.Minute)
		if got := s.Stats(); got.Moot != 2 || got.Refused != 0 || got.Letters != 0 || got.Queued != 0 ||
			len(s.letters.letters) > 0 {
			t.Errorf("%+v, letters %v", got, s.letters.letters)
		}
	})
}

func TestOfferedIsTheSumOfTheEndsAtAnyTime(t *testing.T) {
	s := newStory(t, Config{Capacity: 8, Overflow: informer.OverflowLatest},
		sink.Pace{Batch: 3, Writes: 2})
	s.out.set(one("a7", sink.Permanent(errDown)))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()
	for i, text := range strings.Fields(strings.Repeat("a7 b1 c1 d1 e1 f1 ", 200)) {
		e := s.event(text)
		s.put(e, s.entry(e, nil))
		got := s.Stats()
		if got.Offered != uint64(i+1) || got.Waiting > uint64(i+1) ||
			got.Offered != got.Delivered+got.DeadLettered+got.Dropped+got.Merged+got.Waiting {
			t.Fatalf("after %d: %+v", i+1, got)
		}
	}
	s.Stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	cancel()
	got := s.Stats()
	if got.Waiting != 0 || got.Queued != 0 || got.Made != 0 || int(got.Letters) !=
		len(s.letters.letters) || int(got.Delivered) != len(strings.Fields(s.out.taken())) {
		t.Errorf("in the end: %+v", got)
	}
}

func TestADeadLetterIsStoredBeforeItsEntryEnds(t *testing.T) {
	tell(t, many, sink.Pace{}, func(s *story) {
		s.letters.set(true, false)
		s.out.set(all(sink.Permanent(errDown)))
		s.offer("a1 a2")
		s.wait(time.Hour)
		s.wantEnds(2, 0, 0, 0, 0)
		if n := len(s.out.writes()); n < 2 {
			t.Errorf("%d writes", n)
		}
		s.letters.set(false, false)
		s.wait(2 * time.Minute)
		s.wantLetters("a1 refused, a2 refused")
		s.wantEnds(2, 0, 2, 0, 0)
	})
}

func TestNothingIsDroppedOrMergedWithoutNeed(t *testing.T) {
	for _, overflow := range []informer.Overflow{informer.OverflowDrop, informer.OverflowLatest,
		informer.OverflowBlock} {
		tell(t, Config{Capacity: 4, Overflow: overflow}, sink.Pace{}, func(s *story) {
			s.out.set(all(errDown))
			s.offer("a1 a2 b1 b2")
			s.wait(time.Minute)
			s.wantEnds(4, 0, 0, 0, 0)
			s.out.set(taking)
			s.wait(5 * time.Minute)
			s.wantEnds(4, 4, 0, 0, 0)
		})
	}
	tell(t, Config{Capacity: 2, Overflow: informer.OverflowBlock}, sink.Pace{}, func(s *story) {
		s.cancel()
		<-s.ended
		s.offer("a1 a2")
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
		defer cancel()
		e := s.event("a3")
		if err := s.Offer(ctx, e, s.entry(e, nil)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Offer of a full outbox: %v", err)
		}
		s.wantEnds(2, 0, 0, 0, 0)
		s.run()
		s.wantTaken("a1 a2")
	})
}

func TestMessagesOfAnObjectFollowEachOtherRetriesIncluded(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 8, Writes: 4}, func(s *story) {
		n := 0
		s.out.set(func(messages []sink.Message) []error {
			time.Sleep(time.Duration(n%3) * time.Second)
			if n++; n%3 != 0 {
				return sink.AllFailed(len(messages), sink.Alone(errDown))
			}
			return nil
		})
		s.offer("a1 a2 a3 a4 a5 a6")
		s.wait(time.Hour)
		s.wantTaken("a1 a2 a3 a4 a5 a6")
	})
}

func TestAnObjectThatFailsHoldsUpItselfAlone(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 2}, func(s *story) {
		s.out.set(one("a1", errDown))
		s.offer("a1 b1 c1 a2 b2")
		s.wait(0)
		s.wantTaken("b1 c1 b2")
		s.out.set(taking)
		s.wait(time.Minute)
		s.wantTaken("b1 c1 b2 a1 a2")
	})
}

func TestAMessageThatWasMadeComesBeforeAnythingNewer(t *testing.T) {
	tell(t, Config{Capacity: 1, Overflow: informer.OverflowLatest}, sink.Pace{}, func(s *story) {
		s.out.set(all(errDown))
		e := s.event("a1")
		s.put(e, s.entry(e, []string{"1", "2"}))
		s.wait(0) // it was tried: nothing merges it
		s.offer("a2 a3 a4 a5")
		s.wait(time.Hour)
		s.out.set(taking)
		s.wait(2 * time.Minute)
		s.wantTaken("a1:1 a1:2 a2 a5(2)")
		s.wantEnds(5, 3, 0, 0, 2)
	})
}

func TestReportsComeFirstThenWhatWasMadeInItsOrder(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 8}, func(s *story) {
		e := s.event("a1")
		s.put(e, s.entry(e, []string{"x", "y", "z"}, owedReport(), owedReport()))
		s.wantTaken("a1! a1! a1:x a1:y a1:z")
	})
}

func TestWhatFailedIsTriedAgainWithoutEnd(t *testing.T) {
	tell(t, many, sink.Pace{}, func(s *story) {
		s.out.set(all(errDown))
		s.offer("a1")
		s.wait(30 * 24 * time.Hour)
		s.wantEnds(1, 0, 0, 0, 0)
		s.out.set(taking)
		s.wait(3 * time.Minute)
		s.wantTaken("a1")
	})
}

func TestWhatFailedIsGivenUpWhenItsTurnComesAfterItsTime(t *testing.T) {
	cfg := many
	cfg.Policy = Policy{time.Second, time.Hour, 10 * time.Minute}
	for _, c := range []struct {
		fails error
		late  time.Duration
	}{{sink.Alone(errDown), 0}, {errDown, 3 * time.Minute}} {
		tell(t, cfg, sink.Pace{Batch: 100}, func(s *story) {
			s.out.set(all(c.fails))
			s.offer("a1")
			s.wait(5 * time.Minute)
			s.offer("b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1 m1 n1 o1 p1 q1 r1 s1 t1 u1 v1 w1")
			s.wait(5*time.Minute - time.Second)
			s.wantEnds(23, 0, 0, 0, 0)
			s.wait(6*time.Minute + c.late)
			s.wantEnds(23, 0, 23, 0, 0)
			for _, l := range s.letters.letters {
				if late := l.Last.Sub(l.First) - 10*time.Minute; late < 0 || late > c.late ||
					l.Reason != "expired" {
					t.Errorf("%s: %s, %v after its time", l.Name, l.Reason, late)
				}
			}
		})
	}
}

// Nobody can try, so that only the time counts.
func TestWhatWaitsForAPauseIsGivenUpAfterItsTime(t *testing.T) {
	cfg := many
	cfg.Policy = Policy{time.Second, time.Minute, 10 * time.Minute}
	tell(t, cfg, sink.Pace{Batch: 2}, func(s *story) {
		s.out.set(all(sink.RetryAfter(errDown, time.Hour)))
		s.offer("a1")
		s.wait(time.Minute)
		s.offer("b1 c1")
		s.wait(time.Minute)
		s.offer("d1 e1")
		s.wait(9*time.Minute - 1)
		s.wantLetters("")
		s.wait(1)
		s.wantLetters("b1 expired, c1 expired")
		s.wait(time.Minute)
		s.wantLetters("b1 expired, c1 expired, d1 expired, e1 expired")
		s.wait(time.Hour) // for which a1 was asked to wait
		s.wantEnds(5, 0, 5, 0, 0)
		if n := len(s.out.writes()); n != 2 { // then it is tried once more
			t.Errorf("%d writes", n)
		}
	})
}

func TestTheDelayIsRandomAndItsLimitDoubles(t *testing.T) {
	var longest [8]time.Duration
	for range 50 {
		tell(t, Config{Capacity: 1, Policy: Policy{time.Second, 20 * time.Second, 0}}, sink.Pace{},
			func(s *story) {
				s.out.set(all(sink.Alone(errDown)))
				s.offer("a1")
				s.wait(10 * time.Minute)
				times := s.out.times(s.begun)
				for i, limit := range []time.Duration{1, 2, 4, 8, 16, 20, 20, 20} {
					delay := times[i+1] - times[i]
					if delay <= 0 || delay > limit*time.Second+1 {
						t.Errorf("delay %d is %v, want at most %d s", i, delay, limit)
					}
					longest[i] = max(longest[i], delay/limit)
				}
			})
	}
	for i, part := range longest {
		if part < 700*time.Millisecond {
			t.Errorf("delay %d is always shorter than %v of its limit", i, part)
		}
	}
}

// What is about one message and says when it may be tried again is tried then, however often it has
// failed.
func TestAMessageThatFailsAloneIsTriedWhenItMayBe(t *testing.T) {
	tell(t, Config{Capacity: 1, Policy: Policy{time.Second, time.Minute, 0}}, sink.Pace{},
		func(s *story) {
			s.out.set(all(sink.Alone(sink.RetryAfter(errDown, 5*time.Second))))
			s.offer("a1")
			s.wait(10 * time.Minute)
			times := s.out.times(s.begun)
			if n := len(times); n < 100 {
				t.Errorf("tried %d times", n)
			}
			for i, at := range times[1:] {
				if d := at - times[i]; d < 5*time.Second || d > 6*time.Second {
					t.Errorf("delay %d is %v", i, d)
				}
			}
		})
}

func TestADelayIsAsLongAsTheReceiverAskedFor(t *testing.T) {
	for _, fails := range []error{sink.RetryAfter(errDown, 5*time.Minute),
		sink.Alone(sink.RetryAfter(errDown, 5*time.Minute))} {
		tell(t, many, sink.Pace{}, func(s *story) {
			s.out.set(all(fails))
			s.offer("a1")
			s.wait(8 * time.Minute)
			if times := s.out.times(s.begun); len(times) != 2 || times[1] < 5*time.Minute ||
				times[1] > 5*time.Minute+2*time.Second {
				t.Errorf("tried after %v", times)
			}
		})
	}
	for _, odd := range []time.Duration{-time.Hour, 1<<63 - 1} {
		tell(t, many, sink.Pace{}, func(s *story) {
			s.out.set(all(sink.RetryAfter(errDown, odd)))
			s.offer("a1")
			s.wait(time.Hour)
			if n := len(s.out.writes()); (n > 1) != (odd < 0) {
				t.Errorf("%d tries although it asks for %v", n, odd)
			}
		})
	}
}

func TestWhatIsRefusedIsADeadLetterAndTheRestGoesOn(t *testing.T) {
	tell(t, many, sink.Pace{}, func(s *story) {
		s.out.set(one("a1:y", sink.Permanent(errDown)))
		e := s.event("a1")
		s.put(e, s.entry(e, []string{"x", "y", "z"}))
		s.wantTaken("a1:x a1:z")
		s.wantLetters("a1 refused")
		s.wantEnds(1, 0, 1, 0, 0)
		if n := s.letters.letters[0].Attempts; n != 1 || len(s.out.writes()) != 3 {
			t.Errorf("%d attempts, %v", n, s.out.writes())
		}
	})
}

// Two listeners share the output.
func TestAnOutputThatIsAwayIsPausedForAllItsListeners(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 4}, func(s *story) {
		other := newStory(s.t, many, sink.Pace{Batch: 4})
		other.Use(s.to, Policy{MinBackoff: time.Second, MaxBackoff: time.Minute})
		other.run()
		s.out.set(all(errDown))
		for i := range FailuresBeforePause {
			s.offer([]string{"a1", "b1", "c1", "d1", "e1"}[i])
			s.wait(0)
		}
		if p, n := s.to.Pause(); p.IsZero() || n != 1 || !errors.Is(p.Cause, errDown) {
			t.Fatalf("%d pauses, now %+v", n, p)
		}
		other.offer("p1 q1 r1")
		s.wait(10 * time.Minute)
		writes, times := s.out.writes()[FailuresBeforePause:], s.out.times(s.begun)
		if len(writes) > 30 {
			t.Errorf("%d trials in ten minutes", len(writes))
		}
		for i, texts := range writes {
			if strings.Contains(texts, " ") {
				t.Errorf("trial %d is of %s", i, texts)
			}
		}
		for i := FailuresBeforePause + 7; i < len(times); i++ {
			if length := times[i] - times[i-1]; length < 30*time.Second || length > time.Minute {
				t.Errorf("a pause of %v", length)
			}
		}
		s.out.set(taking)
		s.wait(2 * time.Minute)
		s.wantEnds(5, 5, 0, 0, 0)
		other.wantEnds(3, 3, 0, 0, 0)
		other.Stop()
		if err := <-other.ended; err != nil {
			t.Error(err)
		}
		other.cancel()
	})
}

func TestAReceiverThatAsksForADelayPausesTheOutput(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 8}, func(s *story) {
		e := s.event("a1")
		s.put(e, s.entry(e, []string{"x", "y"}))
		s.wantTaken("a1:x a1:y")
		s.out.set(func(messages []sink.Message) []error {
			s.out.set(all(sink.RetryAfter(errDown, time.Minute)))
			return nil
		})
		e = s.event("b1") // of which there is more to send
		s.put(e, s.entry(e, []string{"x", "y"}))
		s.wait(0)
		s.offer("c1 d1")
		s.wait(59 * time.Second)
		if n := len(s.out.writes()); n != 4 {
			t.Errorf("%d writes", n)
		}
		s.out.set(taking)
		s.wait(5 * time.Second)
		if n := len(strings.Fields(s.out.taken())); n != 6 {
			t.Errorf("taken: %s", s.out.taken())
		}
	})
}

// Another sender learns of the pause while the first message is on its way.
func TestTheRestOfAnEntryWaitsForAPauseThatBegins(t *testing.T) {
	tell(t, many, sink.Pace{Writes: 2}, func(s *story) {
		s.out.set(func([]sink.Message) []error {
			s.out.set(all(sink.RetryAfter(errDown, 10*time.Minute)))
			time.Sleep(time.Minute)
			return nil
		})
		e := s.event("a1")
		s.put(e, s.entry(e, []string{"x", "y"}))
		s.wait(time.Second)
		s.offer("b1")
		s.wait(2 * time.Second)
		s.out.set(taking)
		s.wait(9 * time.Minute)
		s.wantTaken("a1:x")
		s.wait(2 * time.Minute)
		if n := len(strings.Fields(s.out.taken())); n != 3 {
			t.Errorf("taken: %s", s.out.taken())
		}
	})
}

func TestAReportCountsAsToldWhenItIsTaken(t *testing.T) {
	tell(t, many, sink.Pace{}, func(s *story) {
		report, refused := owedReport(), owedReport()
		s.out.set(all(errDown))
		e := s.event("a1")
		s.put(e, &Pending{Extra: &Extra{Reports: []Report{s.report(e, report)}}})
		s.wait(time.Minute)
		report.want(t)
		s.out.set(taking)
		s.wait(2 * time.Minute)
		report.want(t, "took")
		s.out.set(all(sink.Permanent(errDown)))
		e = s.event("a2")
		s.put(e, &Pending{Extra: &Extra{Reports: []Report{s.report(e, refused)}}})
		refused.want(t, "refused")
		s.wantLetters("a2! refused")
		s.wantEnds(0, 0, 0, 0, 0) // reports alone are not counted
	})
}

func TestAReportThatIsNotOwedAnyMoreIsNotSent(t *testing.T) {
	tell(t, many, sink.Pace{}, func(s *story) {
		report := &noted{}
		e := s.event("a1")
		s.put(e, s.entry(e, nil, report))
		s.wantTaken("a1")
		report.want(t, "released")
	})
}

// What waits for an output that is not used any more becomes dead letters: events, and reports that
// the rules have forgotten by then. So does what comes to a listener that has no time left.
func TestWhatWaitsForNobodyIsALetter(t *testing.T) {
	for reason, end := range map[string]func(*Outbox){"output-removed": (*Outbox).Retire,
		"listener-removed": (*Outbox).GiveUp} {
		tell(t, many, sink.Pace{}, func(s *story) {
			s.out.set(all(sink.RetryAfter(errDown, time.Hour)))
			report := owedReport()
			e := s.event("a1")
			s.put(e, s.entry(e, nil, report))
			s.wait(time.Second)
			if reason == "output-removed" { // which its rules learn first
				report.mu.Lock()
				report.owed = false
				report.mu.Unlock()
			}
			end(s.Outbox)
			want := "a1! " + reason + ", a1 " + reason
			s.wantLetters(want)
			if reason == "output-removed" {
				report.want(t, "released", "refused")
			} else {
				report.want(t, "refused")
			}
			s.wantEnds(1, 0, 1, 0, 0)
			if reason == "listener-removed" {
				s.offer("b1")
				s.wantLetters(want + ", b1 " + reason)
			}
		})
	}
}

func TestAReportThatIsMergedAwayIsOwedAgain(t *testing.T) {
	again := owedReport()
	cfg := Config{Capacity: 1, Overflow: informer.OverflowLatest}
	tell(t, cfg, sink.Pace{}, func(s *story) {
		asked := 0
		s.by.DueReports = func(e event.Event) []Report {
			if asked++; asked > 1 {
				return nil
			}
			return []Report{s.report(e, again)}
		}
		s.cancel()
		<-s.ended
		first := owedReport()
		s.offer("a1")
		e := s.event("a2")
		s.put(e, s.entry(e, nil, first))
		s.offer("a3")
		first.want(t, "released")
		s.run()
		s.wantTaken("a1 a3! a3(1)")
		again.want(t, "took")
		if asked != 2 { // once more when it was taken
			t.Errorf("what is owed was asked for %d times", asked)
		}
	})
}

// When a report is settled, the next one is due that another entry may have tried before its turn,
// and given back.
func TestWhatAReportWasAheadOfIsAskedFor(t *testing.T) {
	for how, fails := range map[string]error{"took": nil, "refused": sink.Permanent(errDown)} {
		tell(t, many, sink.Pace{}, func(s *story) {
			s.out.set(func(m []sink.Message) []error {
				if m[0].Report.Violated {
					return nil
				}
				return []error{fails}
			})
			end, next := owedReport(), owedReport()
			s.by.DueReports = func(e event.Event) []Report {
				if next == nil || len(end.ended) == 0 {
					return nil
				}
				r := s.report(e, next)
				r.Message.Report = &sink.Report{Rule: "rule", Violated: true}
				next = nil
				return []Report{r}
			}
			e, behind := s.event("a1"), next
			s.put(e, s.entry(e, nil, end))
			end.want(t, how)
			behind.want(t, "took")
		})
	}
}

// What is made when it is sent is as the configuration wanted it that the entry is of, also where
// entries of two configurations were merged: nothing of an object is followed by what an earlier
// one made.
func TestAnEntryIsOfItsConfiguration(t *testing.T) {
	cfg := Config{Capacity: 1, Overflow: informer.OverflowLatest}
	tell(t, cfg, sink.Pace{}, func(s *story) {
		s.cancel()
		<-s.ended
		configure := func(cluster string) {
			s.by = newMaker(t, cluster)
			by := s.by.Builder
			s.by.DueReports = due(func(e event.Event) Report {
				m := by.Event(e, time.Now())
				m.Report = &sink.Report{Rule: "rule"}
				return Report{Message: m, Settler: owedReport()}
			})
		}
		configure("first")
		s.offer("z1")
		e := s.event("a1")
		s.put(e, s.entry(e, nil, owedReport()))
		e = s.event("a2") // the report that was merged away is owed with it
		s.put(e, s.entry(e, nil))
		e = s.event("b1")
		s.put(e, s.entry(e, nil, owedReport()))
		configure("second")
		e = s.event("b2") // for rules alone: the message of b1 is sent before
		entry := s.entry(e, nil, owedReport())
		entry.Wanted = false
		s.put(e, entry)
		var from []string
		s.out.set(func(messages []sink.Message) []error {
			for _, m := range messages {
				from = append(from, m.Origin.Cluster)
			}
			return nil
		})
		s.run()
		s.wantTaken("z1 a2! a2(1) b1 b2! b2!")
		if got := strings.Join(from, " "); got != "first first first first second second" {
			t.Errorf("made by %s", got)
		}
	})
}

func TestAnObjectWithoutRoomIsMarkedAndItsLastEntryIsSent(t *testing.T) {
	tell(t, Config{Capacity: 2, Overflow: informer.OverflowLatest}, sink.Pace{Batch: 9},
		func(s *story) {
			s.cancel()
			<-s.ended
			s.offer("a1 b1 a2 c1 a3 c2 c3")
			s.run()
			s.wantTaken("a1 b1 a3(1) c3(2)")
			s.wantEnds(7, 4, 0, 0, 3)
		})
}

func TestWhatWasMergedWithAResumedEventIsResumed(t *testing.T) {
	tell(t, Config{Capacity: 1, Overflow: informer.OverflowLatest}, sink.Pace{Batch: 9},
		func(s *story) {
			s.cancel()
			<-s.ended
			s.offer("a1+ b1+ b2 c1 c2+ c3 d1 d2+ e1 e2")
			e := s.event("e3")
			s.put(e, s.entry(e, []string{"made"}))
			e = s.event("d3")
			s.put(e, s.entry(e, []string{"made"}))
			s.run()
			s.wantTaken("a1+ b2(1)+ c3(2)+ d3:made(2)+ e3:made(2)")
		})
}

func TestALetterIsResumedAsItsEventWas(t *testing.T) {
	tell(t, many, sink.Pace{}, func(s *story) {
		s.out.set(all(sink.Permanent(errDown)))
		s.offer("a1+ b1")
		s.wantLetters("a1+ refused, b1 refused")
	})
}

func TestWhatWasMergedIsOneEventFromTheFirstStateToTheLast(t *testing.T) {
	tell(t, Config{Capacity: 1, Overflow: informer.OverflowLatest}, sink.Pace{}, func(s *story) {
		s.cancel()
		<-s.ended
		s.offer("a1 a2 a3 a4 b1 b2")
		e := s.event("b3")
		s.put(e, s.entry(e, []string{"made"}))
		got := map[string]sink.Message{}
		s.out.set(func(messages []sink.Message) []error {
			got[messages[0].Object.Name()] = messages[0]
			return nil
		})
		s.run()
		s.wantTaken("a1 a4(2) b3:made(2)")
		if m := got["a"]; m.Op != event.Update || m.OldResourceVersion != "1" ||
			m.Old.ResourceVersion() != "1" {
			t.Errorf("an update from version %s", m.OldResourceVersion)
		}
		if m := got["b"]; m.Op != event.Update { // as it was made
			t.Errorf("made of an %v", m.Op)
		}
	})
}

func TestRunReturnsWhenAllIsDelivered(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 2, Writes: 2}, func(s *story) {
		s.out.set(all(errDown))
		s.offer("a1 a2 b1 c1 d1 e1 f1 g1")
		s.wait(time.Minute)
		s.Stop() // during a pause
		e := s.event("h1")
		if err := s.Offer(s.t.Context(), e, s.entry(e, nil)); !errors.Is(err,
			informer.ErrStopped) || !strings.Contains(err.Error(), `output "out"`) {
			t.Errorf("Offer after Stop: %v", err)
		}
		s.wait(time.Minute)
		select {
		case err := <-s.ended:
			t.Fatalf("Run has returned: %v", err)
		default:
		}
		s.out.set(taking)
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
		s.wantEnds(8, 8, 0, 0, 0)
		s.ended <- nil
	})
}

func TestWhatASenderHasGoesBackAndHasNotFailed(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 2}, func(s *story) {
		for range 10 {
			s.out.set(func(messages []sink.Message) []error {
				time.Sleep(time.Hour)
				return sink.AllFailed(len(messages), context.Canceled)
			})
			if s.Stats().Offered == 0 {
				s.offer("a1 a2 b1")
			}
			s.wait(time.Minute)
			s.cancel()
			if err := <-s.ended; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			s.wantEnds(3, 0, 0, 0, 0)
			s.run()
		}
		s.wait(2 * time.Hour)
		s.out.set(all(sink.Permanent(errDown)))
		s.wait(2 * time.Hour)
		s.wantEnds(3, 0, 3, 0, 0)
		for _, l := range s.letters.letters {
			if l.Attempts > 3 {
				t.Errorf("%s%s: %d attempts", l.Name, l.ResourceVersion, l.Attempts)
			}
		}
	})
}

func TestAWriteThatEndsLateIsCounted(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 2}, func(s *story) {
		s.out.set(func(messages []sink.Message) []error {
			time.Sleep(time.Hour) // whatever ctx says
			return nil
		})
		s.cancel()
		<-s.ended
		s.offer("a1 b1")
		s.run()
		s.wait(time.Minute)
		s.cancel()
		<-s.ended
		s.wantTaken("a1 b1")
		s.wantEnds(2, 2, 0, 0, 0)
		if n := s.Stats().Queued; n != 0 {
			t.Errorf("%d are queued", n)
		}
		synctest.Wait()
		s.run()
	})
}
