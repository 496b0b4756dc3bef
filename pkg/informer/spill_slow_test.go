package informer

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// settle waits until the subscription does not use the disk any more.
func (l *Subscription) settle() {
	for {
		l.mu.Lock()
		ended := l.disk
		l.mu.Unlock()
		if ended == nil {
			return
		}
		<-ended
	}
}

// slowDisk is a segment whose methods wait until its gate is closed, if it has one.
type slowDisk struct {
	memory
	write, read, closed chan struct{}
}

func (d *slowDisk) WriteAt(p []byte, at int64) (int, error) {
	wait(d.write)
	return d.memory.WriteAt(p, at)
}

func (d *slowDisk) ReadAt(p []byte, at int64) (int, error) {
	wait(d.read)
	return d.memory.ReadAt(p, at)
}

func (d *slowDisk) Close() error {
	wait(d.closed)
	return d.memory.Close()
}

func wait(gate chan struct{}) {
	if gate != nil {
		<-gate
	}
}

// hangs are the ways in which a disk does not answer until the gate is closed.
func hangs(gate chan struct{}) map[string]func() *slowDisk {
	return map[string]func() *slowDisk{
		"write": func() *slowDisk { return &slowDisk{write: gate} },
		"read":  func() *slowDisk { return &slowDisk{read: gate} },
		"close": func() *slowDisk { return &slowDisk{closed: gate} },
	}
}

// spillTo makes a subscription's spill file one of these segments.
func (l *Subscription) spillTo(segment func() *slowDisk) {
	l.buf.spill.file.create = func(string) (disk, error) {
		d := segment()
		d.faults = &faults{}
		return d, nil
	}
}

// A disk that hangs holds up its own subscription, and nobody else. When it answers, that one gets
// everything, in order.
func TestADiskThatHangsHoldsUpNoOther(t *testing.T) {
	for how := range hangs(nil) {
		t.Run(how, func(t *testing.T) {
			inWorld(t, func(w *world) {
				gate := make(chan struct{})
				_, l := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill})
				l.spillTo(hangs(gate)[how])
				other, _, _ := w.subscribe(SubscriptionConfig{})
				w.applyEach("a", "b", "a")
				served := w.serve(l)
				w.applyEach("b", "a")
				all := []string{"add a/1 101", "add b/1 102", "update a/1 103 was 101",
					"update b/1 104 was 102", "update a/1 105 was 103"}
				expect(t, other.take(), all...)
				late, reg, _ := w.subscribe(SubscriptionConfig{})
				if got := late.take(); len(got) != 2 {
					t.Errorf("who comes later gets %v", got)
				}
				reg.Remove()
				if s := w.factory.Status()[0]; s.Objects != 2 || s.Subscriptions != 2 {
					t.Errorf("%+v", s)
				}
				before := served.take()
				if s := l.Stats(); s.OnDisk+s.Held+int(s.Done) != 5 || len(before) != int(s.Done) ||
					len(before) == 5 || s.SpillError != nil {
					t.Errorf("%d came though the disk hangs: %+v", len(before), s)
				}
				close(gate)
				expect(t, append(before, served.take()...), all...)
				if s := l.Stats(); s.OnDisk+s.Held+s.Marked > 0 || s.Coalesced > 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// What waits for a disk that hangs is bounded in number and in bytes, and what exceeds that is
// marked: each object ends in its last state.
func TestADiskThatHangsFillsNoMemory(t *testing.T) {
	for name, bound := range map[string]func(s *spill){
		"number": func(s *spill) { s.maxWaiting = 3 },
		"bytes":  func(s *spill) { s.maxBytes = 1000 },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				gate := make(chan struct{})
				_, l := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill})
				l.spillTo(hangs(gate)["write"])
				bound(l.buf.spill)
				for range 100 {
					w.applyEach("a", "b")
				}
				w.server.remove("b")
				synctest.Wait()
				s := l.Stats()
				if s.OnDisk < 2 || s.OnDisk > 6 || s.Marked != 2 || s.Held != 1 ||
					uint64(s.OnDisk+s.Marked+s.Held)+s.Coalesced != 201 {
					t.Errorf("%+v", s)
				}
				close(gate)
				got := w.serve(l).take()
				if n := len(got); n != s.OnDisk+3 ||
					!strings.HasPrefix(got[n-2], "update a/1 299~") ||
					!strings.HasPrefix(got[n-1], "delete b/1 301~") {
					t.Errorf("%d events, ending with %v", n, got[max(0, n-3):])
				}
			})
		})
	}
}

// A subscription whose disk hangs is discarded in a bounded time, which is logged, and its
// goroutine ends when the disk answers.
func TestADiskThatHangsHoldsUpNoStop(t *testing.T) {
	for how := range hangs(nil) {
		t.Run(how, func(t *testing.T) {
			inWorld(t, func(w *world) {
				gate := make(chan struct{})
				_, l := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill})
				l.spillTo(hangs(gate)[how])
				w.applyEach("a", "b", "a", "b")
				if how == "read" {
					d, err := l.Next(w.ctx)
					if err != nil {
						t.Fatal(err)
					}
					d.Done()
					synctest.Wait()
				}
				begun := time.Now() // of the bubble's clock
				discarded := l.Discard()
				if took := time.Since(begun); took != maxDiskWait {
					t.Errorf("it took %v", took)
				}
				if s := l.Stats(); discarded+int(s.Done) != 4 || s.OnDisk+s.Held > 0 ||
					s.SpillError == nil ||
					!strings.Contains(s.SpillError.Error(), "does not answer") {
					t.Errorf("%d discarded, %+v", discarded, s)
				}
				if _, err := l.Next(w.ctx); err == nil {
					t.Error("there is something left")
				}
				close(gate)
				l.settle()
				if len(l.buf.spilled) > 0 || l.buf.closing != nil || l.buf.mistakes > 0 {
					t.Errorf("%+v", &l.buf)
				}
			})
		})
	}
}

// Hundreds of subscriptions whose disk hangs take as long to discard as one does.
func TestDisksThatHangHoldUpAStopOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		gate := make(chan struct{})
		subscriptions := make([]*Subscription, 300)
		for i := range subscriptions {
			_, l := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill})
			l.spillTo(hangs(gate)["write"])
			subscriptions[i] = l
		}
		w.applyEach("a", "b", "a", "b")
		begun := time.Now() // of the bubble's clock
		for i, n := range DiscardAll(subscriptions) {
			if n != 4 {
				t.Errorf("%d of subscription %d are discarded", n, i)
			}
		}
		if took := time.Since(begun); took != maxDiskWait {
			t.Errorf("it took %v", took)
		}
		close(gate)
		for _, l := range subscriptions {
			l.settle()
		}
	})
}

// Who discards a subscription finds its file closed.
func TestDiscardClosesTheSpillFile(t *testing.T) {
	inWorld(t, func(w *world) {
		_, l := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill})
		var made []*slowDisk
		l.spillTo(func() *slowDisk {
			made = append(made, &slowDisk{})
			return made[len(made)-1]
		})
		w.applyEach("a", "b", "a", "b")
		l.Discard()
		if s := l.Stats(); len(made) != 1 || !made[0].memory.closed || s.SpillError != nil {
			t.Errorf("%d segments, %+v", len(made), s)
		}
	})
}

// A file that has reached its limit is written again as soon as something of it has been read.
func TestASpillFileAtItsLimitIsWrittenAgain(t *testing.T) {
	b := &buffer{capacity: 1, overflow: OverflowSpill, spill: newSpill((&faults{}).spillFile(500))}
	var want []string
	for i := range 6 {
		e := ev(event.Add, obj(fmt.Sprint("x", i), "1", i))
		want = append(want, story(e.Event))
		b.offer(e)
	}
	b.useDisk()
	written := b.spill.records
	if !b.spill.limited || written == 0 || b.spill.unwritten.len() != 5-written {
		t.Fatalf("%+v", b.spill)
	}
	e, _ := b.take()
	b.done(e.Object.Key())
	b.useDisk()
	if int(b.spills) == written || b.spill.records == 0 {
		t.Errorf("%d are written: %+v", b.spills, b.spill)
	}
	expect(t, append([]string{story(e.Event)}, drain(b)...), want...)
}

// An event that is longer than the file may be goes through memory, and shorter ones go to the file
// afterwards.
func TestAnEventThatIsLongerThanTheSpillFile(t *testing.T) {
	b := &buffer{capacity: 1, overflow: OverflowSpill, spill: newSpill((&faults{}).spillFile(250))}
	b.offer(ev(event.Add, obj("a", "1", 1)))
	b.offer(ev(event.Update, obj("x", "1", 3), obj("x", "1", 2)))
	b.useDisk()
	if !b.spill.limited || b.spills > 0 {
		t.Fatalf("%+v", b.spill)
	}
	expect(t, drain(b), "add a/1 1", "update x/1 3 was 2")
	b.offer(ev(event.Add, obj("a", "1", 4)))
	b.offer(ev(event.Add, obj("y", "1", 5)))
	b.useDisk()
	if b.spills != 1 {
		t.Errorf("%d are written: %+v", b.spills, b.spill)
	}
	expect(t, drain(b), "add a/1 4", "add y/1 5")
}

// What was read before a record that is damaged comes as it was, and only the rest as if it had
// been marked.
func TestWhatIsInFrontOfADamagedRecordComes(t *testing.T) {
	b := &buffer{capacity: 1, overflow: OverflowSpill,
		spill: newSpill((&faults{}).spillFile(1 << 20))}
	x := func(v int) *object.Object { return obj("x", "1", v) }
	for _, e := range []entry{ev(event.Add, obj("a", "1", 1)), ev(event.Add, x(2)),
		ev(event.Update, x(3), x(2)), ev(event.Update, x(4), x(3))} {
		b.offer(e)
	}
	b.useDisk()
	last := b.spill.file.segments[0]
	last.file.(*memory).data[last.writeAt-5] = '#'
	b.offer(ev(event.Update, x(5), x(4)))
	b.useDisk()
	expect(t, drain(b), "add a/1 1", "add x/1 2", "update x/1 3 was 2", "update x/1 5~1 was 3")
	if !errors.Is(b.spillErr, errSpillCorrupt) || b.spill != nil || b.closing != nil || !b.empty() {
		t.Errorf("%v, %+v", b.spillErr, b)
	}
}
