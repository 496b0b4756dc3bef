package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// appendText and parsed are how the tests' cuts have objects.
func appendText(to []byte, o *object.Object) []byte { return o.AppendJSON(to) }

func parsed(text []byte) (*object.Object, error) { return (&object.Parser{}).Parse(text) }

// appendCut appends what an outbox's next cut has, if that is anything.
func appendCut(cuts [][]byte, o *Outbox) [][]byte {
	if cut := o.Cut(nil, appendText); len(cut) > 0 {
		cuts = append(cuts, cut)
	}
	return cuts
}

// backlog returns what cuts add up to.
func backlog(t *testing.T, cuts ...[]byte) *Backlog {
	t.Helper()
	l := &Backlog{}
	for _, cut := range cuts {
		if err := l.Apply(cut, parsed); err != nil {
			t.Fatal(err)
		}
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
	if err := next.Restore(backlog(s.t, s.Whole(nil, appendText)), next.by); err != nil {
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
		s.put(e, &Entry{By: s.by, Reports: []Report{s.report(e, owedReport())}})
		s.put(s.event("d1"), Owed(s.by))
		s.offer("c1")
		next := s.restart(keep, sink.Pace{})
		again := owedReport()
		next.by.Owed = func(e event.Event) []Report { return []Report{next.report(e, again)} }
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
			s.put(e, &Entry{By: s.by, Reports: []Report{s.report(e, owedReport())}})
			next := s
			for range restarts {
				next = next.restart(cfg, sink.Pace{})
				next.by.Owed = func(e event.Event) []Report {
					return []Report{next.report(e, owedReport())}
				}
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
		entry.Replay = &Replay{Letter: "1", Superseded: func() bool { return false },
			Ended: func(Result, error) {}}
		entry.Replay.Begin()
		s.put(e, entry)
		s.wait(time.Minute)
		if n := backlog(s.t, s.Whole(nil, appendText)).Len(); n != 0 {
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
		entry := Owed(s.by)
		entry.Replay = &Replay{Letter: "1", Superseded: func() bool { return false },
			Ended: func(Result, error) {}}
		entry.Replay.Begin()
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
		if cut := s.Cut(nil, appendText); cut != nil {
			t.Errorf("all is sent, but the cut is %q", cut)
		}
		s.out.set(all(sink.Alone(errDown)))
		s.offer("b1 c1")
		s.wait(0)
		first := s.Cut(nil, appendText)
		if n := backlog(s.t, first).Len(); n != 2 {
			t.Errorf("%d entries", n)
		}
		if cut := s.Cut(nil, appendText); cut != nil {
			t.Errorf("nothing has happened, but the cut is %q", cut)
		}
		s.wait(time.Hour)
		second := s.Cut(nil, appendText)
		if bytes.Contains(second, []byte("metadata")) {
			t.Errorf("only attempts have changed, but the cut is %q", second)
		}
		l := backlog(s.t, first, second)
		if l.entries[2].attempts < 10 {
			t.Errorf("%d attempts", l.entries[2].attempts)
		}
		s.out.set(taking)
		s.wait(time.Hour)
		if n := backlog(s.t, first, second, s.Cut([]byte{}, appendText)).Len(); n != 0 {
			t.Errorf("%d entries in the end", n)
		}
	})
	tell(t, many, sink.Pace{}, func(s *story) {
		s.out.set(all(errDown))
		s.offer("a1")
		if cut := s.Cut(nil, appendText); cut != nil {
			t.Errorf("nothing is kept, but the cut is %q", cut)
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
				return s.Force(Prepare(e, s.entry(e, nil)))
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
						if err := s.Force(Prepare(e, s.entry(e, nil))); err != nil {
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
		l := backlog(s.t, s.Whole(nil, appendText))
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

// What is appended of a backlog is all of it.
func TestABacklogIsAppended(t *testing.T) {
	cuts := cutsOfTrouble(t)
	for n := range len(cuts) + 1 {
		l := backlog(t, cuts[:n]...)
		text := l.Append(nil, appendText)
		next := backlog(t, text)
		again := next.Append([]byte("more"), appendText)
		if string(again) != "more"+string(text) || next.Len() != l.Len() ||
			next.number != l.number {
			t.Errorf("%q\nbecomes %q", text, again)
		}
	}
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
	entry.Messages, entry.Failed = append(entry.Messages, m), errors.New("why")
	s.put(e, entry)
	l := backlog(t, s.Whole(nil, appendText))
	next := newStory(t, keep, sink.Pace{})
	if err := next.Restore(l, next.by); err != nil {
		t.Fatal(err)
	}
	var got *kept
	for _, got = range next.keeping.entries {
	}
	text := func(m *sink.Message) string {
		shown := *m
		shown.Time, shown.Object, shown.Old, shown.Origin = time.Time{}, nil, nil, nil
		return fmt.Sprintf("%+v %s %s %d %t", shown, m.Object.AppendJSON(nil),
			m.Old.AppendJSON(nil), m.Time.UnixNano(), *m.Origin == *s.by.Builder.Origin())
	}
	for i := range entry.Messages {
		if got, want := text(&got.messages[i]), text(&entry.Messages[i]); got != want {
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

func TestWhatIsNotACutIsRefusedAndChangesNothing(t *testing.T) {
	cuts := cutsOfTrouble(t)
	l := backlog(t, cuts...)
	before := l.Len()
	for i, cut := range cuts {
		for n := range cut {
			if err := l.Apply(cut[:n], parsed); !errors.Is(err, ErrDamaged) || l.Len() != before {
				t.Fatalf("%d bytes of cut %d: %v", n, i, err)
			}
		}
		if err := l.Apply(append(slices.Clone(cut), 0), parsed); !errors.Is(err, ErrDamaged) {
			t.Errorf("one byte too much: %v", err)
		}
		cut[0]++
		if err := l.Apply(cut, parsed); !errors.Is(err, ErrVersion) || l.Len() != before {
			t.Errorf("another version: %v", err)
		}
		cut[0]--
	}
	var unknown []byte // which goes on
	unknown = append(unknown, cutVersion, 0, 9, 1, 9, byte(extentCount), 1, 1, 0)
	if err := l.Apply(unknown, parsed); !errors.Is(err, ErrDamaged) {
		t.Errorf("more of an unknown entry: %v", err)
	}
}

// cutsOfTrouble returns cuts with all that cuts can have.
func cutsOfTrouble(t *testing.T) (cuts [][]byte) {
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
		s.put(e, &Entry{By: s.by, Reports: []Report{s.report(e, owedReport())}})
		cuts = appendCut(cuts, s.Outbox)
		s.out.set(one("a1:y", errDown))
		s.wait(time.Minute)
		cuts = append(appendCut(cuts, s.Outbox), s.Whole(nil, appendText))
		s.finish()
	})
	return cuts
}

// FuzzBacklog: no bytes make an outbox that does not work.
func FuzzBacklog(f *testing.F) {
	var cuts [][]byte
	f.Add([]byte{cutVersion, 1, 0, 0})
	o := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`
	seed := codec.AppendUint([]byte{cutVersion, 0}, 1)
	seed = codec.AppendUint(codec.AppendUint(seed, 1), 1)
	seed = append(seed, byte(extentAll), 0, 0, 0, 1, 1)
	seed = codec.AppendInt(codec.AppendTime(seed, time.Unix(1, 2)), 3)
	seed = codec.AppendText(append(seed, byte(event.Add), 0, 0, 0, 0), o)
	seed = append(seed, 0, 0, 0, 0, 0)
	if err := (&Backlog{}).Apply(seed, parsed); err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, cut []byte) {
		if cuts == nil {
			cuts = cutsOfTrouble(t)
		}
		for n := range len(cuts) + 1 {
			l := backlog(t, cuts[:n]...)
			if err := l.Apply(cut, parsed); err != nil {
				continue
			}
			size := l.Len()
			next := newStory(t, keep, sink.Pace{})
			if err := next.Restore(l, next.by); err != nil {
				t.Fatal(err)
			}
			if again := backlog(t, next.Whole(nil, appendText)); again.Len() != size {
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
	stop, cut := make(chan struct{}), make(chan [][]byte)
	go func() {
		var cuts [][]byte
		for {
			select {
			case <-stop:
				cut <- cuts
				return
			default:
				cuts = appendCut(cuts, s.Outbox)
				if len(cuts) > 50 {
					cuts = [][]byte{s.Whole(nil, appendText)}
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
	if l := backlog(t, cuts...); l.Len() != 0 || len(s.keeping.entries) != 0 {
		t.Errorf("%d entries are in the cuts, and %d kept", l.Len(), len(s.keeping.entries))
	}
}
