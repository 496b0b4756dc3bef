package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

const part = "outbox"

type cutter interface {
	Cut(to record.Writer, part string) bool
	Whole(to record.Writer, part string)
}

// cutOf returns what an outbox's next cut has, nil if that is nothing.
func cutOf(o cutter) recordtest.Cut {
	return recordtest.Of(func(w record.Writer) { o.Cut(w, part) })
}

// wholeOf returns a cut that has everything.
func wholeOf(o cutter) recordtest.Cut {
	return recordtest.Of(func(w record.Writer) { o.Whole(w, part) })
}

// appendCut appends what an outbox's next cut has, if that is anything.
func appendCut(cuts []recordtest.Cut, o *Outbox) []recordtest.Cut {
	if cut := cutOf(o); len(cut) > 0 {
		cuts = append(cuts, cut)
	}
	return cuts
}

// backlog returns what cuts add up to.
func backlog(t *testing.T, cuts ...recordtest.Cut) *Backlog {
	t.Helper()
	l, err := ReadBacklog(recordtest.Apply(cuts...)[part])
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// keep is many, for cuts.
var keep = Config{Capacity: 100, Overflow: informer.OverflowBlock, Keep: true}

// restart ends a story, and returns one that goes on with what was unsent.
func (s *story) restart(cfg Config, pace sink.Pace) *story {
	s.t.Helper()
	s.cancel()
	s.ended <- <-s.ended // for tell
	next := newStory(s.t, cfg, pace)
	next.last, next.begun = s.last, s.begun
	if err := next.Restore(backlog(s.t, wholeOf(s)), next.by); err != nil {
		s.t.Fatal(err)
	}
	return next
}

// finish ends the Run of a story that tell does not know.
func (s *story) finish() {
	s.t.Helper()
	s.cancel()
	if err := <-s.ended; err != nil && !errors.Is(err, context.Canceled) {
		s.t.Errorf("Run: %v", err)
	}
}

func TestWhatIsUnsentComesAfterARestartInOrder(t *testing.T) {
	tell(t, keep, sink.Pace{Batch: 2}, func(s *story) {
		s.out.set(all(errDown))
		e := s.event("a1")
		s.put(e, s.entry(e, []string{"x", "y"}))
		s.offer("b1 a2 c1 a3")
		s.wait(time.Minute)
		next := s.restart(Config{Capacity: 2, Overflow: informer.OverflowLatest, Keep: true},
			sink.Pace{})
		next.wantEnds(5, 0, 0, 0, 0)
		if next.capacity.Load() != 2 || next.Room() > 0 {
			t.Errorf("room for %d of %d", next.Room(), next.capacity.Load())
		}
		next.offer("b2")
		next.run()
		next.wantTaken("a1:x a1:y b1 a2 c1 a3 b2")
		next.wantEnds(6, 6, 0, 0, 0)
		next.finish()
	})
}

func TestWhatWasSentOfAnEntryIsNotSentAgain(t *testing.T) {
	tell(t, keep, sink.Pace{}, func(s *story) {
		s.out.set(one("a1:y", errDown))
		e := s.event("a1")
		s.put(e, s.entry(e, []string{"x", "y", "z"}))
		s.wait(time.Minute)
		next := s.restart(keep, sink.Pace{})
		next.run()
		next.wantTaken("a1:y a1:z")
		next.finish()
	})
}

func TestAttemptsAndTimesGoOnAfterARestart(t *testing.T) {
	cfg := keep
	cfg.Policy = Policy{time.Second, time.Minute, time.Hour}
	tell(t, cfg, sink.Pace{}, func(s *story) {
		s.out.set(all(sink.Alone(errDown)))
		s.offer("a1")
		s.wait(30 * time.Minute)
		tries := len(s.out.writes())
		next := s.restart(cfg, sink.Pace{})
		next.out.set(all(sink.Alone(errDown)))
		next.run()
		next.wait(29 * time.Minute)
		next.wantLetters("")
		next.wait(2 * time.Minute)
		next.wantLetters("a1 expired")
		l := next.letters.letters[0]
		if n := tries + len(next.out.writes()); l.Attempts != n || !l.First.Equal(s.begun) {
			t.Errorf("%d attempts of %d, the first at %v", l.Attempts, n, l.First)
		}
		next.finish()
	})
}

func TestReportsAreAskedForAgainAfterARestart(t *testing.T) {
	tell(t, keep, sink.Pace{}, func(s *story) {
		s.cancel() // a sender would find that nothing is owed of d
		s.ended <- <-s.ended
		e := s.event("a1")
		s.put(e, s.entry(e, []string{"x"}, owedReport()))
		e = s.event("b1")
		s.put(e, &Pending{By: s.by, Extra: &Extra{Reports: []Report{s.report(e, owedReport())}}})
		s.put(s.event("d1"), DueReports(s.by))
		s.offer("c1")
		next := s.restart(keep, sink.Pace{})
		again := owedReport()
		next.by.DueReports = due(func(e event.Event) Report { return next.report(e, again) })
		next.run()
		next.wantTaken("a1! a1:x b1! d1! c1")
		again.want(s.t, "took", "took", "took")
		next.finish()
	})
}

// What rules report of a later event stays behind the message that was merged into it.
func TestReportsOfALaterEventAreOfItAfterARestart(t *testing.T) {
	cfg := Config{Capacity: 1, Overflow: informer.OverflowLatest, Keep: true}
	for _, restarts := range []int{0, 1, 2} {
		tell(t, cfg, sink.Pace{}, func(s *story) {
			s.cancel()
			s.ended <- <-s.ended
			s.offer("a1")
			e := s.event("a2")
			s.put(e, s.entry(e, []string{"x"}))
			e = s.event("a3")
			s.put(e, &Pending{By: s.by, Extra: &Extra{Reports: []Report{s.report(e, owedReport())}}})
			next := s
			for range restarts {
				next = next.restart(cfg, sink.Pace{})
				next.by.DueReports = due(func(e event.Event) Report { return next.report(e, owedReport()) })
				next.out.set(all(errDown))
				next.run()
				next.wait(time.Minute)
			}
			if restarts == 0 {
				s.run()
			}
			next.out.set(taking)
			next.wait(time.Hour)
			next.wantTaken("a1 a2:x a3!")
			if next != s {
				next.finish()
			}
		})
	}
}

func TestAReplayIsNotKept(t *testing.T) {
	tell(t, keep, sink.Pace{}, func(s *story) {
		s.out.set(all(errDown))
		e := s.event("a1")
		entry := s.entry(e, nil)
		entry.own().Replay = &Replay{Letter: "1", Superseded: func() bool { return false },
			Ended: func(Result, error) {}}
		entry.own().Replay.Begin()
		s.put(e, entry)
		s.wait(time.Minute)
		if n := backlog(s.t, wholeOf(s)).Len(); n != 0 {
			t.Errorf("%d entries", n)
		}
	})
}

// But what is merged into one is.
func TestWhatIsMergedIntoAReplayIsKept(t *testing.T) {
	cfg := Config{Capacity: 1, Overflow: informer.OverflowLatest, Keep: true}
	tell(t, cfg, sink.Pace{}, func(s *story) {
		s.cancel()
		s.ended <- <-s.ended
		s.offer("a1 a2")
		entry := DueReports(s.by)
		entry.own().Replay = &Replay{Letter: "1", Superseded: func() bool { return false },
			Ended: func(Result, error) {}}
		entry.own().Replay.Begin()
		s.put(event.Event{Op: event.Resync, Object: s.last["a"]}, entry)
		next := s.restart(keep, sink.Pace{})
		next.run()
		next.wantTaken("a1 a2")
		next.finish()
	})
}

func TestACutHasWhatHasChangedSince(t *testing.T) {
	tell(t, keep, sink.Pace{}, func(s *story) {
		s.offer("a1")
		s.wait(0)
		if cut := cutOf(s); cut != nil {
			t.Errorf("all is sent, but the cut is %+v", cut)
		}
		s.out.set(all(sink.Alone(errDown)))
		s.offer("b1 c1")
		s.wait(0)
		first := cutOf(s)
		if n := backlog(s.t, first).Len(); n != 2 {
			t.Errorf("%d entries", n)
		}
		if cut := cutOf(s); cut != nil {
			t.Errorf("nothing has happened, but the cut is %+v", cut)
		}
		s.wait(time.Hour)
		second := cutOf(s)
		for _, change := range second {
			if change.Record == nil || len(change.Record.Objects) > 0 {
				t.Errorf("only attempts have changed, but the cut has %+v", change)
			}
		}
		l := backlog(s.t, first, second)
		if l.entries[2].attempts < 10 {
			t.Errorf("%d attempts", l.entries[2].attempts)
		}
		s.out.set(taking)
		s.wait(time.Hour)
		if n := backlog(s.t, first, second, cutOf(s)).Len(); n != 0 {
			t.Errorf("%d entries in the end", n)
		}
	})
	tell(t, many, sink.Pace{}, func(s *story) {
		s.out.set(all(errDown))
		s.offer("a1")
		if cut := cutOf(s); cut != nil {
			t.Errorf("nothing is kept, but the cut is %+v", cut)
		}
	})
}

// What is merged or dropped is not in a cut, and what stays is as it has become.
func TestACutOfAFullOutbox(t *testing.T) {
	for overflow, want := range map[informer.Overflow]string{
		informer.OverflowLatest: "a1 a2 a4(1)", informer.OverflowDrop: "a1 a2"} {
		cfg := Config{Capacity: 2, Overflow: overflow, Keep: true}
		tell(t, cfg, sink.Pace{}, func(s *story) {
			s.cancel()
			<-s.ended
			s.offer("a1 a2 a3")
			cuts := appendCut(nil, s.Outbox)
			s.offer("a4")
			cuts = appendCut(cuts, s.Outbox)
			next := newStory(s.t, keep, sink.Pace{})
			if err := next.Restore(backlog(s.t, cuts...), next.by); err != nil {
				s.t.Fatal(err)
			}
			next.run()
			next.wantTaken(want)
			next.finish()
			s.run()
		})
	}
}

func TestForceTakesWhatThereIsNoRoomFor(t *testing.T) {
	for _, overflow := range []informer.Overflow{informer.OverflowBlock, informer.OverflowLatest} {
		cfg := Config{Capacity: 2, Overflow: overflow, Keep: true}
		tell(t, cfg, sink.Pace{}, func(s *story) {
			s.cancel()
			s.ended <- <-s.ended
			s.offer("a1 b1")
			force := func(text string) error {
				e := s.event(text)
				return s.Force(s.entry(e, nil).Of(e))
			}
			for _, text := range []string{"a2", "c1", "b2"} {
				if err := force(text); err != nil {
					s.t.Fatal(err)
				}
			}
			if s.Room() != 0 || s.capacity.Load() != 2 {
				s.t.Errorf("room for %d of %d", s.Room(), s.capacity.Load())
			}
			next := s.restart(keep, sink.Pace{})
			next.run()
			next.wantTaken("a1 b1 a2 c1 b2")
			next.finish()
			s.Retire()
			if err := force("d1"); !errors.Is(err, informer.ErrStopped) {
				s.t.Error(err)
			}
			s.wantEnds(5, 0, 0, 0, 0)
		})
	}
}

// Several may force something while others offer and are waiting for room.
func TestForceWhileOthersOffer(t *testing.T) {
	tell(t, Config{Capacity: 1, Overflow: informer.OverflowBlock, Keep: true}, sink.Pace{},
		func(s *story) {
			s.out.set(all(errDown))
			var done sync.WaitGroup
			for i, name := range strings.Fields("a b c d e f g h") {
				e := s.event(name + "1")
				done.Go(func() {
					if i%2 == 0 {
						if err := s.Force(s.entry(e, nil).Of(e)); err != nil {
							s.t.Error(err)
						}
					} else if err := s.Offer(s.t.Context(), e, s.entry(e, nil)); err != nil {
						s.t.Error(err)
					}
				})
			}
			s.wait(time.Minute)
			s.out.set(taking)
			s.wait(time.Hour)
			done.Wait()
			s.wantEnds(8, 8, 0, 0, 0)
		})
}

func TestAReportWaitsForAwait(t *testing.T) {
	var calls atomic.Int32
	var works atomic.Bool
	cfg := keep
	cfg.Await = func(ctx context.Context) error {
		if calls.Add(1); works.Load() {
			return ctx.Err()
		}
		return errDown
	}
	tell(t, cfg, sink.Pace{Batch: 4}, func(s *story) {
		report := func(text string) {
			e := s.event(text)
			s.put(e, s.entry(e, nil, owedReport()))
		}
		s.offer("b1")
		s.wantTaken("b1")
		if n := calls.Load(); n != 0 {
			s.t.Errorf("%d calls for nothing", n)
		}
		report("c1")
		s.offer("d1")
		s.wait(time.Minute)
		s.wantTaken("b1 d1")
		if n := calls.Load(); n < 50 || n > 70 {
			s.t.Errorf("%d calls in a minute", n)
		}
		if got := s.Stats(); got.Retried != 0 {
			s.t.Errorf("%+v", got)
		}
		l := backlog(s.t, wholeOf(s))
		if e := l.entries[2]; l.Len() != 1 || e == nil || e.attempts != 0 {
			s.t.Errorf("%d entries, c1 is %+v", l.Len(), e)
		}
		works.Store(true)
		s.wait(time.Minute)
		s.wantTaken("b1 d1 c1! c1")
	})
}

// Reports that were there when an Await began do not wait for another one.
func TestReportsWaitTogetherForAwait(t *testing.T) {
	var calls atomic.Int32
	cfg := keep
	cfg.Await = func(ctx context.Context) error {
		calls.Add(1)
		return backoff.Sleep(ctx, time.Second)
	}
	tell(t, cfg, sink.Pace{}, func(s *story) {
		report := func(text string) {
			e := s.event(text)
			s.put(e, s.entry(e, nil, owedReport()))
		}
		s.out.set(all(errDown))
		for _, name := range []string{"a1", "b1", "c1", "d1"} {
			report(name)
		}
		s.wait(time.Minute)
		s.out.set(taking)
		calls.Store(0)
		s.wait(time.Hour)
		if n := calls.Load(); n > 1 {
			s.t.Errorf("%d calls for what was known before the first one", n)
		}
		report("e1")
		s.wait(2 * time.Second)
		if n := calls.Load(); n == 0 {
			s.t.Error("a new report did not wait")
		}
		if got := s.Stats().Delivered; got != 5 {
			s.t.Errorf("%d entries are delivered", got)
		}
	})
}

// A message is as it was, apart from where it comes from, which is the present configuration's.
func TestAMessageIsAsItWas(t *testing.T) {
	s := newStory(t, keep, sink.Pace{})
	s.event("a1")
	e := s.event("a2")
	e.Initial, e.FinalStateUnknown, e.Missed, e.Resumed = true, true, 3, true
	entry := s.entry(e, []string{"{}"})
	m := s.by.Builder.Event(s.event("a3"), time.Now())
	m.Handler, m.Body, m.Data = "digest", sink.BodyData, ""
	entry.own().Messages, entry.own().Failed = append(entry.own().Messages, m), errors.New("why")
	s.put(e, entry)
	l := backlog(t, wholeOf(s))
	next := newStory(t, keep, sink.Pace{})
	if err := next.Restore(l, next.by); err != nil {
		t.Fatal(err)
	}
	var got *kept
	for _, got = range next.keeping.entries.all {
	}
	text := func(m *sink.Message) string {
		shown := *m
		shown.Time, shown.Object, shown.Old, shown.Origin = time.Time{}, nil, nil, nil
		return fmt.Sprintf("%+v %s %s %d %t", shown, m.Object.AppendJSON(nil),
			m.Old.AppendJSON(nil), m.Time.UnixNano(),
			reflect.DeepEqual(m.Origin, s.by.Builder.Origin()))
	}
	for i := range entry.own().Messages {
		if got, want := text(&got.messages[i]), text(&entry.own().Messages[i]); got != want {
			t.Errorf("message %d:\n got %s\nwant %s", i, got, want)
		}
	}
	g := got.event
	if g.Op != e.Op || !g.Initial || !g.FinalStateUnknown || g.Missed != 3 || !g.Resumed ||
		g.Object.ResourceVersion() != "2" || g.Old.ResourceVersion() != "1" ||
		got.failed.Error() != "why" || !got.wanted {
		t.Errorf("got %+v", got)
	}
}

func TestDamagedRecordsAreRefused(t *testing.T) {
	all := recordtest.Apply(cutsOfTrouble(t)...)[part]
	for key, r := range all {
		refused := func(what string, key event.Key, r record.Record) {
			t.Helper()
			records := maps.Clone(all)
			records[key] = r
			_, err := ReadBacklog(records)
			if !errors.Is(err, record.ErrDamaged) {
				t.Errorf("%s: %v", what, err)
			}
		}
		for n := range r.Value {
			refused(fmt.Sprint(n, " bytes"), key, record.Record{Value: r.Value[:n],
				Objects: r.Objects})
		}
		refused("one byte too much", key, record.Record{Value: append(slices.Clone(r.Value), 0),
			Objects: r.Objects})
		if len(r.Objects) > 0 {
			refused("without its objects", key, record.Record{Value: r.Value})
		}
		refused("without a number", event.Key{Name: "-"}, r)
	}
}

// cutsOfTrouble returns cuts with all that cuts can have.
func cutsOfTrouble(t *testing.T) (cuts []recordtest.Cut) {
	synctest.Test(t, func(t *testing.T) {
		s := newStory(t, keep, sink.Pace{})
		s.run()
		s.out.set(one("a1:y", errDown))
		e := s.event("a1")
		s.put(e, s.entry(e, []string{"x", "y"}, owedReport()))
		s.out.set(all(errDown))
		s.offer("b1 c1 b2")
		cuts = appendCut(nil, s.Outbox)
		s.wait(time.Minute)
		cuts = appendCut(cuts, s.Outbox)
		if err := s.Resize(1, informer.OverflowLatest); err != nil {
			t.Fatal(err)
		}
		s.offer("b3")
		e = s.event("b4") // b3 is merged into it
		s.put(e, &Pending{By: s.by, Extra: &Extra{Reports: []Report{s.report(e, owedReport())}}})
		cuts = appendCut(cuts, s.Outbox)
		s.out.set(one("a1:y", errDown))
		s.wait(time.Minute)
		cuts = append(appendCut(cuts, s.Outbox), wholeOf(s))
		s.finish()
	})
	return cuts
}

// FuzzBacklog: no bytes make an outbox that does not work.
func FuzzBacklog(f *testing.F) {
	var cuts []recordtest.Cut
	text := "why"
	for _, saved := range []savedEntry{{Wanted: true, Event: savedEvent{Op: event.Add, Object: 1}},
		{Report: true, Failed: &text, Event: savedEvent{Op: event.Update, Object: 1, Old: 2},
			Later:    &savedEvent{Op: event.Delete, Object: 2},
			Messages: []savedMessage{{ID: "1", Op: event.Update, Object: 1, Old: 2}}}} {
		var b bytes.Buffer
		record.Encode(&b, &saved)
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if cuts == nil {
			cuts = cutsOfTrouble(t)
		}
		for n := range len(cuts) + 1 {
			records := recordtest.Apply(cuts[:n]...)
			o := newStory(t, keep, sink.Pace{}).event("a1").Object
			records.Add(part, event.Key{Name: "z"}, record.Record{Value: value,
				Objects: []*object.Object{o, o}})
			l, err := ReadBacklog(records[part])
			if err != nil {
				continue
			}
			size := l.Len()
			next := newStory(t, keep, sink.Pace{})
			if err := next.Restore(l, next.by); err != nil {
				t.Fatal(err)
			}
			if again := backlog(t, wholeOf(next)); again.Len() != size {
				t.Errorf("%d entries are %d when they are restored", size, again.Len())
			}
			next.Stop()
			if err := next.Run(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}

// Cuts may be made while others offer and send.
func TestCutsWhileMessagesAreSent(t *testing.T) {
	s := newStory(t, Config{Capacity: 16, Overflow: informer.OverflowLatest, Keep: true},
		sink.Pace{Batch: 3, Writes: 4})
	n := 0
	s.out.set(func(messages []sink.Message) []error {
		s.out.mu.Lock()
		defer s.out.mu.Unlock()
		if n++; n%3 == 0 {
			return sink.AllFailed(len(messages), sink.Alone(errDown))
		}
		return nil
	})
	s.Use(s.to, Policy{MinBackoff: time.Microsecond, MaxBackoff: time.Microsecond})
	ended := make(chan error, 1)
	go func() { ended <- s.Run(t.Context()) }()
	stop, cut := make(chan struct{}), make(chan []recordtest.Cut)
	go func() {
		var cuts []recordtest.Cut
		for {
			select {
			case <-stop:
				cut <- cuts
				return
			default:
				cuts = appendCut(cuts, s.Outbox)
				if len(cuts) > 50 {
					cuts = []recordtest.Cut{wholeOf(s)}
				}
			}
		}
	}()
	for i, text := range strings.Fields(strings.Repeat("a1 b1 c1 d1 a2 b2 ", 300)) {
		e := s.event(text)
		var made []string
		if i%5 == 0 {
			made = []string{"x", "y"}
		}
		s.put(e, s.entry(e, made))
	}
	s.Stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	close(stop)
	cuts := appendCut(<-cut, s.Outbox)
	if l := backlog(t, cuts...); l.Len() != 0 || len(s.keeping.entries.all) != 0 {
		t.Errorf("%d entries are in the cuts, and %d kept", l.Len(), len(s.keeping.entries.all))
	}
}
