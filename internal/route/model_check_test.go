package route

import (
	"fmt"
	"strconv"
	"strings"
)

// checkCounters checks that each entry of an output has one end, at any time.
func (r *modelRun) checkCounters() {
	for _, o := range r.route.Stats().Outputs {
		if o.Offered != o.Delivered+o.DeadLettered+o.Dropped+o.Merged+o.Waiting {
			r.say("%s: the counters do not add up: %+v", o.Output, o.Stats)
		}
	}
}

// goesOut reports whether a version of the pipeline sends something of an event.
func (r *modelRun) goesOut(d *modelEvent, version int) bool {
	s := r.shapes[version]
	if s.filter == 1 && d.in != "all" && d.in != "even" ||
		s.filter == 2 && d.in != "all" && d.in != "odd" {
		return false
	}
	return !s.handler || d.does == "as" || d.does == "one" || d.does == "three"
}

// bounds reports whether something of an event has to go out, and whether it may.
func (r *modelRun) bounds(d *modelEvent) (must, may bool) {
	must = true
	for version := d.from; version <= d.until; version++ {
		goes := r.goesOut(d, version)
		must, may = must && goes, may || goes
	}
	return must && !d.letter, may && !d.letter
}

// check compares what was heard with what was offered, when all is quiet. Drained: nothing is
// waiting. Takes: the receivers took everything in the end.
func (r *modelRun) check(drained, takes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if takes && !drained {
		r.sayLocked("not drained: %+v", r.route.Stats())
	}
	for i, out := range r.all {
		n := len(r.wrong)
		r.checkOrder(out)
		if out.whole {
			r.checkWhole(out, drained)
		}
		if len(r.wrong) > n {
			r.sayLocked("incarnation %d, %s, heard %v", i, out.to.Name, out.heard)
		}
	}
	if takes {
		r.checkRules()
	}
}

// checkOrder checks what an output took: nothing older after something newer, of events and of
// reports, and nothing twice.
func (r *modelRun) checkOrder(out *modelOutput) {
	newest, reports := map[string]modelHeard{}, map[string]int{}
	pipelines := map[string]int{}
	seen := map[string]bool{}
	for _, h := range out.heard {
		if h.letter || h.version == 0 {
			continue
		}
		if h.report != "" {
			if h.version < reports[h.name] {
				r.sayLocked("%v after a report of version %d", h, reports[h.name])
			}
			reports[h.name] = h.version
			continue
		}
		before, replayed := newest[h.name], r.events[h.version-1].replayed
		if h.version < before.version ||
			h.version == before.version && h.part <= before.part && !replayed {
			r.sayLocked("%v after %v", h, before)
		}
		newest[h.name] = h
		if text := fmt.Sprint(h.version, h.part); seen[text] && !replayed {
			r.sayLocked("%v came twice", h)
		} else {
			seen[text] = true
		}
		if by, err := strconv.Atoi(h.data); err == nil && out.to.Name == "out1" && !replayed {
			if d := r.events[h.version-1]; by < d.from || by > d.until || by < pipelines[h.name] {
				r.sayLocked("%v of version %d of the pipeline, from %d, until %d, after %d", h, by,
					d.from, d.until, pipelines[h.name])
			}
			pipelines[h.name] = by
		}
	}
}

// checkWhole checks that each event has ended at an output that was there all the time.
func (r *modelRun) checkWhole(out *modelOutput, drained bool) {
	known, last := map[string]int{}, map[string]int{}
	ended := map[int]bool{}
	for _, h := range out.heard {
		if h.report != "" || ended[h.version] || r.events[h.version-1].letter {
			continue
		}
		d := r.events[h.version-1]
		if _, may := r.bounds(d); !may {
			r.sayLocked("%v, and no version of the pipeline sends it", h)
		}
		ended[h.version] = true
		known[h.name] += 1 + h.missed
		last[h.name] = max(last[h.name], h.version)
	}
	must, may, final := map[string]int{}, map[string]int{}, map[string]int{}
	for i, d := range r.events {
		name := d.event.Object.Name()
		goes, perhaps := r.bounds(d)
		if goes {
			must[name]++
			final[name] = i + 1
		}
		if perhaps {
			may[name]++
		}
	}
	for _, name := range modelNames {
		if known[name] > may[name] {
			r.sayLocked("%s: %d events are known, of at most %d", name, known[name], may[name])
		}
		if drained && !r.lossy && (known[name] < must[name] || last[name] < final[name]) {
			r.sayLocked("%s: %d events are known up to %d, of at least %d up to %d", name,
				known[name], last[name], must[name], final[name])
		}
	}
	s := r.route.Stats()
	o := s.Outputs[0]
	if drained && (o.Waiting != 0 || o.Queued != 0 || o.Made != 0) {
		r.sayLocked("something is waiting: %+v", o)
	}
	// What came back, or was replayed, is counted more than once.
	ends := o.Offered + o.Unwanted + s.Dropped + earlyEnds(s)
	if drained && r.replays == 0 && r.cut == 0 && (s.Matched < ends || s.Matched > ends+r.back) {
		r.sayLocked("%d have matched: %+v", s.Matched, s)
	}
}

// earlyEnds returns how often an event that matched did not come to the outputs.
func earlyEnds(s Stats) (n uint64) {
	for _, e := range s.Early {
		if e.Reason == reasonHandler || e.Reason == reasonRefused {
			n += e.Retried + e.DeadLetters
		}
	}
	return n
}

// checkRules checks that the outputs know what is violated in the end.
func (r *modelRun) checkRules() {
	s := r.shapes[len(r.shapes)-1]
	for i, out := range r.outputs {
		for _, name := range modelNames {
			o := r.last[name]
			want := s.rules && o != nil && strings.Contains(o.JSON(), `"Pending"`)
			if out.known[name] != want && !out.refused[name] {
				r.sayLocked("%s: the violation of %s is known: %t, want %t, heard %v", i, name,
					out.known[name], want, out.heard)
			}
		}
	}
}
