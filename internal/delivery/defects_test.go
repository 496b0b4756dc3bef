package delivery

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

func TestASinkThatCrashesFailsForTheMessagesItCrashesWith(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 4}, func(s *story) {
		s.out.set(func(messages []sink.Message) []error {
			for i := range messages {
				if name := messages[i].Object.Name(); name == "b" || name == "e" {
					panic("index out of range")
				}
			}
			return nil
		})
		s.cancel()
		<-s.ended
		s.offer("a1 b1 c1 d1 b2 e1")
		s.run()
		s.wantTaken("a1 c1 d1")
		s.wait(10 * time.Minute)
		s.wantEnds(6, 3, 3, 0, 0)
		if _, n := s.to.Pause(); n != 0 {
			t.Errorf("%d pauses", n)
		}
		for _, l := range s.letters.letters {
			if l.Reason != "refused" || l.Attempts != CrashesBeforeLetter ||
				!strings.Contains(l.Error,
					"index out of range") {
				t.Errorf("%d attempts, %s", l.Attempts, l.Error)
			}
		}
	})
}

// Another sender learns of the pause while the sink is about to crash.
func TestASinkThatCrashesIsNotTriedInAPause(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 3, Writes: 2}, func(s *story) {
		s.out.set(func(messages []sink.Message) []error {
			if len(messages) == 1 {
				return []error{sink.RetryAfter(errDown, time.Minute)}
			}
			time.Sleep(time.Second)
			panic("a defect")
		})
		s.cancel()
		<-s.ended
		s.offer("a1 b1 c1 d1")
		s.run()
		s.wait(2 * time.Second)
		if n := len(s.out.writes()); n != 2 {
			t.Errorf("written: %q", s.out.writes())
		}
		s.out.set(taking)
		s.wait(2 * time.Minute)
		s.wantEnds(4, 4, 0, 0, 0)
	})
}

func TestAWrongNumberOfResultsIsAFailure(t *testing.T) {
	for _, results := range []int{0, 1, 3} {
		tell(t, many, sink.Pace{Batch: 2}, func(s *story) {
			s.out.set(func([]sink.Message) []error { return make([]error, results) })
			s.cancel()
			<-s.ended
			s.offer("a1 b1")
			s.run()
			s.wantEnds(2, 0, 0, 0, 0)
			s.out.set(taking)
			s.wait(time.Minute)
			s.wantEnds(2, 2, 0, 0, 0)
		})
	}
}

// counted is a context that counts those that are derived from it.
type counted struct {
	context.Context
	done    chan struct{}
	derived atomic.Int32
}

func (c *counted) Done() <-chan struct{} { return c.done }

func (c *counted) AfterFunc(func()) func() bool {
	c.derived.Add(1)
	return func() bool {
		c.derived.Add(-1)
		return true
	}
}

func TestAPauseLeavesNoContextBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := many
		cfg.Policy = Policy{time.Second, time.Minute, 24 * time.Hour}
		s := newStory(t, cfg, sink.Pace{})
		ctx := &counted{Context: t.Context(), done: make(chan struct{})}
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		s.out.set(all(errDown))
		s.offer("a1 b1")
		s.wait(time.Hour)
		if n := ctx.derived.Load(); n > 1 {
			t.Errorf("%d contexts after %d tries", n, len(s.out.writes()))
		}
		s.out.set(taking)
		s.Stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// What has an expression that failed needs a letter and no output.
func TestAFullStoreKeepsNobodyFromATrial(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 4}, func(s *story) {
		other := newStory(s.t, many, sink.Pace{})
		other.Use(s.to, Policy{MinBackoff: time.Second, MaxBackoff: time.Minute})
		other.run()
		s.out.set(all(sink.RetryAfter(errDown, time.Minute)))
		other.offer("a1")
		other.wait(time.Second)
		s.letters.set(false, true)
		e := s.event("x1")
		entry := s.entry(e, []string{"text"})
		entry.own().Failed = errors.New("no such key")
		s.put(e, entry)
		s.out.set(taking)
		s.wait(5 * time.Minute)
		other.wantTaken("")
		s.wantTaken("a1")
		other.Stop()
		if err := <-other.ended; err != nil {
			t.Error(err)
		}
		other.cancel()
	})
}

func TestWithAnotherOutputNothingWaitsForADelayOfTheOneBefore(t *testing.T) {
	for _, hanging := range []bool{false, true} {
		tell(t, many, sink.Pace{Batch: 2}, func(s *story) {
			s.out.set(func(messages []sink.Message) []error {
				if hanging {
					time.Sleep(2 * time.Second)
				}
				return sink.AllFailed(len(messages), sink.RetryAfter(errDown, time.Hour))
			})
			s.offer("a1 b1 c1")
			s.wait(time.Second)
			next := &stage{does: taking}
			s.Use(NewOutput("out", next, quiet), Policy{MinBackoff: time.Second,
				MaxBackoff: time.Minute})
			s.wait(time.Second)
			if got := len(strings.Fields(next.taken())); got != 3 {
				t.Errorf("hanging: %t: the new output has taken %s", hanging, next.taken())
			}
		})
	}
}

func TestARetiredOutboxWaitsForNoDelay(t *testing.T) {
	tell(t, many, sink.Pace{Batch: 2}, func(s *story) {
		s.out.set(all(sink.RetryAfter(errDown, time.Hour)))
		s.offer("a1 b1 c1")
		s.wait(time.Second)
		s.Retire()
		synctest.Wait()
		s.wantEnds(3, 0, 3, 0, 0)
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
		s.ended <- nil
	})
}

func TestAReplayThatIsSupersededReleasesItsReports(t *testing.T) {
	report := owedReport()
	var superseded atomic.Bool
	var result Result
	tell(t, many, sink.Pace{}, func(s *story) {
		s.by.DueReports = due(func(e event.Event) Report { return s.report(e, report) })
		s.out.set(all(errDown))
		replay := &Replay{Letter: "1", Superseded: superseded.Load,
			Ended: func(r Result, _ error) { result = r }}
		replay.Begin()
		entry := DueReports(s.by)
		entry.own().Replay = replay
		s.put(s.event("a1"), entry)
		s.wait(0)
		report.want(t)
		superseded.Store(true)
		s.wait(time.Minute)
		report.want(t, "released")
		if result != Superseded {
			t.Errorf("the replay has ended as %d", result)
		}
	})
}

func TestAReplayThatIsMergedAwayIsNotSent(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		tell(t, Config{Capacity: 1, Overflow: informer.OverflowLatest}, sink.Pace{},
			func(s *story) {
				s.cancel()
				<-s.ended
				s.offer("z1")
				var result Result
				replay := &Replay{Letter: "1", Superseded: func() bool { return false },
					Ended: func(r Result, _ error) { result = r }}
				replay.Begin()
				e := s.event("a1")
				entry := s.entry(e, []string{"old"})
				entry.own().Replay = replay
				s.put(e, entry)
				e = s.event("a2")
				entry = s.entry(e, nil, owedReport())
				entry.Wanted = wanted
				s.put(e, entry)
				s.run()
				want, delivered := "z1 a2!", uint64(1)
				if wanted {
					want, delivered = want+" a2", 2
				}
				s.wantTaken(want)
				s.wantEnds(delivered+1, delivered, 0, 0, 1)
				if result != Superseded || s.Stats().Made != 0 {
					t.Errorf("the replay has ended as %d, %+v", result, s.Stats())
				}
			})
	}
}
