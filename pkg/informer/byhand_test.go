package informer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// note is a Progress whose end is not reported.
type note string

func (note) Forgotten()          {}
func (note) MergedInto(Progress) {}

// counted is a Progress that counts.
type counted struct {
	name               string
	at                 int
	forgotten, settled atomic.Int32
}

func (p *counted) Forgotten() { p.forgotten.Add(1) }

func (p *counted) MergedInto(Progress) { p.forgotten.Add(1) }

func byHand(t *testing.T, cfg SubscriptionConfig) *Subscription {
	t.Helper()
	s, err := NewSubscription(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// resyncOf is an event that can be offered in any number.
func resyncOf(name string, version int) event.Event {
	return event.Event{Op: event.Resync, Object: obj(name, name, version)}
}

// An event that is offered by hand comes with its progress at its first delivery, whatever On is,
// and with what the worker left at its retries.
func TestOfferedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := byHand(t, SubscriptionConfig{On: event.OpSet(0).With(event.Delete)})
		if taken, err := s.Offer(resyncOf("a", 1), note("first")); !taken || err != nil {
			t.Fatal(taken, err)
		}
		d, err := s.Next(t.Context())
		if err != nil || d.Attempt != 1 || d.Progress != note("first") || s.Waiting() != 1 {
			t.Fatalf("%+v, %v, %d waiting", d, err, s.Waiting())
		}
		d.Retry(time.Second)
		if d, err = s.Next(t.Context()); err != nil || d.Attempt != 2 || d.Progress != note("first") {
			t.Fatalf("%+v, %v", d, err)
		}
		d.Done()
		if stats := s.Stats(); s.Waiting() != 0 || stats.Offered != 1 || stats.Done != 1 ||
			stats.Refused != 0 {
			t.Errorf("%d waiting, %+v", s.Waiting(), stats)
		}
	})
}

// A worker that gives up at the moment at which an event comes leaves it to another one.
func TestAWorkerThatGivesUpKeepsNoEvent(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			s := byHand(t, SubscriptionConfig{})
			ctx, cancel := context.WithCancel(t.Context())
			got := make(chan bool, 2)
			for _, ctx := range []context.Context{ctx, t.Context()} {
				go func() {
					d, err := s.Next(ctx)
					if err == nil {
						d.Done()
					}
					got <- err == nil
				}()
				synctest.Wait() // the first one is woken first
			}
			if _, err := s.Offer(resyncOf("a", 1), nil); err != nil {
				t.Fatal(err)
			}
			cancel()
			synctest.Wait()
			if s.Waiting() != 0 {
				t.Error("the event waits, and so does a worker")
			}
			s.Stop()
			for range 2 {
				<-got
			}
		})
	}
}

// What waits for a retry comes at once if the worker wants that, and only once.
func TestRetryNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := byHand(t, SubscriptionConfig{})
		for _, name := range []string{"a", "b", "c"} {
			if _, err := s.Offer(resyncOf(name, 1), nil); err != nil {
				t.Fatal(err)
			}
			d, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			d.Retry(time.Hour)
		}
		begun := time.Now()
		s.RetryNow()
		s.RetryNow()
		for range 3 {
			d, err := s.Next(t.Context())
			if err != nil || d.Attempt != 2 || time.Since(begun) != 0 {
				t.Fatalf("attempt %d after %v, %v", d.Attempt, time.Since(begun), err)
			}
			d.Retry(2 * time.Hour)
		}
		if d, err := s.Next(t.Context()); err != nil || time.Since(begun) != 2*time.Hour {
			t.Errorf("%v after %v, %v", d.Object.Key(), time.Since(begun), err)
		}
	})
}

// Those who wait for room get it one after the other, as workers finish, and know when the
// subscription stops.
func TestWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := byHand(t, SubscriptionConfig{Name: "out", Capacity: 2, Overflow: OverflowBlock})
		if s.Room() != 2 {
			t.Fatal(s.Room())
		}
		var offered atomic.Int32
		var waiting sync.WaitGroup
		for i := range 5 {
			waiting.Go(func() {
				if s.OfferWait(t.Context(), Entry{Event: resyncOf(fmt.Sprint(i), 1)}) == nil {
					offered.Add(1)
				}
			})
		}
		synctest.Wait()
		if taken, err := s.Offer(resyncOf("a", 1), nil); taken || err != nil || s.Room() != 0 {
			t.Fatal(taken, err, s.Room())
		}
		for done := range int32(4) {
			if synctest.Wait(); offered.Load() != min(2+done, 5) {
				t.Fatalf("%d events done, %d offered", done, offered.Load())
			}
			d, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			d.Done()
		}
		parked, _ := s.Next(t.Context())
		if parked.Retry(time.Hour); s.Room() != 2 {
			t.Errorf("what waits for a retry takes room: %d", s.Room())
		}
		for i := range 2 {
			s.Offer(resyncOf(fmt.Sprint(i), 2), nil)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.OfferWait(ctx, Entry{Event: resyncOf("b", 1)}); !errors.Is(err, context.Canceled) ||
			s.Waiting() != 3 {
			t.Errorf("%v, %d waiting", err, s.Waiting())
		}
		var stopped atomic.Int32
		for _, wait := range []func() error{
			func() error { return s.OfferWait(t.Context(), Entry{Event: resyncOf("b", 1)}) },
			func() error { return s.OfferWait(t.Context(), Entry{Event: resyncOf("c", 1)}) },
		} {
			waiting.Go(func() {
				if err := wait(); errors.Is(err, ErrStopped) {
					stopped.Add(1)
				} else {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		s.Stop()
		if waiting.Wait(); stopped.Load() != 2 || s.Waiting() != 3 {
			t.Errorf("%d know that it stopped, %d waiting", stopped.Load(), s.Waiting())
		}
		p := &counted{}
		if taken, err := s.Offer(resyncOf("d", 1), p); taken || !errors.Is(err, ErrStopped) ||
			p.forgotten.Load() != 0 {
			t.Errorf("%t, %v, forgotten %d times", taken, err, p.forgotten.Load())
		}
		if n := s.Discard(); n != 3 || s.Waiting() != 0 {
			t.Errorf("%d discarded, %d waiting", n, s.Waiting())
		}
	})
}

// Whatever several workers do at the same time, each progress is settled or forgotten, once, and
// none comes after a later one of its object was forgotten.
func TestEachProgressEndsOnce(t *testing.T) {
	const objects, versions = 6, 400
	for _, overflow := range []Overflow{OverflowLatest, OverflowBlock, OverflowDrop,
		OverflowSpill} {
		s := byHand(t, SubscriptionConfig{Capacity: 8, Overflow: overflow, SpillDir: t.TempDir()})
		var all [objects][versions]counted
		var offering, working sync.WaitGroup
		for i := range objects {
			offering.Go(func() {
				for v := range versions {
					p := &all[i][v]
					p.name, p.at = fmt.Sprint(i), v
					if err := s.OfferWait(t.Context(), Entry{Event: resyncOf(p.name, v), Progress: p}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		var last [objects]atomic.Int32
		for range 3 {
			working.Go(func() {
				for {
					d, err := s.Next(t.Context())
					if errors.Is(err, ErrStopped) {
						return
					}
					p, ok := d.Progress.(*counted)
					switch {
					case ok && (p.name != d.Object.Name() || p.forgotten.Load() > 0):
						t.Errorf("%s came with %s %d", story(d.Event), p.name, p.at)
					case ok && p.at%5 == 0 && d.Attempt == 1:
						d.Retry(time.Microsecond)
						continue
					case ok:
						p.settled.Add(1)
						i := p.name[0] - '0'
						if was := last[i].Swap(int32(p.at)); was > int32(p.at) {
							t.Errorf("%s: %d after %d", p.name, p.at, was)
						}
					}
					d.Done()
				}
			})
		}
		offering.Wait()
		s.Stop()
		working.Wait()
		for i := range all {
			for v := range all[i] {
				if p := &all[i][v]; p.settled.Load()+p.forgotten.Load() != 1 {
					t.Fatalf("%d: %s %d was settled %d and forgotten %d times", overflow, p.name,
						v, p.settled.Load(), p.forgotten.Load())
				}
			}
		}
		stats := s.Stats()
		if stats.Offered != objects*versions || s.Waiting() != 0 ||
			stats.Done+stats.Coalesced+stats.Dropped != stats.Offered {
			t.Errorf("%d: %d waiting, %+v", overflow, s.Waiting(), stats)
		}
	}
}

// A progress that its registration's end leaves without a delivery is forgotten.
func TestProgressEndsWithItsRegistration(t *testing.T) {
	inWorld(t, func(w *world) {
		reg, sub := w.hang(SubscriptionConfig{})
		w.applyEach("a", "b")
		var progress [2]counted
		for i := range progress {
			d, err := sub.Next(w.ctx)
			if err != nil {
				t.Fatal(err)
			}
			d.Progress = &progress[i]
			if i == 0 {
				d.Retry(time.Hour)
				continue
			}
			reg.Remove()
			d.Retry(time.Hour)
		}
		for i := range progress {
			if n := progress[i].forgotten.Load(); n != 1 {
				t.Errorf("%d was forgotten %d times", i, n)
			}
		}
	})
}

// BenchmarkOffer is what an event costs that is offered by hand, with its delivery.
func BenchmarkOffer(b *testing.B) {
	const objects = 1000
	s, err := NewSubscription(SubscriptionConfig{})
	if err != nil {
		b.Fatal(err)
	}
	var events [objects]event.Event
	for i := range events {
		events[i] = resyncOf(fmt.Sprintf("pod-%d", i), 1)
	}
	p, n := &counted{}, 0
	b.ReportAllocs()
	for b.Loop() {
		if taken, err := s.Offer(events[n%objects], p); !taken || err != nil {
			b.Fatal(taken, err)
		}
		n++
		d, err := s.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		d.Done()
	}
}

// Several events at once are taken as one by one would be, up to the first that has no room, and
// several deliveries end as one by one would.
func TestSeveralAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := byHand(t, SubscriptionConfig{Capacity: 3, Overflow: OverflowBlock})
		var all []Entry
		for i := range 5 {
			all = append(all, Entry{Event: resyncOf(fmt.Sprint(i), 1), Progress: note(fmt.Sprint(i))})
		}
		got := make(chan Delivery)
		go func() {
			d, err := s.Next(t.Context())
			if err != nil {
				t.Error(err)
			}
			got <- d
		}()
		synctest.Wait() // it waits, so that it has to be woken
		if taken, err := s.OfferAll(all); taken != 3 || err != nil || s.Room() != 0 {
			t.Fatal(taken, err, s.Room())
		}
		out := s.More([]Delivery{<-got}, 5, 1)
		for i, d := range out {
			if d.Progress != note(fmt.Sprint(i)) || d.Object.Name() != fmt.Sprint(i) {
				t.Errorf("the %d. is %+v", i, d)
			}
		}
		room := make(chan error)
		go func() { room <- s.OfferWait(t.Context(), Entry{Event: resyncOf("a", 1)}) }()
		synctest.Wait()
		s.DoneAll([]*Delivery{&out[0], &out[1]})
		if err := <-room; err != nil || s.Ready() != 1 || s.Room() != 1 {
			t.Errorf("%v, %d ready, room for %d", err, s.Ready(), s.Room())
		}
		s.Stop()
		if taken, err := s.OfferAll(all); taken != 0 || !errors.Is(err, ErrStopped) {
			t.Error(taken, err)
		}
		last := s.More(out[2:], 5, 1)
		if s.DoneAll([]*Delivery{&last[0], &last[1]}); s.Waiting() != 0 || s.Stats().Done != 4 ||
			s.Stats().Offered != 4 {
			t.Errorf("%d waiting, %+v", s.Waiting(), s.Stats())
		}
		if _, err := s.Next(t.Context()); !errors.Is(err, ErrStopped) {
			t.Error(err)
		}
	})
}
