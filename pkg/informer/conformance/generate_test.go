package conformance

import "math/rand/v2"

// generate makes a script from a seed.
func generate(seed uint64) script {
	g := &generator{rand: rand.New(rand.NewPCG(seed, 0))}
	g.names = []string{"a", "b", "c", "d", "e", "f", "g", "h"}[:3+g.IntN(6)]
	s := script{streams: g.chance(50)}
	joined := 1 + g.IntN(8)
	for i := range 14 + g.IntN(8) {
		for {
			st := g.step(i == 0)
			st.join = i == joined
			longer := script{streams: s.streams, steps: append(s.steps, st)}
			if longer.fair() {
				s = longer
				break
			}
		}
	}
	return s
}

type generator struct {
	rand  *rand.Rand
	names []string
}

func (g *generator) IntN(n int) int          { return g.rand.IntN(n) }
func (g *generator) chance(percent int) bool { return g.rand.IntN(100) < percent }

// pick returns one of several values.
func pick[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }

func (g *generator) step(first bool) step {
	var st step
	for range g.IntN(5) {
		st.changes = append(st.changes, g.change())
	}
	if first {
		for range len(g.names) {
			st.changes = append(st.changes, change{verb: put, name: pick(g, g.names...)})
		}
	} else {
		if g.chance(10) {
			st.streams = pick(g, streamsOn, streamsOff)
		}
		st.running = g.play(45)
	}
	st.compact = g.chance(25)
	if g.chance(12) {
		st.refuse = 1 + g.IntN(3)
	}
	if !first && g.chance(30) {
		g.failWatches(&st)
	}
	if first || g.chance(40) {
		g.failLists(&st, first)
	}
	return st
}

func (g *generator) change() change {
	c := change{verb: pick(g, put, put, put, remove, remove, recreate, recreate),
		name: pick(g, g.names...)}
	c.quiet = g.chance(25)
	c.half = c.verb == recreate && !c.quiet && g.chance(40)
	return c
}

// play is a stream that ends with some probability.
func (g *generator) play(ends int) play {
	p := play{doubled: g.chance(12), bookmark: g.chance(25), stranger: g.chance(10)}
	if g.chance(ends) {
		p.end = pick(g, endClean, endClean, endLater, endCut, endCut, endHalf, endGone, endGone,
			endBusy, endBroken, endUnknown, endNoJSON)
		p.after, p.bytes = g.IntN(5), g.IntN(1200)
	}
	return p
}

// late is a change while a request is on its way. It is announced: whether a list has it must not
// depend on its form.
func (g *generator) late() []change {
	if !g.chance(35) {
		return nil
	}
	c := g.change()
	c.quiet, c.half = false, false
	return []change{c}
}

func (g *generator) failWatches(st *step) {
	for range 1 + g.IntN(4) {
		a := answer{late: g.late(), refusal: pick(g, answered, answered, answered, answered,
			expired, gone, busy, busyFor, broken, noAnswer)}
		if a.refusal == answered {
			a.play = g.play(80)
		}
		st.watches = append(st.watches, a)
	}
	if g.chance(15) { // client-go lists then, so that nothing else may happen
		st.changes, st.watches = nil, []answer{{refusal: broken}}
	}
	if g.chance(15) { // a server that closes each watch at once
		for range 3 {
			st.watches = append(st.watches, answer{play: play{end: endClean}})
		}
	}
	if st.running.end == endNever {
		st.running.end, st.running.after = endClean, g.IntN(3) // so that there is a next watch
	}
}

// failLists makes sure that lists are asked for, and answers them badly.
func (g *generator) failLists(st *step, first bool) {
	if !first {
		st.running.end, st.running.after = pick(g, endGone, endBroken, endUnknown), g.IntN(4)
	}
	for range g.IntN(4) {
		a := answer{late: g.late(), refusal: pick(g, answered, answered, answered, answered,
			noAnswer, expired, gone, tooLarge, busy, busyFor, broken, invalid)}
		switch a.refusal {
		case noAnswer:
			a.play.bytes = g.IntN(60)
		case answered:
			a.noEnd = g.chance(20)
			if g.chance(20) {
				a.stale = 1 + g.IntN(5)
			}
			if !a.noEnd {
				a.play = g.play(60)
			}
		}
		st.snapshots = append(st.snapshots, a)
	}
	if g.chance(50) { // most failures of a streamed list are fair only without others
		st.watches = nil
		return
	}
	if g.chance(15) {
		st.snapshots, st.pages = nil, []answer{{refusal: pick(g, busyFor, noAnswer)}}
		return
	}
	for range 1 + g.IntN(3) {
		a := answer{late: g.late(), refusal: pick(g, answered, answered, expired, expired, gone,
			busy, broken)}
		if a.refusal == answered {
			a.play = play{end: pick(g, endNever, endCut), bytes: 200 + g.IntN(600)}
		}
		st.pages = append(st.pages, a)
	}
}
