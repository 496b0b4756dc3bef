package outage

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// check compares one output's ledger with the model and the counters, and returns what is wrong.
func (w *world) check(o output, overflow informer.Overflow, s route.OutputStats) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if len(o.broken) > 0 {
		say("cannot be read: %v", o.broken)
	}
	first, letters := o.firsts(say)
	if s.Offered != s.Delivered+s.DeadLettered+s.Dropped+s.Merged || s.Waiting != 0 {
		say("the counters do not add up: %+v", s.Stats)
	}
	delivered := 0
	told := map[string]string{}
	states := map[string][]message{}
	for _, m := range first {
		name := m.Subject[strings.LastIndex(m.Subject, "/")+1:]
		if m.Rule != "" && m.isLetter {
			continue
		}
		if m.Rule != "" {
			about := name + " " + m.UID
			if was := told[about]; was == m.Type || was == "" && !m.violated() {
				say("%s of %s after %q", m.Type, about, was)
			}
			told[about] = m.Type
		} else if !m.isLetter {
			delivered++
		}
		states[name] = append(states[name], m)
	}
	if s.Offered != events || s.Delivered != uint64(delivered) ||
		s.DeadLettered != uint64(letters) {
		say("%d events, %d taken, %d letters, but counted are %+v", events, delivered, letters,
			s.Stats)
	}
	if o.kind != gone && letters > 0 || overflow != informer.OverflowDrop && s.Dropped > 0 {
		say("%d letters, %d dropped", letters, s.Dropped)
	}
	w.checkStates(states, overflow, s, say)
	// What is gone does not let itself be told, and drop is a choice.
	if o.kind != gone && s.Dropped == 0 {
		w.checkTold(told, say)
	}
	return wrong
}

func (m *message) violated() bool { return strings.HasSuffix(m.Type, ".violated") }

// firsts returns what was taken, without repetitions, and how many events are dead letters.
func (l *output) firsts(say func(string, ...any)) (first []message, letters int) {
	byID, byState := map[string]message{}, map[string]string{}
	for _, m := range l.all {
		was, again := byID[m.ID]
		state := m.Subject + " " + m.Version + " " + m.Type
		switch {
		case again && (was.Version != m.Version || was.Type != m.Type):
			say("one id for %s %s and %s %s", was.Type, was.Version, m.Type, m.Version)
		case again && !l.kind.doubles():
			say("%s came twice", state)
		case again:
			continue
		case byState[state] != "" && m.Rule == "":
			say("%s came with two ids", state)
		}
		byID[m.ID], byState[state] = m, m.ID
		first = append(first, m)
		if m.isLetter && m.Rule == "" {
			letters++
		}
	}
	return first, letters
}

// checkStates looks for events that are lost, and states that go back.
func (w *world) checkStates(states map[string][]message, overflow informer.Overflow,
	s route.OutputStats, say func(string, ...any)) {
	offered, last := map[string]int{}, map[string]change{}
	for _, c := range w.model.all {
		offered[c.name]++
		last[c.name] = c
	}
	var missed uint64
	for _, name := range slices.Sorted(maps.Keys(offered)) {
		seen, before := 0, 0
		final := 0
		for _, m := range states[name] {
			if m.Version == "" {
				continue // a report that no event caused
			}
			if m.version() < before {
				say("%s: %d after %d", name, m.version(), before)
			}
			before = m.version()
			if m.Rule == "" {
				seen += 1 + m.Missed
				missed += uint64(m.Missed)
				final = m.version()
			}
		}
		if overflow == informer.OverflowDrop {
			continue
		}
		if seen != offered[name] {
			say("%s: %d events, %d known at the receiver", name, offered[name], seen)
		}
		if final != last[name].version {
			say("%s: the last state is %d, the receiver's is %d", name, last[name].version, final)
		}
	}
	if overflow != informer.OverflowDrop && missed != s.Merged {
		say("%d events were missed, but %d merged", missed, s.Merged)
	}
}

// checkTold compares what rules have told with what is true. For objects that are gone nothing may
// be violated.
func (w *world) checkTold(told map[string]string, say func(string, ...any)) {
	last := map[string]change{}
	for _, c := range w.model.all {
		last[c.name+" "+c.uid] = c
	}
	for about, c := range last {
		violated := strings.HasSuffix(told[about], ".violated")
		if current := c.violates && c.op != event.Delete; violated != current {
			say("%s violates: %t, told: %q", about, current, told[about])
		}
	}
}

// checkAsked looks for requests that came although the receiver had asked for a delay. Those that
// were on their way are allowed.
func (l *ledger) checkAsked() (wrong []string) {
	for _, asked := range l.asked {
		for _, begun := range l.begun {
			after := begun.Sub(asked)
			if after > 500*time.Millisecond && after < 900*time.Millisecond {
				wrong = append(wrong, fmt.Sprintf("a request %v after 429 with Retry-After: 1",
					after))
			}
		}
	}
	return wrong
}

// latencies is how long changes took to a receiver, by whether they came during the fault, and the
// 99th percentiles of each run.
type latencies struct{ without, with, p99Without, p99With []time.Duration }

// addLatencies adds those of an output in one run.
func (w *world) addLatencies(to *latencies, o output) {
	var without, with []time.Duration
	at := map[int]time.Time{}
	for _, m := range o.all {
		if _, there := at[m.version()]; !there && m.Rule == "" {
			at[m.version()] = m.at
		}
	}
	for _, c := range w.model.all[30:] { // the first ones have connections to make
		arrived, there := at[c.version]
		switch took := arrived.Sub(c.at); {
		case !there: // it was merged
		case c.faulty:
			with = append(with, took)
		default:
			without = append(without, took)
		}
	}
	to.without, to.with = append(to.without, without...), append(to.with, with...)
	to.p99Without = append(to.p99Without, percentile(without, 99))
	to.p99With = append(to.p99With, percentile(with, 99))
}

func percentile(all []time.Duration, percent int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[(len(all)-1)*percent/100]
}
