package rules

import "time"

// State is what a [Transition] leads to. Its zero value is no state.
type State uint8

const (
	// Violated: the rule's deny has held for its For.
	Violated State = 1 + iota
	// Resolved: deny holds no more, or the object is gone.
	Resolved
)

// String gives the word that outputs use.
func (s State) String() string {
	switch s {
	case Violated:
		return "violated"
	case Resolved:
		return "resolved"
	}
	return "no state"
}

// record is what is remembered of one rule that is pending or violated for one object.
type record struct {
	rule     int // its index in the book
	violated bool
	since    time.Time // of the first true in a row
	// when a receiver took last that the rule is violated; before that, when it was offered first
	taken   time.Time
	message string    // as it is offered
	owes    Receivers // those that have yet to take that it is violated
	knows   Receivers // those that took it
	repeats int
}

// unheard reports whether nobody took a violation yet, so that there is nothing to repeat.
func (r *record) unheard() bool { return r.knows == 0 && r.owes != 0 }

// debt is a violation that has ended, and not all receivers that know of it know that.
type debt struct {
	rule    int
	uid     string // of the object that violated the rule
	since   time.Time
	message string
	owes    Receivers // never none
}

// step is what an answer of deny leads to.
type step uint8

const (
	stays    step = iota
	begins        // to be pending
	violates      // for the first time
	repeats       // being violated
	ends          // being pending
	resolves      // being violated
)

// step decides. The record is nil if nothing is remembered.
func (r *Rule) step(rec *record, denied bool, now time.Time) step {
	switch {
	case rec == nil && denied && r.hold == 0:
		return violates
	case rec == nil && denied:
		return begins
	case rec == nil:
		return stays
	case !denied && rec.violated:
		return resolves
	case !denied:
		return ends
	}
	left, waits := r.left(rec, now)
	switch {
	case !waits || left > 0:
		return stays
	case rec.violated:
		return repeats
	default:
		return violates
	}
}

// left returns the time until For or Repeat runs out, and whether one of them is running.
func (r *Rule) left(rec *record, now time.Time) (time.Duration, bool) {
	switch {
	case !rec.violated:
		return r.hold - elapsed(rec.since, now), true
	case r.repeat > 0 && rec.unheard():
		return r.repeat, true // once somebody takes it
	case r.repeat > 0:
		return r.repeat - elapsed(rec.taken, now), true
	}
	return 0, false
}

// elapsed takes a clock that was set back for one that stands still.
func elapsed(from, to time.Time) time.Duration { return max(0, to.Sub(from)) }
