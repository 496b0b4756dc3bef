package restarts

import "slices"

// chain follows what a ledger says of one thing, from one state to the next. After a kill the
// daemon may go on from the state before any message that was acknowledged and not yet safe.
type chain[S comparable] struct {
	is    S   // what the receiver knows
	from  []S // where the daemon may have begun, in this life
	steps []step[S]
	life  int // the one whose end has left more than one state in from
	// back are the states that the daemon may go back to once, after kills: what was handed over to
	// an outbox while a cut was being made may come from both sides, the one long after the other.
	back    []S
	doubled int // so often it has
}

type step[S comparable] struct {
	to S
	at *int // the beat at which it is acknowledged
}

// may returns the states that the daemon may take the receiver to be in.
func (c *chain[S]) may() []S {
	switch {
	case len(c.steps) > 0:
		return []S{c.is}
	case c.from == nil:
		var nothing S
		return []S{nothing}
	}
	return c.from
}

func (c *chain[S]) take(to S, at *int) {
	if c.from == nil {
		c.from = c.may()
	}
	c.is, c.steps = to, append(c.steps, step[S]{to, at})
}

// fitting returns the states that a message, which was acknowledged at a beat, may follow.
func (c *chain[S]) fitting(at *int, fits func(S) bool) (all []S) {
	for _, s := range c.may() {
		if fits(s) {
			all = append(all, s)
		}
	}
	if len(all) > 0 || c.back == nil {
		return all
	}
	back := c.back[:len(c.back):len(c.back)]
	for _, s := range c.steps { // they may have waited in the outbox then
		back = append(back, s.to)
	}
	for _, s := range back {
		if fits(s) {
			all = append(all, s)
		}
	}
	if len(all) > 0 {
		c.back = nil
		c.doubled++
		for _, s := range all { // a kill may lead there once more
			c.take(s, at)
		}
	}
	return all
}

// end ends a life, by a kill or not. What was acknowledged before a beat is safe.
func (c *chain[S]) end(life int, killed bool, safe int) {
	from, steps, rest := c.may(), c.steps, c.steps
	known := len(c.steps) == 0 && len(from) > 1
	if len(c.steps) > 0 {
		from = c.from
	}
	for len(rest) > 0 && *rest[0].at < safe {
		from, rest = []S{rest[0].to}, rest[1:]
	}
	from = slices.Clone(from)
	for _, s := range rest {
		if !slices.Contains(from, s.to) {
			from = append(from, s.to)
		}
	}
	if c.from, c.steps = from, nil; len(from) > 1 && !known {
		c.life = life
	}
	if c.back != nil {
		for _, s := range steps { // they may have waited in the outbox
			c.back = append(c.back, s.to)
		}
	}
	if killed {
		c.back = append(c.back, from...)
	}
}
