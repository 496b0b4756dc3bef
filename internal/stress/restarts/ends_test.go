package restarts

import (
	"math"
	"strings"
	"syscall"
	"testing"
	"time"
)

// end ends a life in its way.
func (w *world) end(t *testing.T, l *life, way string) {
	switch way {
	case terminated:
		w.receivers.set(one(w.rand, []weather{calm, rough, thick}))
		l.signal(syscall.SIGTERM)
	case hasty:
		w.receivers.set(weather{held: 700, fails: 100})
		l.over(time.Duration(w.rand.IntN(50)) * time.Millisecond)
		l.signal(syscall.SIGTERM)
	case inDrain:
		w.receivers.set(weather{held: 500})
		l.signal(syscall.SIGTERM)
		l.over(time.Duration(w.rand.IntN(100)) * time.Millisecond)
		l.kill()
	case draining:
		l.signal(syscall.SIGTERM)
	case inAnswer:
		output := one(w.rand, w.followers).output
		if output == ledgerFile {
			output = everything
		}
		select {
		case <-w.receivers.trap(output):
			l.reaches()
		case <-time.After(2 * time.Second):
		case <-l.ended:
		}
		l.kill()
	case inReload:
		begun, done := l.count(preparing), l.count(reloaded)
		w.reload(t, l)
		if w.rand.IntN(2) == 0 { // a busy machine may need longer than 20 ms to begin
			l.await(patience, func() bool {
				return l.seen[preparing] > begun || l.seen[reloaded] > done
			})
		}
		l.over(time.Duration(w.rand.IntN(20)) * time.Millisecond)
		l.kill()
		if l.over(patience) && l.count(preparing) > begun && l.count(reloaded) == done {
			l.reaches()
		}
	case reloaded, preparing:
		w.reload(t, l)
		l.over(10 * time.Second)
		l.kill()
	case committing, committed, halfList, wholeList, comparing:
		l.over(10 * time.Second) // it is killed by itself, or by the server
		l.kill()
	default:
		l.kill()
	}
	if !l.over(patience) {
		l.signal(syscall.SIGQUIT)
		l.over(patience)
		t.Errorf("life %d, %s, does not end:\n%s", l.number, way, l.tail(50))
		l.kill()
	}
}

// finish has the oracles check what came in a life that has ended.
func (w *world) finish(t *testing.T, l *life, way string) {
	t.Helper()
	<-l.ended
	if !w.receivers.quiet(l.number) {
		t.Errorf("a request of life %d is still under way", l.number)
	}
	w.receivers.begin(0)
	w.server.end(l)
	w.server.accept(t)
	w.stats.commits += l.committed()
	safe := l.safe()
	switch {
	case l.killed():
		w.killed++
	case l.exit() != nil:
		t.Errorf("life %d, %s, ended with %v:\n%s", l.number, way, l.exit(), l.tail(50))
	case way != hasty:
		safe = math.MaxInt
	}
	if l.got(way) {
		w.ends[way]++
	}
	for _, text := range l.wrote() {
		if strings.Contains(text, "DATA RACE") || strings.HasPrefix(text, "panic:") ||
			strings.HasPrefix(text, "fatal error:") {
			t.Errorf("life %d, %s:\n%s", l.number, way, l.tail(20))
			break
		}
	}
	if l.killed() || way == hasty {
		w.server.forgets(window{l.number, w.receivers.versionAt(safe), w.server.last()})
	}
	w.past = append(w.past, l.about(way, safe, w.server.requested()))
	w.listen(t, l)
	for _, f := range append(w.followers[:len(w.followers):len(w.followers)], w.control) {
		f.end(l.number, l.killed() || way == hasty, safe)
	}
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	for _, what := range w.server.mayNot {
		t.Errorf("a list that should not have come: %s", what)
	}
}

// got reports whether a life has ended where it had to.
func (l *life) got(way string) bool {
	switch way {
	case early:
		return l.killed() && l.count(started) == 0
	case terminated, hasty:
		return !l.killed()
	case committing, committed, comparing, preparing, reloaded, draining:
		return l.last() == way
	case inDrain:
		return l.killed() && l.count(draining) > 0
	case inAnswer, inReload, halfList, wholeList:
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.reached
	}
	return true
}
