package away

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/pkg/informer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// outage is how long the output is away.
const outage = 10 * time.Minute

// size returns how many objects there are, and how many events during the outage.
func size() (objects, events int) {
	switch {
	case testing.Short():
		return 2_000, 10_000
	case raced:
		return 5_000, 25_000
	}
	return 20_000, 100_000
}

func TestTheOnlyOutputIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(size())
		away, bad := w.receive("away")
		healthy, good := w.receive("healthy")
		w.listen(t, "sole", away)
		w.listen(t, "other", healthy)
		w.story(t, bad, good)
	})
}

func TestOneOfTwoOutputsIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(size())
		away, bad := w.receive("away")
		healthy, good := w.receive("healthy")
		w.listen(t, "both", away, healthy)
		w.listen(t, "other", healthy)
		w.story(t, bad, good)
	})
}

// story has everything happen: bad goes away, and comes back.
func (w *world) story(t *testing.T, bad, good *receiver) {
	_, events := size()
	for i := range w.objects {
		w.change(t, i)
		if i%100 == 99 {
			time.Sleep(time.Second)
		}
	}
	time.Sleep(time.Minute)
	w.checkAll(t, bad, good)
	before := heap()

	bad.set(true)
	const burst = 10
	pause := outage * burst / time.Duration(events)
	var used []int64
	for n := range events {
		w.change(t, w.random.IntN(len(w.objects)))
		if n%burst == burst-1 {
			time.Sleep(pause)
		}
		if n%(events/20) == events/20-1 {
			synctest.Wait()
			w.checkCounters(t)
		}
		if n%(events/4) == events/4-1 {
			used = append(used, heap()-before)
		}
	}
	bound := w.memory()
	t.Logf("%v bytes in use, of %d; %d writes, %d lines of log", used, bound, bad.writes,
		w.lines.Load())
	if before, after := used[2], used[3]; after > bound || after > before*6/5 {
		t.Errorf("%d bytes are in use, and %d a quarter before, want at most %d", after, before,
			bound)
	}
	if most := mostWrites(); bad.writes > most {
		t.Errorf("%d writes while it was away, want at most %d", bad.writes, most)
	}
	if n, most := w.lines.Load(), mostLines(); n > most {
		t.Errorf("%d lines of log, want at most %d", n, most)
	}
	w.checkAll(t, good)
	for name, l := range good.ledgers {
		if l.slowest > pause {
			t.Errorf("%s: an event took %v, want less than the %v until the next ones", name,
				l.slowest, pause)
		}
	}

	bad.set(false)
	time.Sleep(2 * time.Minute)
	w.checkAll(t, bad, good)
	w.checkCounters(t)
	for _, l := range w.listeners {
		l.events.Stop()
		if err := <-l.ended; err != nil {
			t.Errorf("%s: %v", l.name, err)
		}
	}
}

// memory is how many bytes may be in use for what waits for the first listener's output. Of each
// object there is a mark, with the state before. Of each entry that is not merged there are two
// states; in a buffer there is room for some, and for as many again behind those that wait for a
// retry.
func (w *world) memory() int64 {
	const (
		state       = text + 1<<10
		bookkeeping = 1 << 10
	)
	const buffers = 2 // the listener's, and the outbox
	return int64(len(w.objects))*(state+bookkeeping) +
		buffers*2*capacity*(2*state+bookkeeping)
}

// mostWrites is how often an output is tried that is away: some times until it is paused, and then
// once after each pause. A pause is twice as long as the one before, up to a minute, and with
// jitter at least half of that.
func mostWrites() int {
	n := delivery.FailuresBeforePause + writes
	length := time.Second
	for at := time.Duration(0); at < outage; at += length / 2 {
		n++
		if at > 0 {
			length = min(2*length, time.Minute)
		}
	}
	return n
}

// mostLines is how many lines the log may have: those of failures, and two for each pause.
func mostLines() int64 {
	return delivery.Burst + delivery.PerSecond*int64(outage/time.Second) +
		2*int64(mostWrites())
}

// checkAll checks that receivers know the last state of everything.
func (w *world) checkAll(t *testing.T, receivers ...*receiver) {
	t.Helper()
	synctest.Wait()
	for _, r := range receivers {
		r.mu.Lock()
		for name, l := range r.ledgers {
			if l.messages+l.missed != w.version {
				l.say("%d messages and %d missed, of %d events", l.messages, l.missed, w.version)
			}
			for i, k := range l.known {
				if k.version != w.versions[i] || k.gone != (w.objects[i] == nil) ||
					k.violated != w.violates[i] {
					l.say("object %d is %+v, but version %d is the last, gone: %t, violated: %t", i,
						k, w.versions[i], w.objects[i] == nil, w.violates[i])
				}
			}
			for _, wrong := range l.wrong {
				t.Errorf("%s: %s", name, wrong)
			}
		}
		r.mu.Unlock()
	}
	if t.Failed() {
		t.FailNow()
	}
}

// waits reports whether so many events can wait in a subscription. A mark is two of them if another
// object has taken the name.
func waits(n int, in informer.SubscriptionStats) bool {
	least := in.Held + in.Parked + in.Marked
	return n >= least && n <= least+in.Marked
}

// checkCounters checks when all is quiet that each event is somewhere.
func (w *world) checkCounters(t *testing.T) {
	t.Helper()
	for _, l := range w.listeners {
		s, in := l.route.Stats(), l.events.Stats()
		taken := 0
		for _, n := range s.Events {
			taken += int(n)
		}
		if in.Dropped+in.Discarded != 0 || int(in.Offered) != w.version ||
			taken+int(in.Coalesced) > w.version || taken-int(s.Matched) > withWorkers ||
			!waits(int(in.Offered-in.Done-in.Coalesced), in) {
			t.Errorf("%s: %d events, %d taken, %d matched, but %+v", l.name, w.version, taken,
				s.Matched, in)
		}
		for i, o := range s.Outputs {
			if s.Matched-o.Offered > withWorkers || o.DeadLettered+o.Dropped != 0 ||
				int(o.Delivered) != l.ledgers[i].messages || int(o.Waiting) > o.Queued ||
				o.Offered != o.Delivered+o.Merged+o.Waiting {
				t.Errorf("%s to %s: %d matched, %d messages are there, but %+v", l.name, o.Output,
					s.Matched, l.ledgers[i].messages, o.Stats)
			}
		}
	}
}
