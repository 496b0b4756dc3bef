package restarts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// ways are how lives end.
var ways = []string{
	atRandom, atRandom, atRandom, early, terminated, terminated, hasty, committing, committing,
	committed, committed, inAnswer, inAnswer, halfList, wholeList, comparing, preparing, inReload,
	reloaded, inDrain, draining,
}

const (
	atRandom   = "killed at random"
	early      = "killed before it has started"
	terminated = "stopped"
	hasty      = "stopped without the time to finish"
	inAnswer   = "killed between a request and its answer"
	halfList   = "killed in half of a list"
	wholeList  = "killed after a list"
	inReload   = "killed in a reload"
	inDrain    = "killed while it stops"
)

func TestRestarts(t *testing.T) {
	t.Parallel()
	s, err := sizeFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("STRESS_SEED=%d: %d worlds with %d lives each", s.seed, s.worlds, s.lives)
	var mu sync.Mutex
	tally, ends, kills := map[string]int{}, map[string]int{}, 0
	t.Run("worlds", func(t *testing.T) {
		for n := range s.worlds {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, s, n)
				w.run(t)
				mu.Lock()
				defer mu.Unlock()
				kills += w.killed
				for fault, n := range w.server.tally {
					tally[fault] += n
				}
				for way, n := range w.ends {
					ends[way] += n
				}
			})
		}
	})
	t.Logf("%d kills; ends: %s", kills, listed(ends))
	t.Logf("%d of %d faults of the server: %s", len(tally), len(tally)+len(missing(tally)),
		listed(tally))
	if s.lives < 100 || t.Failed() {
		return
	}
	if none := missing(tally); len(none) > 0 {
		t.Errorf("faults that did not happen: %v", none)
	}
	for _, way := range ways {
		if ends[way] == 0 {
			t.Errorf("nobody was %s", way)
		}
	}
	if kills < 500 {
		t.Errorf("%d kills, want 500", kills)
	}
}

func listed(counts map[string]int) string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%s %d, ", what, counts[what])
	}
	return strings.TrimSuffix(b.String(), ", ")
}

// run runs one life after the other.
func (w *world) run(t *testing.T) {
	w.wait.Go(w.change)
	stop := sync.OnceFunc(func() { close(w.stop); w.wait.Wait() })
	defer stop()
	order := w.rand.Perm(len(ways))
	for n := range w.lives {
		if n > 0 && n%len(ways) == 0 {
			order = w.rand.Perm(len(ways))
		}
		w.live(t, ways[order[n%len(ways)]])
		if n%10 == 9 {
			w.settle(t)
		}
		if t.Failed() {
			return
		}
	}
	w.rest(t)
	stop()
	w.receivers.mu.Lock()
	defer w.receivers.mu.Unlock()
	t.Logf("%d kills in %d lives, %d changes, %d messages, %d commits; %d resumed, "+
		"%d again after a kill, %d of them twice, %d ends missing at the control; requests: %s; receivers: %s",
		w.killed, w.number, len(w.server.history), w.stats.messages, w.stats.commits,
		w.stats.resumed, w.stats.again, w.doubled(), w.stats.missed, listed(w.server.answered),
		listed(w.receivers.tally))
	if w.stats.missed == 0 {
		t.Error("the control has missed no end: the oracle cannot find losses, or nothing was lost")
	}
}

// live is one life of the child, from the changes before it to its end.
func (w *world) live(t *testing.T, way string) {
	t.Helper()
	w.draw()
	w.server.heal()
	slow := w.plan(t, way == halfList || way == wholeList || way == comparing)
	var at point
	switch way {
	case committing, committed:
		at = point{ends: way, after: w.rand.IntN(4)}
	case preparing:
		at = point{ends: way, since: started, after: w.rand.IntN(3)}
	case comparing:
		at = point{ends: way, after: 1} // the first one is the control's
	case draining, reloaded:
		at = point{ends: way}
	case halfList, wholeList:
		w.server.mu.Lock()
		w.server.killIn = way
		w.server.mu.Unlock()
	case hasty:
		w.settings.drain = "300ms"
	}
	w.configure(t)
	l := w.start(t, at)
	pause := time.Duration(w.rand.IntN(900)) * time.Millisecond
	if slow {
		pause += time.Duration(w.rand.IntN(2000)) * time.Millisecond
	}
	if way == early {
		l.over(time.Duration(w.rand.IntN(400)) * time.Millisecond)
		l.kill()
	} else if !l.until(started, patience) && !l.killed() {
		t.Errorf("life %d does not start:\n%s", l.number, l.tail(30))
	}
	for n := 0; n < 500 && w.server.owesList() && !l.over(10*time.Millisecond); n++ {
	}
	w.disturb(t, l, pause)
	w.end(t, l, way)
	w.finish(t, l, way)
}

// plan draws what happens before a life and to its first requests. It reports whether that takes
// time. The life may be one that is killed in a list.
func (w *world) plan(t *testing.T, killed bool) (slow bool) {
	r := w.rand
	w.writing.Lock()
	w.ahead = one(r, []int{30, 60, 300})
	w.writing.Unlock()
	changes := 0
	if r.IntN(3) > 0 {
		changes = r.IntN(60)
	}
	unseen := killed || r.IntN(4) == 0
	w.away(changes, unseen)
	w.receivers.set(one(r, []weather{calm, calm, rough, rough, thick}))
	if r.IntN(3) == 0 {
		w.receivers.set(storm, one(r, w.followers).output)
	}
	w.server.mu.Lock()
	if r.IntN(5) == 0 {
		w.server.slow = time.Duration(r.IntN(200)) * time.Millisecond
	}
	w.server.mu.Unlock()
	if r.IntN(4) == 0 {
		w.server.fail("watch", w.fault("watch"))
		slow = true
	}
	if unseen && !killed {
		// as often as there are faults of each
		kind := one(r, []string{"list", "list", "page", "streamed list", "streamed list"})
		w.server.fail(kind, w.fault(kind))
		w.server.mu.Lock()
		w.server.streams, w.server.pages = kind == "streamed list", kind == "page"
		w.server.mu.Unlock()
		slow = true
	}
	if r.IntN(12) == 0 {
		w.refuse(t)
		slow = true
	}
	return slow
}

// fault returns the next fault of a kind: each comes in turn.
func (w *world) fault(kind string) string {
	of := faults[kind]
	w.faults[kind]++
	return of[(w.faults[kind]+w.shift)%len(of)]
}

// refuse has the server refuse connections for a while.
func (w *world) refuse(t *testing.T) {
	w.server.note("refused")
	w.server.refuse()
	w.wait.Go(func() {
		select {
		case <-time.After(300 * time.Millisecond):
		case <-w.stop:
		}
		w.server.accept(t)
	})
}

// disturb has things happen to a child for a while.
func (w *world) disturb(t *testing.T, l *life, most time.Duration) {
	r := w.rand
	if r.IntN(3) == 0 && !l.over(most/3) {
		w.server.fail("stream", w.fault("stream"))
		if r.IntN(3) == 0 {
			w.server.compact()
		}
	}
	if r.IntN(6) == 0 && !l.over(most/3) {
		w.reload(t, l)
	}
	if r.IntN(10) == 0 && !l.over(most/3) {
		w.refuse(t)
	}
	l.over(most / 3)
}

// reload changes the configuration while the child runs.
func (w *world) reload(t *testing.T, l *life) {
	l.goesOn(len(w.followers))
	drain := w.settings.drain
	w.draw()
	w.settings.drain = drain
	w.configure(t)
	l.signal(syscall.SIGHUP)
}
