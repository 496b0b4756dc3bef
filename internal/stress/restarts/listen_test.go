package restarts

import (
	"fmt"
	"strings"
	"testing"
)

// listen has the oracles check what has come.
func (w *world) listen(t *testing.T, l *life) {
	t.Helper()
	w.read(t, l)
	for _, f := range w.followers {
		entries := w.lines[min(f.heard, len(w.lines)):]
		if f.output != ledgerFile {
			entries = w.receivers.ledger(f.output, f.heard)
		}
		for i := range entries {
			e := &entries[i]
			f.heard++
			w.stats.messages++
			if e.Resumed {
				w.stats.resumed++
			}
			if e.outcome == taken && f.taken[e.ID] {
				w.stats.again++
			}
			f.taken[e.ID] = f.taken[e.ID] || e.outcome == taken
			wrong := w.ids.check(f, e)
			if wrong == "" {
				wrong = f.hear(e)
			}
			if wrong != "" && !t.Failed() {
				w.fail(t, problem{f, e.key(), e.String() + "\n" + wrong})
				t.Logf("the log of life %d:\n%s", l.number, l.tail(30))
			}
		}
	}
	entries := w.receivers.ledger(control, w.control.heard)
	for i := range entries { // it gets everything again, and knows no end that it has not heard
		e := &entries[i]
		w.control.heard++
		c := w.control.object(e.key())
		if c.is = (known{}); e.outcome == taken && e.Op != "delete" {
			c.is = known{e.UID, e.version()}
		}
	}
}

// fail reports a problem, with the ledger and the history of the object.
func (w *world) fail(t *testing.T, p problem) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s: %s\nthe ledger:\n", w.name, p.follower.name(), p.key, p.what)
	var all []string
	add := func(e *entry) {
		if e.key() == p.key {
			all = append(all, e.String())
		}
	}
	w.receivers.mu.Lock()
	for i, e := range w.receivers.ledgers[p.follower.output] {
		if i < p.follower.heard {
			add(e)
		}
	}
	w.receivers.mu.Unlock()
	if p.follower.output == ledgerFile {
		for i := range w.lines {
			add(&w.lines[i])
		}
	}
	for _, e := range all[max(0, len(all)-12):] {
		fmt.Fprintln(&b, " ", e)
	}
	fmt.Fprintln(&b, "the history:")
	history := w.server.of(p.key)
	for _, c := range history[max(0, len(history)-12):] {
		fmt.Fprintln(&b, " ", c)
	}
	fmt.Fprintf(&b, "the server forgot what was before %d\nlives:\n", w.server.compacted)
	for _, what := range w.past[max(0, len(w.past)-8):] {
		fmt.Fprintln(&b, " ", what)
	}
	t.Error(b.String())
}

// doubled returns how often something came from both sides of an outbox.
func (w *world) doubled() (n int) {
	for _, f := range w.followers {
		for _, c := range f.objects {
			n += c.doubled
		}
	}
	return n
}
