package reloads

import (
	"fmt"
	"maps"
	"slices"
)

// truth is what the oracle compares the ledgers with.
type truth struct {
	history  []change
	begin    int // the server's version at the start of the daemon
	now      map[string]*pod
	versions map[int]*version // those that were applied, by their numbers
	last     *version
}

// states returns the changes of each object.
func (w *truth) states() map[string][]change {
	by := map[string][]change{}
	for _, c := range w.history {
		by[c.key()] = append(by[c.key()], c)
	}
	return by
}

// problems collects what is wrong, but not without end.
type problems []string

func (p *problems) add(format string, args ...any) {
	if len(*p) < 20 {
		*p = append(*p, fmt.Sprintf(format, args...))
	}
}

// told is one thing that a listener is to be told.
type told struct {
	op      string
	version int
}

// expected is what a listener of all objects of a select hears about one, from its state at the
// beginning on.
func (w *truth) expected(changes []change, selected asks) (all []told) {
	var has *pod
	for _, c := range changes {
		p := c.after
		if p != nil && !selected.of(p) {
			p = nil
		}
		switch {
		case c.version <= w.begin:
			if all = nil; p != nil {
				all = []told{{"add", c.version}}
			}
		case has == nil && p != nil:
			all = append(all, told{"add", c.version})
		case p != nil:
			all = append(all, told{"update", c.version})
		case has != nil:
			all = append(all, told{"delete", 0})
		}
		has = p
	}
	return all
}

// still checks a listener that did not change.
func (w *truth) still(all []message, listener string, selected asks) (wrong problems) {
	got := heardBy(all, listener, listener)
	states := w.states()
	for key := range keys(got, states) {
		var is []told
		for _, m := range got[key] {
			t := told{m.Op, m.version()}
			if m.Op == "delete" {
				t.version = 0
			}
			is = append(is, t)
		}
		if want := w.expected(states[key], selected); !slices.Equal(is, want) {
			i := 0
			for i < min(len(is), len(want)) && is[i] == want[i] {
				i++
			}
			wrong.add("%s, %s: %d messages, want %d; from the %d-th on: got %v, want %v", listener,
				key, len(is), len(want), i+1, is[i:min(len(is), i+3)], want[i:min(len(want), i+3)])
		}
	}
	return wrong
}

// versioned checks that versions of the configuration come in order and were applied.
func (w *truth) versioned(all []message) (wrong problems) {
	for _, listener := range changing {
		for _, output := range []string{listener, listener + "-more"} {
			for key, messages := range heardBy(all, listener, output) {
				before := 0
				for _, m := range messages {
					switch {
					case w.versions[m.Data.V] == nil:
						wrong.add("%s: %v is from a version that was refused", listener, m)
					case m.Data.V < before:
						wrong.add("%s, %s: %v came after version %d", listener, key, m, before)
					}
					before = max(before, m.Data.V)
				}
			}
		}
	}
	return wrong
}

// kept checks what a listener without a filter gets: from one state to the next. If there was no
// room for some events of an object, what its handler made of the last one comes, with missed set.
func (w *truth) kept(all []message, listener string) (wrong problems) {
	for key, messages := range heardBy(all, listener, listener) {
		in, last, highest := false, 0, 0
		for i, m := range messages {
			bad := ""
			switch v := m.version(); m.Op {
			case "add":
				if in && m.Missed == 0 {
					bad = "added twice"
				} else if v < highest {
					bad = "goes back"
				}
				in = true
			case "update":
				if v <= last {
					bad = "goes back or comes twice"
				} else if m.Missed > 0 {
				} else if !in {
					bad = "not added before"
				} else if m.from() != last && !w.refused(listener, m.from()) {
					bad = "not from the last state"
				}
				in = true
			case "delete":
				if !in && m.Missed == 0 {
					bad = "not added before"
				}
				in = false
			case "resync":
				if m.Missed == 0 && (!in || v != last) {
					bad = "another state in a resync"
				}
				in = true
			default:
				bad = "an unknown operation"
			}
			if m.Op != "delete" {
				last, highest = m.version(), max(highest, m.version())
			}
			if bad != "" {
				wrong.add("%s, %s: %s: %v", listener, key, bad, messages[max(0, i-3):i+1])
			}
		}
	}
	return wrong
}

// refused reports whether the select of the beginning may have refused a state before the buffer. A
// reload does not bring such a state back, and a later event has it as the old one.
func (w *truth) refused(listener string, version int) bool {
	first := w.versions[slices.Min(slices.Collect(maps.Keys(w.versions)))]
	i, found := slices.BinarySearchFunc(w.history, version, func(c change, v int) int {
		return c.version - v
	})
	return listener == "scoped" && found && w.history[i].after != nil &&
		!first.selected.of(w.history[i].after)
}

// ended checks that a listener without a filter has the last state of each object that it wants.
func (w *truth) ended(all []message, listener string, wants func(*pod) bool) (wrong problems) {
	got := heardBy(all, listener, listener)
	for key := range keys(got, w.now) {
		p := w.now[key]
		var last message
		if n := len(got[key]); n > 0 {
			last = got[key][n-1]
		}
		there := last.Op != "" && last.Op != "delete"
		switch wanted := p != nil && wants(p); {
		case wanted && !there:
			wrong.add("%s: %s is wanted (%s), the last message is %v", listener, key, p.json(),
				last)
		case !wanted && there:
			wrong.add("%s: %s is not wanted, the last message is %v", listener, key, last)
		case wanted && last.version() != p.version:
			wrong.add("%s: %s is at %d, the last message is %v", listener, key, p.version, last)
		}
	}
	return wrong
}

// filtered checks a listener whose filter changes.
func (w *truth) filtered(all []message) (wrong problems) {
	got := heardBy(all, "filtered", "filtered")
	for key, changes := range w.states() {
		seen := map[int]bool{}
		deletes, highest := 0, 0
		for _, m := range got[key] {
			v := w.versions[m.Data.V]
			if v == nil || m.Op == "resync" { // versioned says so; it is not a new state
				continue
			}
			if m.Op == "delete" {
				deletes++
				continue
			}
			if !v.filter.of(&pod{n: m.Data.N}) {
				wrong.add("filtered: the filter of version %d, %s, is false for %v", v.v,
					v.filter.text, m)
			}
			if m.version() <= highest {
				wrong.add("filtered: %v came after %d", m, highest)
			}
			highest = max(highest, m.version())
			seen[m.version()] = true
		}
		for _, c := range changes {
			switch {
			case c.version <= w.begin:
			case c.after == nil:
				deletes--
			case c.after.n%6 == 1 && !seen[c.version]:
				wrong.add("filtered: no message of %s, which every filter lets through; it got %v",
					c.after.json(), got[key])
			}
		}
		if deletes != 0 {
			wrong.add("filtered: %s: %d deletes too many", key, deletes)
		}
	}
	return wrong
}

// handled checks that modules come in order, and are those of their versions.
func (w *truth) handled(all []message) (wrong problems) {
	for key, messages := range heardBy(all, "handled", "handled") {
		before := 0
		for _, m := range messages {
			v := w.versions[m.Data.V]
			switch {
			case v == nil:
			case m.Data.M < before:
				wrong.add("handled, %s: %v came after module %d", key, m, before)
			case m.Data.M > v.module:
				wrong.add("handled: %v is of module %d, that version has %d", m, m.Data.M, v.module)
			}
			before = max(before, m.Data.M)
		}
	}
	return wrong
}

// judged checks that violated and resolved alternate.
func (w *truth) judged(all []message, listener string) (wrong problems) {
	for key, messages := range heardBy(all, listener, listener) {
		open := map[string]bool{}
		for i, m := range messages {
			if violated := m.told() == "violated"; violated == open[m.Rule] {
				wrong.add("%s, %s: twice: %v", listener, key, messages[max(0, i-4):i+1])
			}
			open[m.Rule] = m.told() == "violated"
		}
	}
	return wrong
}

// open checks that the violations of the last rules are those that were reported.
func (w *truth) open(all []message, listener string, rules map[string]asks,
	selected asks) (wrong problems) {
	got := heardBy(all, listener, listener)
	for key := range keys(got, w.now) {
		open := map[string]bool{}
		for _, m := range got[key] {
			open[m.Rule] = m.told() == "violated"
		}
		for rule := range keys(open, rules) {
			p, deny := w.now[key], rules[rule].of
			want := p != nil && deny != nil && selected.of(p) && deny(p)
			if open[rule] != want {
				wrong.add("%s: rule %s of %s is violated: %t, reported: %t, got %v", listener, rule,
					key, want, open[rule], got[key][max(0, len(got[key])-4):])
			}
		}
	}
	return wrong
}

// guests checks that what comes of a listener is in order of versions.
func (w *truth) guests(all []message) (wrong problems) {
	for n := range 3 {
		name := fmt.Sprintf("guest-%d", n)
		for key, messages := range heardBy(all, name, "guests") {
			before := message{}
			for _, m := range messages {
				v := w.versions[m.Data.V]
				switch {
				case v == nil || !v.guests[n]:
					wrong.add("%s: %v is from a version without it", name, m)
				case m.Data.V < before.Data.V:
					wrong.add("%s, %s: %v came after %v", name, key, m, before)
				case m.version() < before.version() && m.Op != "delete":
					wrong.add("%s, %s: %v goes back after %v", name, key, m, before)
				}
				before = m
			}
		}
	}
	return wrong
}

// always is what is wrong whenever it is asked.
func (w *truth) always(all []message) problems {
	return slices.Concat(w.versioned(all), w.kept(all, "scoped"), w.kept(all, "handled"),
		w.handled(all), w.judged(all, "judged"), w.judged(all, "still-rules"), w.guests(all))
}

// atLast is what is wrong once everything has come.
func (w *truth) atLast(all []message) problems {
	rules := map[string]asks{}
	for n, d := range w.last.rules {
		rules[fmt.Sprintf("r%d", n)] = d
	}
	every := func(*pod) bool { return true }
	return slices.Concat(
		w.still(all, "still-file", everything), w.still(all, "still-hook", selects[2]),
		w.open(all, "still-rules", map[string]asks{"r": denies[0]}, everything),
		w.ended(all, "scoped", func(p *pod) bool {
			return w.last.within.has(p) && w.last.selected.of(p)
		}),
		w.ended(all, "handled", every), w.filtered(all),
		w.open(all, "judged", rules, w.last.watched))
}
