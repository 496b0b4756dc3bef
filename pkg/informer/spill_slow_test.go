package informer

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/informertest"
)

// settle waits until the subscription does not use the disk any more.
func (s *Subscription) settle() {
	for {
		s.mu.Lock()
		ended := s.disk
		s.mu.Unlock()
		if ended == nil {
			return
		}
		<-ended
	}
}

// slowDisk is a segment whose methods wait until its gate is closed, if it has one.
type slowDisk struct {
	informertest.File
	write, read, closed chan struct{}
}

func (d *slowDisk) WriteAt(p []byte, at int64) (int, error) {
	wait(d.write)
	return d.File.WriteAt(p, at)
}

func (d *slowDisk) ReadAt(p []byte, at int64) (int, error) {
	wait(d.read)
	return d.File.ReadAt(p, at)
}

func (d *slowDisk) Close() error {
	wait(d.closed)
	return d.File.Close()
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

// spillTo makes a subscription that has had no event yet spill to these segments.
func (s *Subscription) spillTo(segment func() *slowDisk, bounds ...func(*buffer.Config)) {
	cfg := buffer.Config{
		Capacity: s.cfg.Capacity, Overflow: s.cfg.Overflow, SpillBytes: s.cfg.SpillBytes,
		CreateFile: func(string) (buffer.File, error) {
			d := segment()
			d.Faults = &informertest.Faults{}
			return d, nil
		},
	}
	for _, bound := range bounds {
		bound(&cfg)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = buffer.New(cfg)
}

// diskByHand lets the subscription begin no goroutine for its disk: a test without locks has
// takeWithDisk use it.
func (s *Subscription) diskByHand() { s.disk = make(chan struct{}) }

// takeWithDisk takes an entry, wherever it is.
func (s *Subscription) takeWithDisk() (e buffer.Entry, ok bool) {
	useDisk := func() {
		for j := s.buf.BeginDiskJob(); j != nil; j = s.buf.BeginDiskJob() {
			j.Run()
			s.buf.FinishDiskJob(j)
		}
	}
	for useDisk(); !ok; useDisk() {
		if e, ok = s.buf.Take(); !ok {
			e, ok = s.nextResync()
		}
		if !s.buf.DiskDue() {
			break
		}
	}
	return e, ok
}

// A disk that hangs holds up its own subscription, and nobody else. When it answers, that one gets
// everything, in order.
func TestADiskThatHangsHoldsUpNoOther(t *testing.T) {
	for how := range hangs(nil) {
		t.Run(how, func(t *testing.T) {
			inWorld(t, func(w *world) {
				gate := make(chan struct{})
				_, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill})
				sub.spillTo(hangs(gate)[how])
				other, _, _ := w.subscribe(SubscriptionConfig{})
				w.applyEach("a", "b", "a")
				served := w.serve(sub)
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
				if s := sub.Stats(); s.OnDisk+s.Held+int(s.Done) != 5 ||
					len(before) != int(s.Done) ||
					len(before) == 5 || s.SpillError != nil {
					t.Errorf("%d came though the disk hangs: %+v", len(before), s)
				}
				close(gate)
				expect(t, append(before, served.take()...), all...)
				if s := sub.Stats(); s.OnDisk+s.Held+s.Marked > 0 || s.Coalesced > 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// What waits for a disk that hangs is bounded in number and in bytes, and what exceeds that is
// marked: each object ends in its last state.
func TestADiskThatHangsFillsNoMemory(t *testing.T) {
	for name, bound := range map[string]func(*buffer.Config){
		"number": func(cfg *buffer.Config) { cfg.MaxUnwritten = 3 },
		"bytes":  func(cfg *buffer.Config) { cfg.MaxUnwrittenBytes = 1000 },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				gate := make(chan struct{})
				_, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill})
				sub.spillTo(hangs(gate)["write"], bound)
				for range 100 {
					w.applyEach("a", "b")
				}
				w.server.remove("b")
				synctest.Wait()
				s := sub.Stats()
				if s.OnDisk < 2 || s.OnDisk > 6 || s.Marked != 2 || s.Held != 1 ||
					uint64(s.OnDisk+s.Marked+s.Held)+s.Coalesced != 201 {
					t.Errorf("%+v", s)
				}
				close(gate)
				got := w.serve(sub).take()
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
				_, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill})
				sub.spillTo(hangs(gate)[how])
				w.applyEach("a", "b", "a", "b")
				if how == "read" {
					d, err := sub.Next(w.ctx)
					if err != nil {
						t.Fatal(err)
					}
					d.Done()
					synctest.Wait()
				}
				begun := time.Now() // of the bubble's clock
				discarded := sub.Discard()
				if took := time.Since(begun); took != maxDiskWait {
					t.Errorf("it took %v", took)
				}
				if s := sub.Stats(); discarded+int(s.Done) != 4 || s.OnDisk+s.Held > 0 ||
					s.SpillError == nil ||
					!strings.Contains(s.SpillError.Error(), "does not answer") {
					t.Errorf("%d discarded, %+v", discarded, s)
				}
				if _, err := sub.Next(w.ctx); err == nil {
					t.Error("there is something left")
				}
				close(gate)
				sub.settle()
				if len(sub.buf.Origins()) > 0 || sub.buf.DiskDue() || sub.buf.Stats().Mistakes > 0 {
					t.Errorf("%+v", &sub.buf)
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
			_, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill})
			sub.spillTo(hangs(gate)["write"])
			subscriptions[i] = sub
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
		for _, sub := range subscriptions {
			sub.settle()
		}
	})
}

// Who discards a subscription finds its file closed.
func TestDiscardClosesTheSpillFile(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill})
		var made []*slowDisk
		sub.spillTo(func() *slowDisk {
			made = append(made, &slowDisk{})
			return made[len(made)-1]
		})
		w.applyEach("a", "b", "a", "b")
		sub.Discard()
		if s := sub.Stats(); len(made) != 1 || !made[0].Closed || s.SpillError != nil {
			t.Errorf("%d segments, %+v", len(made), s)
		}
	})
}
