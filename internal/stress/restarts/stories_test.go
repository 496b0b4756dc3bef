package restarts

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// What a full run has found, and what it would find only now and then.

// TestAReloadBeforeListenersAreBound has the configuration reloaded while the daemon still asks the
// API server which resources there are: no listener begins again from nothing.
func TestAReloadBeforeListenersAreBound(t *testing.T) {
	t.Parallel()
	for _, end := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(fmt.Sprint(end), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, size{objects: 20, seed: 1}, 0)
			w.settings = settings{drain: "1m", workers: 1, mode: "mode: structured",
				capacity: 1024}
			w.once(t, 0, syscall.SIGTERM)
			w.server.slow = 200 * time.Millisecond
			w.once(t, 1, end)
			w.server.heal()
			w.once(t, 0, syscall.SIGTERM)
		})
	}
}

// once runs a life in which nothing happens but some reloads, until all agree.
func (w *world) once(t *testing.T, reloads int, end syscall.Signal) {
	t.Helper()
	if t.Failed() {
		return
	}
	w.configure(t)
	l := w.start(t, point{})
	l.until(started, patience)
	for range reloads {
		w.settings.workers++
		w.settings.capacity /= 2
		w.configure(t)
		l.signal(syscall.SIGHUP)
		l.until(reloaded, patience)
	}
	l.until(listening, patience)
	w.agree(t, l)
	l.over(time.Second) // for what must not come
	l.signal(end)
	l.over(patience)
	w.finish(t, l, "once")
}
