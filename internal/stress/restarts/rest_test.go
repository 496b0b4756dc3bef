package restarts

import (
	"testing"
	"time"
)

// settle runs a life undisturbed until all receivers have what is.
func (w *world) settle(t *testing.T) {
	t.Helper()
	if t.Failed() {
		return
	}
	l := w.undisturbed(t)
	w.writing.Lock()
	w.agree(t, l)
	w.writing.Unlock()
	w.end(t, l, one(w.rand, []string{atRandom, terminated}))
	w.finish(t, l, "at rest")
}

// rest checks that nothing comes if nothing happens.
func (w *world) rest(t *testing.T) {
	t.Helper()
	w.writing.Lock()
	defer w.writing.Unlock()
	for range 2 {
		if t.Failed() {
			return
		}
		for key := range w.server.now() {
			if c := w.control.objects[key]; c != nil && c.is != (known{}) {
				w.server.remove(key) // which the control misses
				break
			}
		}
		l := w.undisturbed(t)
		w.agree(t, l)
		w.end(t, l, terminated)
		w.finish(t, l, "at rest")
	}
}

func (w *world) undisturbed(t *testing.T) *life {
	w.draw()
	w.server.heal()
	w.receivers.set(calm)
	w.configure(t)
	l := w.start(t, point{})
	if !l.until(started, patience) {
		t.Errorf("life %d does not start:\n%s", l.number, l.tail(30))
	}
	return l
}

// agree waits until all ledgers agree with the objects, which do not change.
func (w *world) agree(t *testing.T, l *life) {
	t.Helper()
	now := w.server.now()
	var wrong []problem
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if w.listen(t, l); t.Failed() {
			return
		}
		wrong = nil
		for _, f := range w.followers {
			wrong = append(wrong, f.disagree(now)...)
		}
		if len(wrong) == 0 {
			break
		}
		if time.Now().After(deadline) || l.over(0) {
			for _, p := range wrong[:min(len(wrong), 3)] {
				w.fail(t, p)
			}
			t.Errorf("%d ledgers of objects disagree in life %d:\n%s", len(wrong), l.number,
				l.tail(20))
			return
		}
	}
	for _, f := range w.followers {
		f.settled(now)
	}
	for key, c := range w.control.objects {
		if c.is != (known{}) && now[key] == nil {
			w.stats.missed++
		}
	}
}
